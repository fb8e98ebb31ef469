"""GGUF headers as bytes, for tests of their readers."""

from __future__ import annotations

import struct
from collections.abc import Mapping

Value = str | int | float | bool | list[str] | list[int]


def gguf(values: Mapping[str, Value], *, version: int = 3, body: bytes = b"") -> bytes:
    """Return a whole header, with ``body`` in place of the tensors."""
    keys = b"".join(_string(key) + _typed(value) for key, value in values.items())
    return b"GGUF" + struct.pack("<IQQ", version, 0, len(values)) + keys + body


def chat_model(**more: Value) -> dict[str, Value]:
    """Return the metadata of a small chat model."""
    return {
        "general.architecture": "llama",
        "general.name": "Test Chat",
        "general.size_label": "1B",
        "general.license": "apache-2.0",
        "llama.context_length": 8_192,
        "llama.block_count": 16,
        "llama.embedding_length": 2_048,
        "llama.attention.head_count": 32,
        "llama.attention.head_count_kv": 8,
        "tokenizer.ggml.tokens": ["a", "b", "c"],
        "tokenizer.ggml.token_type": [1, 2, 3],
        "tokenizer.chat_template": "{{ messages }}",
        **{key.replace("__", "."): value for key, value in more.items()},
    }


def _string(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _typed(value: Value) -> bytes:
    match value:
        case bool():
            return struct.pack("<I?", 7, value)
        case str():
            return struct.pack("<I", 8) + _string(value)
        case int():
            return struct.pack("<II", 4, value)
        case float():
            return struct.pack("<If", 6, value)
        case list():
            if value and isinstance(value[0], str):
                return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(_string(str(each)) for each in value)
            return struct.pack("<IIQ", 9, 4, len(value)) + b"".join(struct.pack("<I", int(each)) for each in value)
