"""Append-only files of JSON lines, shared by several processes; independent of the records in them."""
