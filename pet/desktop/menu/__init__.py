"""The pet's menu and its tray icon, from what the core and the windows report."""
