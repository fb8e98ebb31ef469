"""Hostile files of a few kilobytes: what each parser makes of it, its memory above a warm process, and its time.

One child process for each; its peak is the kernel's (Linux), so that native decoders count too.
"""

from __future__ import annotations

import io
import json
import os
import struct
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from benchmarks.instruments.figures import Figure
from pet.cards.card import read_card, read_card_json
from pet.cards.soul import soul_text
from pet.errors import PetError
from pet.fs.zip_reading import open_zip
from pet.local_models.gguf import read_header
from pet.skins.image_sets import read_actions
from pet.untrusted.parsers import read_json, read_toml, read_toml_document, read_yaml_texts
from pet.workspace.images import prepare_image
from pet.workspace.pet_zip import read_packed_pet

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


def _gguf() -> bytes:
    return struct.pack("<4sIQQQ", b"GGUF", 3, 0, 1, 1) + b"k" + struct.pack("<IIQ", 9, 8, 1 << 40) + bytes(32 << 20)


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
    "GGUF of 2^40 texts": (_gguf, _on_disk(read_header)),
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
    """Return the outcome, the peak above the start in megabytes, and the seconds."""
    read, write = os.pipe()
    if os.fork() == 0:
        try:
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # begin the peak anew
            before, begun, outcome = _peak(), time.perf_counter(), "read"
            try:
                act()
            except (PetError, ValueError):
                outcome = "refused"
            spent = time.perf_counter() - begun
            os.write(write, json.dumps([outcome, (_peak() - before) / 1_000, spent]).encode())
        finally:
            os._exit(0)
    os.close(write)
    os.wait()
    told = os.read(read, 1_000)
    os.close(read)
    outcome, megabytes, seconds = json.loads(told) if told else ("ended", 0.0, 0.0)
    return str(outcome), float(megabytes), float(seconds)


def _peak() -> int:
    """Return the peak of resident memory in kilobytes."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1])


def _size(count: int) -> str:
    return f"{count} B" if count < 1_000 else f"{count / 1_000:,.1f} KB"
