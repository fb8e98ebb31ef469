"""OpenAI's chat completions protocol over plain HTTP, without its SDK."""
