"""Calls between the windows and the core in the same process."""
