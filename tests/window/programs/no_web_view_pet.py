"""The whole program where Qt's web view is not installed: ``python -m tests.window.programs.no_web_view_pet``."""

from __future__ import annotations

import sys

from pet.__main__ import main

if __name__ == "__main__":
    for name in ("PySide6.QtWebEngineCore", "PySide6.QtWebEngineWidgets"):
        sys.modules[name] = None  # type: ignore[assignment]
    main()
