{"service": {"port": "#js process.env.PORT ?? 8080"}, "rbac": {"enabled": true}}
