"""X11 by python-xlib: server connection, events, full-screen detection. Knows neither Qt nor our windows."""
