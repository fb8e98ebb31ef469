"""Every reader of outside bytes under hypothesis: each returns, or raises what it says it raises."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from pet.bridge.serde import parse
from pet.cards.card_file import read_card
from pet.errors import BadArguments, CardRefused, FileBroken, SkinRefused
from pet.outside_data import read_json, read_toml, read_toml_document, read_yaml_texts
from pet.prompt.fence import escape
from pet.providers.anthropic.stream import Accumulator
from pet.providers.limits import ReplyTooLarge
from pet.providers.openai.stream import Accumulator as ChatAccumulator
from pet.skins.formats.codex_manifest import read_manifest
from pet.skins.formats.shimeji import read_actions
from pet.skins.formats.skin_images import open_picture
from pet.skins.importer import take_zip
from pet.transcripts.codec import decode
from pet.workspace.pets.pet_toml import with_value
from pet.workspace.text.encoded_text import NotText, decode_text
from pet.workspace.text.line_match import matching_blocks
from tests.skins.test_hostile_skins import FILES, ZIP

_LEAF = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12)
_KEYS = (
    "type index delta text choices content tool_calls function arguments usage id at kind parts turn round message "
    "content_block partial_json name spec data frame"
)
_NAMES = st.text(max_size=6) | st.sampled_from(sorted(_KEYS.split()))
_VALUES = st.recursive(
    _LEAF, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(_NAMES, inner, max_size=6), max_leaves=25
)
_OBJECTS = st.dictionaries(_NAMES, _VALUES, max_size=8)
_BYTES = st.binary(max_size=300) | _VALUES.map(lambda value: json.dumps(value).encode())


@st.composite
def _spoiled(draw: st.DrawFn, whole: list[bytes]) -> bytes:
    content = bytearray(draw(st.sampled_from(whole)))
    for _ in range(draw(st.integers(0, 8))):
        content[draw(st.integers(0, len(content) - 1))] = draw(st.integers(0, 255))
    return bytes(content[: draw(st.integers(0, len(content)))]) if draw(st.booleans()) else bytes(content)


def _events(events: list[dict[str, object]]) -> None:
    reply = Accumulator("m")
    for event in events:
        reply.feed(event)
    reply.done()


def _chunks(chunks: list[dict[str, object]]) -> None:
    reply = ChatAccumulator("m", "h")
    for chunk in chunks:
        reply.feed(chunk)
    reply.done()


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


Reader = tuple[st.SearchStrategy[Any], Callable[[Any], object], tuple[type[Exception], ...]]
READERS: dict[str, Reader] = {
    "json": (_BYTES, read_json, (ValueError,)),
    "toml": (st.binary(max_size=200), read_toml, (ValueError,)),
    "toml documents": (st.binary(max_size=200), read_toml_document, (ValueError,)),
    "pet.toml": (st.binary(max_size=200), lambda data: with_value(data, "name", "x"), (FileBroken,)),
    "yaml": (st.text(max_size=200), read_yaml_texts, (ValueError,)),
    "commands": (_BYTES.map(_text), parse, (BadArguments,)),
    "transcript lines": (_OBJECTS.map(json.dumps), decode, (ValueError,)),
    "events of Messages": (st.lists(_OBJECTS, max_size=8), _events, (ReplyTooLarge,)),
    "chunks of chat completions": (st.lists(_OBJECTS, max_size=8), _chunks, (ReplyTooLarge,)),
    "cards": (_BYTES | _spoiled([ZIP, FILES[0]]), read_card, (CardRefused,)),
    "skin manifests": (_BYTES, lambda data: read_manifest(data, folder="x"), (SkinRefused,)),
    "skin zips": (_spoiled([ZIP]), lambda data: take_zip("x", data), (SkinRefused,)),
    "skin pictures": (_spoiled(FILES), lambda data: open_picture(data, "x"), (SkinRefused,)),
    "Shimeji actions": (st.binary(max_size=300), read_actions, ()),
    "texts": (st.binary(max_size=300), decode_text, (NotText,)),
    "fences": (st.text(max_size=300), escape, ()),
    "diffs": (
        st.tuples(*[st.lists(st.sampled_from("abcd"), max_size=60)] * 2),
        lambda pair: matching_blocks(*pair),
        (),
    ),
}


@dataclass(slots=True)
class Fuzzed:
    name: str
    cases: int
    problem: str


def fuzz(name: str, seconds: float) -> Fuzzed:
    """Random cases until the time is over or one falls."""
    strategy, read, refusals = READERS[name]
    cases = 0

    @settings(
        max_examples=50,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def one(value: object) -> None:
        nonlocal cases
        cases += 1
        with suppress(*refusals):
            read(value)

    until = time.monotonic() + seconds
    try:
        while True:
            one()
            if time.monotonic() >= until:
                return Fuzzed(name, cases, "")
    except Exception as error:  # noqa: BLE001  whatever it is, it is the finding
        return Fuzzed(name, cases, f"{type(error).__name__}: {error}"[:300])
