{
  "service": {"port": "#js process.env.PORT ?? 8080"},
  "llm": {"provider": "#js process.env.LLM_PROVIDER ?? 'scripted'", "script": "script.json"}
}
