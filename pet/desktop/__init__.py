"""Desktop shell: windows, tray and process lifetime. The only package that imports webview."""
