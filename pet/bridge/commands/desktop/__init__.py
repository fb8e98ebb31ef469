"""Commands of the windows and the desktop around them."""
