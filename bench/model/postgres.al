{
  "store": {
    "type": "postgres",
    "host": "127.0.0.1",
    "port": "#js process.env.DATABASE_PORT",
    "username": "#js process.env.DATABASE_USER",
    "password": "#js process.env.DATABASE_PASSWORD",
    "dbname": "#js process.env.DATABASE"
  },
  "log": {"level": "#js process.env.LOG_LEVEL ?? 'warn'"}
}
