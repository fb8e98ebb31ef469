"""OpenAI's chat completions protocol over HTTP, without its SDK."""
