"""The scenes and recordings: what is shown, in the order of the table."""
