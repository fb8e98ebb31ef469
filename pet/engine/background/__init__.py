"""Background work outside of turns: reminders, maintenance of MEMORY.md, the search index."""
