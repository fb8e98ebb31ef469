"""Qt backend on Linux: windows, monitors, menu, tray and screenshots on X11; web views in ``webengine``."""
