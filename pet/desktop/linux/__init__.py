"""Linux desktop: Qt windows and web views on X11, also under XWayland, with Xlib and the desktop portals."""
