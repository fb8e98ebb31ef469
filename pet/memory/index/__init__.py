"""The derived search index (SQLite with FTS5, and vectors).

Building it, keeping it current, embedding. Deletable at any time.
"""
