"""Encoding, edit, three-way merge and comparison of text. Pure: no I/O."""
