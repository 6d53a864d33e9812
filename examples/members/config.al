{
  "service": {"port": "#js process.env.PORT ?? 8080"},
  "auth": {"enabled": true}
}
