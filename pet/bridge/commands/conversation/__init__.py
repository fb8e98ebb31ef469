"""Commands of one conversation: turns, attachments, history."""
