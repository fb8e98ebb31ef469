"""Hostile files: what each parser makes of it, its memory above a warm process, and its processor time.

One child process for each; its peak is the kernel's (Linux), so that native decoders count too. The readers of
documents run in a process of their own, which the time counts and the memory doesn't.
"""

from __future__ import annotations

import io
import json
import os
import resource
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from benchmarks.instruments.figures import Figure
from pet.errors import PetError
from pet.extras.documents.reading import read_document
from pet.extras.imports.card import read_card, read_card_json, soul_text
from pet.extras.imports.detect import read_objects
from pet.extras.imports.packed_pet import read_packed_pet
from pet.extras.local_models.model_store import read_header
from pet.extras.skins.image_sets import read_actions
from pet.extras.skins.importer import plain_credit, take_zip
from pet.extras.skins.sprite_sheet import open_sheet
from pet.fs.zip_reading import open_zip
from pet.memory.search.page_search import PassageSearch
from pet.providers.inline_markup import InlineMarkup
from pet.text.pages import split_pages
from pet.untrusted.parsers import read_json, read_toml, read_toml_document, read_yaml_texts
from pet.workspace.images import prepare_image
from pet.workspace.skills import parse_skill
from tests.providers.calls import READ

Case = tuple[Callable[[], bytes], Callable[[bytes], object]]


def _card(name: int, times: int) -> bytes:
    data = {"name": "N" * name, "description": "{{char}}" * times}
    return json.dumps({"spec": "chara_card_v2", "data": data}).encode()


def _png_card() -> bytes:
    packed = b"chara\0\0" + zlib.compress(bytes(200_000_000), 9)
    chunk = struct.pack(">I", len(packed)) + b"zTXt" + packed + struct.pack(">I", zlib.crc32(b"zTXt" + packed))
    return b"\x89PNG\r\n\x1a\n" + chunk


def _zip(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return made.getvalue()


def _dots(characters: int) -> bytes:
    return (".".join("a" * (characters // 2)) + " = 1\n").encode()


def _many_keys() -> bytes:
    return "\n".join(f"k{number}{'.a' * 15}=1" for number in range(27_000)).encode()


def _gguf(texts: int = 1 << 40) -> bytes:
    return struct.pack("<4sIQQQ", b"GGUF", 3, 0, 1, 1) + b"k" + struct.pack("<IIQ", 9, 8, texts) + bytes(32 << 20)


def _long_list() -> bytes:
    """Return a zip whose list has 1.2 million names, of one file."""
    names = (b"%x" % number for number in range(1_200_000))
    entry = struct.Struct("<4sHHHHHHIIIHHHHHII")
    listed = b"".join(
        entry.pack(b"PK\1\2", 20, 20, 0, 0, 0, 0, 0, 0, 0, len(name), 0, 0, 0, 0, 0, 0) + name for name in names
    )
    local = struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 20, 0, 0, 0, 0, 0, 0, 0, 1, 0) + b"x"
    large = struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, 1_200_000, 1_200_000, len(listed), len(local))
    place = struct.pack("<4sIQI", b"PK\6\7", 0, len(local) + len(listed), 1)
    end = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, len(listed), len(local), 0)
    return local + listed + large + place + end


def _png(width: int, height: int, kind: int = 6) -> bytes:
    """Return a picture of nothing. ``kind``: 6 with transparency, 0 grey."""
    head = struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)
    packing = zlib.compressobj(9)
    row = bytes(width * (4 if kind == 6 else 1) + 1)
    pixels = b"".join(packing.compress(row) for _ in range(height)) + packing.flush()
    chunks = ((b"IHDR", head), (b"IDAT", pixels), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )


def _webp(width: int, height: int, frames: int = 1) -> bytes:
    from PIL import Image

    drawn = [Image.new("RGBA", (width, height), (number, 0, 0, 255)) for number in range(frames)]
    made = io.BytesIO()
    drawn[0].save(made, "WEBP", save_all=frames > 1, append_images=drawn[1:], lossless=True, quality=0, method=0)
    return made.getvalue()


