"""The Qt backend on Linux: windows, monitors, menu, tray and screenshots on X11; its web views are in ``webengine``."""
