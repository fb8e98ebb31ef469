"""Global hotkeys and screenshots, by the platform's means. Knows no window, and not the core."""
