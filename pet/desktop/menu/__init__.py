"""The pet's menu and the tray icon."""
