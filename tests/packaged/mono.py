"""Opt-in: runs the module for Windows with real WinForms under Mono (Debian: mono-devel, xvfb).

``python -m tests.packaged.mono`` installs pythonnet beside the environment, starts a display of its own and runs
``mono_checks.py`` there. It proves the windows, menus and threads; WebView2 itself exists on Windows only.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTHONNET = "pythonnet==3.2.1"
_FACADE = Path("/usr/lib/mono/4.5/Facades/netstandard.dll")


def main() -> int:
    if not _FACADE.exists() or shutil.which("xvfb-run") is None:
        print("Install mono-devel and xvfb first.", file=sys.stderr)
        return 2
    place = ROOT / "build" / "pythonnet"
    if not (place / "clr.py").exists():
        pip = (sys.executable, "-m", "pip", "install", "--quiet", "--target", str(place), PYTHONNET)
        subprocess.run(pip, check=True)
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{place}", "PYTHONNET_RUNTIME": "mono"}
    checks = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "ignore", "-n", "0")
    command = ("xvfb-run", "-a", *checks, str(Path(__file__).with_name("mono_checks.py")))
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
