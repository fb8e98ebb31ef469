"""The pet's body without a window: drawings, time and ways."""
