"""Remove a text for good: find every occurrence, then rewrite files, history and transcripts."""