def _reply(text: bytes) -> None:
    markup = InlineMarkup("qwen3", [READ])
    markup.feed(text.decode())
    markup.finish(whole=True)


def _ranked(text: bytes) -> object:
    return PassageSearch(lambda _texts: None).rank(split_pages(text.decode()), "Where is the tea 茶 on page 280?")


def _word_part(piece: bytes, times: int) -> bytes:
    """Return a docx of one part, with the piece as often in it."""
    made = io.BytesIO()
    with (
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("word/document.xml", "w") as part,
    ):
        part.write(b"<w:document><w:r>")
        for _ in range(times):
            part.write(piece)
        part.write(b"</w:r></w:document>")
    return made.getvalue()


def _aliases() -> bytes:
    levels = [f"{name}: &{name} [{', '.join([f'*{below}'] * 9)}]" for below, name in pairwise("abcdefghi")]
    return "\n".join(["a: &a [x]", *levels]).encode()


def _on_disk(parse: Callable[[Path], object]) -> Callable[[bytes], object]:
    def parsed(content: bytes) -> object:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "given.zip"
            file.write_bytes(content)
            return parse(file)

    return parsed


def _listed(file: Path) -> int:
    with open_zip(file) as opened:
        return len(opened.entries)


CASES: dict[str, Case] = {
    "TOML key of 8,000 parts": (lambda: _dots(16_000), read_toml),
    "TOML key of 24,000 parts": (lambda: _dots(48_000), read_toml),
    "the same, for writing": (lambda: _dots(48_000), read_toml_document),
    "1 MB of TOML keys of 16 parts, for writing": (_many_keys, read_toml_document),
    "pet with such a pet.toml": (
        lambda: _zip({"pet/SOUL.md": b"# Soul\n", "pet/.history/x": b"", "pet/pet.toml": _dots(48_000)}),
        _on_disk(read_packed_pet),
    ),
    "JSON of 500,000 brackets": (lambda: b"[" * 500_000, read_json),
    "JSON number of 1 MB": (lambda: b"9" * 1_000_000, read_json),
    "YAML of nine levels of aliases": (
        _aliases,
        lambda data: read_yaml_texts(data.decode()),
    ),
    "YAML of 8,000 brackets": (lambda: b"a: " + b"[" * 8_000, lambda data: read_yaml_texts(data.decode())),
    "XML of entities": (
        lambda: b'<!DOCTYPE a [<!ENTITY a "xxxxxxxxxx"><!ENTITY b "&a;&a;&a;&a;">]><Mascot>&b;</Mascot>',
        read_actions,
    ),
    "card that names itself 4,000 times": (
        lambda: _card(30_000, 4_000),
        lambda data: soul_text(read_card_json(data), "en"),
    ),
    "PNG card that unpacks to 200 MB": (_png_card, read_card),
    "WebP of 50 million pixels": (
        lambda: bytes.fromhex("524946461a000000574542505650384c0e0000002f9e9be706071011fd0f4444ff03"),
        lambda data: prepare_image(data, "a.webp"),
    ),
    "WebP of 40 million pixels, as a skin": (
        lambda: _webp(6_300, 6_300),
        _on_disk(lambda file: open_sheet(file, "a")),
    ),
    "film in WebP of 16 million pixels": (lambda: _webp(4_000, 4_000, 3), lambda data: prepare_image(data, "a.webp")),
    "PNG of 49 million pixels": (lambda: _png(7_000, 7_000), lambda data: prepare_image(data, "a.png")),
    "PNG of 49 million rows": (lambda: _png(1, 49_000_000, 0), lambda data: prepare_image(data, "a.png")),
    "GGUF of 2^40 texts": (_gguf, _on_disk(read_header)),
    "GGUF of 4 million texts": (lambda: _gguf(4_000_000), _on_disk(read_header)),
    "card in a zip of 1.2 million names": (_long_list, read_card),
    "skin in a zip of 1.2 million names": (_long_list, lambda data: take_zip("a.zip", data)),
    "licence of 64 KB of brackets, of a skin": (lambda: b"[](" * 21_000, lambda data: plain_credit(data.decode())),
    "actions of a skin, 26,000 poses": (
        lambda: (
            b"<M><Action Name='Stand'><Animation>"
            + b"<Pose Image='shime1.png' Duration='1'/>" * 26_000
            + b"</Animation></Action></M>"
        ),
        read_actions,
    ),
    "front matter of 4,000 brackets, of a skill": (
        lambda: b"---\n" + b"a: {" * 1_990 + b"\n---\n",
        lambda data: parse_skill(data.decode(), "pet", Path("a/SKILL.md")),
    ),
    "JSON of 2.8 million lists": (lambda: b"[" + b"[]," * 2_790_000 + b"1]", read_json),
    "export of 12 million texts": (
        lambda: b'[{"mapping":{},"x":[' + b'"ab",' * 12_500_000 + b"1]}]",
        lambda data: list(read_objects(io.BytesIO(data))),
    ),
    "TOML of 70,000 tables in tables": (lambda: b"[[a]]\n[[a.b]]\n" * 35_000, read_toml),
    "reply of 60 pairs of a call": (
        lambda: b"<tool_call>f" + b"<arg_key>a</arg_key><arg_value>b</arg_value>" * 60 + b"x</tool_call>",
        _reply,
    ),
    "reply of 50,000 calls": (lambda: b'<tool_call>{"name": "read"}</tool_call>' * 50_000, _reply),
    "search of one word of 2 MB in a document": (lambda: b"a" * 2_000_000, _ranked),
    "search of 2 million pages in a document": (lambda: b"\f" * 2_000_000, _ranked),
    "docx of 140 MB in one tag": (
        lambda: _word_part(b"<w:t a='" + b"x" * 140_000_000 + b"'/>", 1),
        lambda data: read_document("a.docx", data, "zip"),
    ),
    "HTML of 500,000 comments without an end": (
        lambda: b"<!--" * 500_000,
        lambda data: read_document("a.html", data, "html"),
    ),
    "zip of 100,000 names": (lambda: _zip({f"{number}": b"" for number in range(100_000)}), _on_disk(_listed)),
}


