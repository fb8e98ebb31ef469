"""Work without a turn: reminders, maintenance of MEMORY.md, the search index."""
