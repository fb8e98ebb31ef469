"""The Qt backend on Linux and the hardening of QtWebEngine."""
