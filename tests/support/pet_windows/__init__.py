"""The pet's windows on such a desktop: open, click, find."""
