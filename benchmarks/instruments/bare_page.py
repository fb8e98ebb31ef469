"""The baseline of the windows: the smallest page that pywebview can show, in a window like the pet's.

Run as a program: ``python -m benchmarks.instruments.bare_page``. It uses nothing of Soulpet.
"""

from __future__ import annotations

import os

import webview

PAGE = """<!doctype html><html><body style="margin:0"><div style="width:192px;height:208px;background:#c03060"></div>
</body></html>"""


def main() -> None:
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        os.environ["QTWEBENGINE_DISABLE_SANDBOX"] = "1"
    webview.create_window(
        "bare", html=PAGE, width=192, height=208, min_size=(192, 208), frameless=True, easy_drag=False, on_top=True,
        transparent=True,
    )  # fmt: skip
    webview.start(gui="qt")


if __name__ == "__main__":
    main()
