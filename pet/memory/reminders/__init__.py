"""Entries that the pet brings up by itself: todos that are due, follow-ups, occasions, facts to check again."""
