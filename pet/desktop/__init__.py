"""The windows on the desktop, the tray and the program's life: the only importer of webview."""
