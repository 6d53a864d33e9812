{
  "graphql": {"enabled": true},
  "store": {"type": "sqlite", "dbname": "#js process.env.DATABASE ?? 'data/bench.db'"},
  "log": {"level": "#js process.env.LOG_LEVEL ?? 'warn'"}
}
