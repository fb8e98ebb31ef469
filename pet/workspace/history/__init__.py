"""Versions of a file: their log and bytes, retention, lost updates. Takes no lock and changes no file of the pet."""