def measure(say: Callable[[str], None]) -> list[Figure]:
    figures: list[Figure] = []
    for name, (make, parse) in CASES.items():
        say(f"parsers: {name}")
        content = make()
        outcome, megabytes, seconds = _in_a_child(lambda: parse(content))  # noqa: B023  run before the next case
        title = f"{name}, {_size(len(content))}: {outcome}"
        figures.append(Figure(name=f"{title}, memory", value=megabytes, unit="MB"))
        figures.append(Figure(name=f"{title}, time", value=seconds * 1_000, unit="ms"))
    return figures


def _in_a_child(act: Callable[[], object]) -> tuple[str, float, float]:
    """Return the outcome, the peak above the start in megabytes, and the processor seconds."""
    read, write = os.pipe()
    if os.fork() == 0:
        try:
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # begin the peak anew
            before, begun, outcome = _peak(), _seconds(), "read"
            try:
                act()
            except (PetError, ValueError):
                outcome = "refused"
            spent = _seconds() - begun
            os.write(write, json.dumps([outcome, (_peak() - before) / 1_000, spent]).encode())
        finally:
            os._exit(0)
    os.close(write)
    os.wait()
    told = os.read(read, 1_000)
    os.close(read)
    outcome, megabytes, seconds = json.loads(told) if told else ("ended", 0.0, 0.0)
    return str(outcome), float(megabytes), float(seconds)


def _seconds() -> float:
    """Return the processor time of this process and of those it waited for."""
    used = [resource.getrusage(of) for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def _peak() -> int:
    """Return the peak of resident memory in kilobytes."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1])


def _size(count: int) -> str:
    return f"{count} B" if count < 1_000 else f"{count / 1_000:,.1f} KB"
