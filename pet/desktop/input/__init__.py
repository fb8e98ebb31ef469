"""Global hotkeys and screenshots. Never imports windows or the core."""
