"""Commands of the windows and the desktop around them, by way of the desktop port: none knows a window."""
