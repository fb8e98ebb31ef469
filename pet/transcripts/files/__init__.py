"""Append-only files of JSON lines, shared by several processes.

An append is a single write under the file's lock. Readers get complete lines only: a torn last line is moved aside
before the next append, never read as a record. Knows nothing of what a line says.
"""
