"""The header reader: what it tells, what it refuses, and that no bytes can harm it."""

from __future__ import annotations

import os
import struct
import sys
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pet.errors import LocalModelRefused
from pet.extras.local_models.model_store import GgufHeader, check_can_chat, read_header
from tests.support.models.gguf_bytes import Value, chat_model, gguf
from tests.support.models.local_model import find_smollm2


def written(folder: Path, data: bytes, *, size: int = 0, name: str = "model.gguf") -> Path:
    file = folder / name
    with file.open("wb") as opened:
        opened.write(data)
        if size:
            opened.truncate(size)  # a sparse file: it has the size and takes no space
    return file


def test_header_of_a_chat_model_is_read(tmp_path: Path) -> None:
    header = read_header(written(tmp_path, gguf(chat_model()), size=400_000_000))
    assert (header.name, header.architecture) == ("Test Chat", "llama")
    assert (header.context, header.layers, header.kv_heads, header.key_length) == (8_192, 16, 8, 64)
    assert header.template and not header.pooling
    check_can_chat(header, "model.gguf")
    kv = 2 * 4_096 * 16 * 8 * 128
    assert header.need(4_096) == 400_000_000 + kv + 200_000_000


def test_header_of_a_real_model_is_read() -> None:
    header = read_header(find_smollm2())
    assert header.architecture == "llama" and header.template and header.layers == 30
    assert header.context >= 2_048


@pytest.mark.parametrize(
    ("values", "size", "problem"),
    [
        (chat_model(**{"llama.pooling_type": 1}), 400_000_000, "embedder"),
        ({"general.architecture": "bert"}, 400_000_000, "embedder"),
        ({"general.architecture": "clip"}, 400_000_000, "projector"),
        ({"general.architecture": "llama"}, 400_000_000, "no_template"),
        (chat_model(**{"split.count": 3}), 400_000_000, "split"),
        (chat_model(), 100_000_000, "tiny"),
    ],
)
def test_model_that_can_not_talk_is_refused_by_its_header(
    tmp_path: Path, values: dict[str, Value], size: int, problem: str
) -> None:
    header = read_header(written(tmp_path, gguf(values), size=size))
    with pytest.raises(LocalModelRefused) as refused:
        check_can_chat(header, "model.gguf")
    assert refused.value.problem == problem


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GGUF",
        b"<html>Not found</html>",
        b"GGUF" + struct.pack("<I", 99),
        b"FUGG" + gguf(chat_model())[4:],
        gguf(chat_model())[:-20],
        b"GGUF" + struct.pack("<IQQ", 3, 0, 2**63),
        b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 2**62),
        b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1) + b"a" + struct.pack("<IIQ", 9, 8, 2**60),
        b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1) + b"a" + struct.pack("<IIQ", 9, 0, 2**60),
        b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1) + b"a" + struct.pack("<IIQ", 9, 9, 2**20) * 9,
    ],
)
def test_bytes_that_are_no_header_are_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(LocalModelRefused) as refused:
        read_header(written(tmp_path, data))
    assert refused.value.problem == "not_gguf"


def test_file_that_is_not_there_is_unreadable(tmp_path: Path) -> None:
    with pytest.raises(LocalModelRefused) as refused:
        read_header(tmp_path / "none.gguf")
    assert refused.value.problem == "unreadable"


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes in folders there")
@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_what_is_no_file_is_unreadable_and_nobody_waits_for_it(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "x.gguf"
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "device":
        file.symlink_to("/dev/zero")
    else:
        file.mkdir()
    with pytest.raises(LocalModelRefused) as refused:
        read_header(file)
    assert refused.value.problem == "unreadable"


def read_or_refused(file: Path) -> GgufHeader | None:
    """None where it was refused as no header; anything else raised fails the test."""
    try:
        return read_header(file)
    except LocalModelRefused as refused:
        if refused.problem != "not_gguf":
            raise
        return None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_damaged_header_is_read_or_refused_and_nothing_else(tmp_path: Path, data: st.DataObject) -> None:
    whole = bytearray(gguf(chat_model()))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(whole) - 1))
        whole[at] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(whole)))
    file = written(tmp_path, bytes(whole[:cut] if data.draw(st.booleans()) else whole))
    header = read_or_refused(file)
    if header is not None:
        assert 0 <= header.context < 1 << 32
        assert header.need(4_096) >= header.size


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(tail=st.binary(max_size=300))
def test_random_bytes_after_the_magic_do_no_harm(tmp_path: Path, tail: bytes) -> None:
    file = written(tmp_path, b"GGUF" + struct.pack("<I", 3) + tail)
    read_or_refused(file)


@pytest.mark.parametrize("inner", [8, 9])
def test_array_of_endless_items_is_refused_at_once(tmp_path: Path, inner: int) -> None:
    """256 MB of empty texts took half a minute to read one by one."""
    head = struct.pack("<4sIQQQ", b"GGUF", 3, 0, 1, 1) + b"k" + struct.pack("<IIQ", 9, inner, 1 << 40)
    with pytest.raises(LocalModelRefused) as refused:
        read_header(written(tmp_path, head, size=256 << 20))
    assert refused.value.problem == "not_gguf"


def test_long_texts_of_a_header_are_not_kept(tmp_path: Path) -> None:
    values: dict[str, Value] = chat_model() | {f"note.{number}": "é" * 500_000 for number in range(20)}
    file = written(tmp_path, gguf(values), size=400_000_000)
    tracemalloc.start()
    try:
        header = read_header(file)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert header.template
    assert peak < 2_000_000
