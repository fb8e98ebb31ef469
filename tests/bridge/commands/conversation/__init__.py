"""The core behind the chat."""
