"""One turn: request preparation, the provider stream, the tool loop, and how it ends."""
