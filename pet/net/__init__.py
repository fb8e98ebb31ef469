"""Downloads from the internet, on the owner's request only, with SSRF protection."""
