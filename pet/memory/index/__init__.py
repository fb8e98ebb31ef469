"""The derived search index (SQLite with FTS5, and vectors): build, refresh, embed, search."""
