"""Global hotkeys and screenshots."""
