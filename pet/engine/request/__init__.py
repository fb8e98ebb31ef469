"""Building of requests: file snapshot, prompt, message history, recall, attachments, token estimates."""
