"""Pack the one-folder program into an AppImage, one file that runs without installation: ``make appimage``.

An AppImage is a start program followed by a compressed file system. The start program is that of
AppImage/type2-runtime, in the file named by APPIMAGE_RUNTIME; its SHA-256 must be the one below. mksquashfs makes the
file system (Debian: squashfs-tools).
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

from deb import ENTRY, ICONS, PROGRAM, ROOT, put, version

RUNTIME = "https://github.com/AppImage/type2-runtime/releases/download/20251108/runtime-{machine}"
DIGESTS = {
    "x86_64": "2fca8b443c92510f1483a883f60061ad09b46b978b2631c807cd873a47ec260d",
    "aarch64": "00cbdfcf917cc6c0ff6d3347d59e0ca1f7f45a6df1a428a0d6d8a78664d87444",
}
START = """\
#!/bin/sh
exec "$APPDIR/usr/lib/soulpet/soulpet" "$@"
"""


def runtime(machine: str) -> bytes:
    """Return the start program. Raises SystemExit with a message unless it is the expected one."""
    named = os.environ.get("APPIMAGE_RUNTIME")
    if not named or not Path(named).is_file():
        sys.exit(f"APPIMAGE_RUNTIME names no file; it is {RUNTIME.format(machine=machine)}")
    content = Path(named).read_bytes()
    if hashlib.sha256(content).hexdigest() != DIGESTS[machine]:
        sys.exit(f"{named} is another file than the one expected, and was not used")
    return content


def stage(root: Path) -> None:
    shutil.copytree(PROGRAM, root / "usr" / "lib" / "soulpet", symlinks=True, copy_function=os.link)
    start = root / "AppRun"
    start.write_text(START, "utf-8")
    start.chmod(0o755)
    (root / "soulpet.desktop").write_text(ENTRY, "utf-8")
    put(ICONS / "soulpet-256.png", root / "soulpet.png")
    (root / ".DirIcon").symlink_to("soulpet.png")
    put(ROOT / "LICENSE", root / "usr" / "share" / "doc" / "soulpet" / "copyright")


def main() -> int:
    machine = platform.machine()
    if machine not in DIGESTS:
        sys.exit(f"there is no AppImage for {machine}")
    if not (PROGRAM / "soulpet").is_file():
        sys.exit("dist/soulpet is not there: run `make package` first")
    if not shutil.which("mksquashfs"):
        sys.exit("mksquashfs is not here; on Debian: sudo apt-get install squashfs-tools")
    start = runtime(machine)
    root, packed = ROOT / "build" / "appimage", ROOT / "build" / "appimage.squashfs"
    shutil.rmtree(root, ignore_errors=True)
    packed.unlink(missing_ok=True)
    os.umask(0o022)
    stage(root)
    options = ("-root-owned", "-noappend", "-quiet", "-no-progress", "-comp", "zstd", "-mkfs-time", "0")
    subprocess.run(("mksquashfs", str(root), str(packed), *options), check=True)
    file = ROOT / "dist" / f"soulpet-{version()}-{machine}.AppImage"
    with file.open("wb") as out, packed.open("rb") as body:
        out.write(start)
        shutil.copyfileobj(body, out)
    file.chmod(0o755)
    shutil.rmtree(root)
    packed.unlink()
    print(f"{file.relative_to(ROOT)}: {file.stat().st_size / 1e6:.0f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
