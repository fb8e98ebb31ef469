"""The Qt backend on Linux: windows, monitors, menu, tray, screenshots on X11; its web views are in ``webengine``."""
