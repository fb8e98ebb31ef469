"""Every reader of outside bytes under hypothesis: each returns, or raises what it says it raises.

Guided by coverage where atheris can be imported: ``make soak`` installs it where it has a wheel (Linux x86-64, Python
before 3.14).
"""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from pet.access import OFF, ON
from pet.bridge.reply_links import check_link
from pet.errors import (
    AttachmentRefused,
    BadArguments,
    FetchRefused,
    FileBroken,
    ImportRefused,
    LinkRefused,
    LocalModelRefused,
    PathRefused,
    SkinRefused,
)
from pet.extras.agents.installation import AgentFileRefused, settings_in
from pet.extras.agents.protocol import McpServer
from pet.extras.imports.card import CardRefused, read_card
from pet.extras.imports.contents import LeftOut
from pet.extras.imports.detect import find, read_objects
from pet.extras.imports.markdown_files import note_text
from pet.extras.imports.packed_pet import read_packed_pet
from pet.extras.imports.source import open_source
from pet.extras.local_models.model_store import read_header
from pet.extras.mcp_servers.entries import McpRefused, read_servers
from pet.extras.skins.codex_manifest import read_manifest
from pet.extras.skins.image_sets import read_actions
from pet.extras.skins.importer import take_zip
from pet.extras.skins.sprite_sheet import open_picture
from pet.extras.small_models.prompts import parse_answer as parse_decision
from pet.language.redaction import redact
from pet.memory.search.query import parse_query
from pet.memory.search.transcript_index import read_lines
from pet.memory.store.daily_log import parse_log
from pet.memory.store.split_entries import split_file
from pet.net.web_address import read_web_address
from pet.prompt.fence import escape
from pet.providers.anthropic_messages import MessageAccumulator
from pet.providers.inline_markup import InlineMarkup
from pet.providers.openai_messages import ChatAccumulator
from pet.providers.responses_messages import ResponsesAccumulator
from pet.providers.sanitize import ReplyTooLarge
from pet.serde import from_data, parse
from pet.settings.schema import Settings, decode_settings
from pet.transcripts.entry_codec import decode_entry
from pet.transcripts.fold import fold
from pet.transcripts.foreign import in_request
from pet.transcripts.request_messages import to_messages
from pet.untrusted.parsers import read_json, read_toml, read_toml_document, read_yaml_texts
from pet.workspace.file_names import parse_name
from pet.workspace.images import prepare_image
from pet.workspace.line_diff import matching_blocks
from pet.workspace.pet_toml import with_value
from pet.workspace.text_encoding import NotText, decode_text
from tests.extras.skins.test_hostile_skins import FILES, ZIP
from tests.support.models.gguf_bytes import chat_model, gguf
from ui.bindings import COMMANDS

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
_LINES = st.lists(
    st.text(max_size=40)
    | st.sampled_from(
        ["# Memory Log: 2026-02-24", "## [14:30:15] todo @2026-03-01", "- tea", "```", "## [25:99:00] x", ""]
    ),
    max_size=12,
)
_ADDRESSES = st.text(max_size=60) | st.builds(
    "{}{}{}".format,
    st.sampled_from(["https://", "http://", "mailto:", "//", "HTTPS:"]),
    st.text(max_size=30),
    st.text(max_size=30),
)
_WRITTEN = st.text(max_size=120) | st.text(alphabet="sk-0123456789abcDEF=: \n", max_size=120)
_BYTES = st.binary(max_size=300) | _VALUES.map(lambda value: json.dumps(value).encode())


@st.composite
def _spoiled(draw: st.DrawFn, whole: list[bytes]) -> bytes:
    content = bytearray(draw(st.sampled_from(whole)))
    for _ in range(draw(st.integers(0, 8))):
        content[draw(st.integers(0, len(content) - 1))] = draw(st.integers(0, 255))
    return bytes(content[: draw(st.integers(0, len(content)))]) if draw(st.booleans()) else bytes(content)


def _events(events: list[dict[str, object]]) -> None:
    reply = MessageAccumulator("m", "h")
    for event in events:
        reply.feed(event)
    reply.finish()
    reply.done()


def _chunks(chunks: list[dict[str, object]]) -> None:
    reply = ChatAccumulator("m", "h")
    for chunk in chunks:
        reply.feed(chunk)
    reply.finish()
    reply.done()


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _in_file(name: str, read: Callable[[Path], object]) -> Callable[[bytes], object]:
    def on_disk(data: bytes) -> object:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, name)
            file.write_bytes(data)
            return read(file)

    return on_disk


def _import(file: Path) -> None:
    with open_source(file) as source:
        for talk in find(source).talks():
            list(talk.messages)


def _command(row: int, data: object) -> object:
    return from_data(COMMANDS[row % len(COMMANDS)].args, data)


_EXPORTS = [
    json.dumps(each).encode()
    for each in (
        [
            {
                "id": "1",
                "title": "t",
                "create_time": 1.5,
                "mapping": {
                    "a": {
                        "parent": None,
                        "message": {
                            "author": {"role": "user"},
                            "content": {"content_type": "text", "parts": ["tea"]},
                            "create_time": 2,
                        },
                    }
                },
            }
        ],
        [
            {
                "uuid": "1",
                "name": "t",
                "chat_messages": [{"sender": "human", "text": "tea", "created_at": "2026-01-01"}],
            }
        ],
    )
]
_CHAT = b'{"user_name":"a","character_name":"b"}\n{"mes":"tea","is_user":true,"send_date":"2026-01-01"}\n'


def _responses(events: list[dict[str, object]]) -> None:
    reply = ResponsesAccumulator("m", "h")
    for event in events:
        reply.feed(event)
    reply.finish()
    reply.done()


def _marks(pieces: list[str]) -> None:
    markup = InlineMarkup("qwen3", ())
    for piece in pieces:
        markup.feed(piece)
    markup.finish(whole=True)


def _agent(lines: list[bytes]) -> None:
    """Serve the lines of an agent; each gets one answer that is JSON, or none."""
    sink = io.BytesIO()
    source = io.BytesIO(b"\n".join(lines))
    McpServer(source=source, sink=sink, version="1", tools=(), instructions="", answer=lambda *_: ("", True)).serve()
    for line in sink.getvalue().splitlines():
        read_json(line)


def _transcript(lines: list[bytes]) -> None:
    """Fold what can be read, and build a request of it."""
    entries = []
    for line in lines:
        with suppress(ValueError):
            entries.append(decode_entry(line.decode("utf-8", "replace")))
    conversation = fold(entries)
    in_request(conversation)
    for access in (ON, OFF):
        to_messages(conversation, access, "masked")


_ENTRIES = [
    b'{"kind":"header","id":"1","at":"2026-01-01T10:00:00+00:00","version":1,"conversation":"c","machine":"m"}',
    b'{"kind":"memory_set","id":"2","at":"2026-01-01T10:00:00+00:00","memory":true}',
    b'{"kind":"user_said","id":"3","at":"2026-01-01T10:00:00Z","turn":"t","text":"tea","memory":true,"attachments":[]}',
    b'{"kind":"tool_done","id":"4","at":"","turn":"t","round":0,"call_id":"c","tool":"read","text":"x","is_error":false}',
    b'{"kind":"compacted","id":"5","at":"2026-01-01T10:00:02+00:00","upto":"t","memory":true,"text":"s"}',
    b'{"kind":"turns_removed","id":"6","at":"2026-01-01T10:00:03+00:00","turns":["t"],"removed":true}',
    b'{"kind":"foreign_allowed","id":"7","at":"2026-01-01T10:00:03+00:00","sources":[{"kind":"file","name":"a"}]}',
]
_REQUESTS = [
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","clientInfo":{"name":"x"}}}',
    b'{"jsonrpc":"2.0","id":2,"method":"tools/list"}',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}',
    b'[{"jsonrpc":"2.0","id":3,"method":"ping"}]',
]
_SERVERS = [
    b'{"mcpServers":{"time":{"command":"uvx","args":["mcp-server-time"],"env":{"A":"b"}}}} // x',
    b'[mcp_servers.time]\ncommand = "uvx"\nargs = ["a"]\n',
]
_MARKS = st.sampled_from(
    [
        "<think>",
        "</think>",
        "<tool_call>",
        "</tool_call>",
        '{"name": "read", "arguments": {}}',
        "```",
        "\n",
        "[TOOL_CALLS]",
    ]
)
_VAULT = st.sampled_from(
    [
        "---",
        "title: tea",
        "tags: [a, b]",
        "# Tea",
        "[[Tea]]",
        "![[a.png]]",
        "%%",
        "> [!note]- x",
        "```dataview",
        "```",
    ]
) | st.sampled_from(["^id-1", "==tea==", "$$", "- [ ] tea 2026-03-01", "#tag", "<%* x %>", "<!-- x -->"])
_VAULT_NOTES = st.lists(st.text(max_size=20) | _VAULT, max_size=14).map("\n".join)


Reader = tuple[st.SearchStrategy[Any], Callable[[Any], object], tuple[type[Exception], ...]]
READERS: dict[str, Reader] = {
    "json": (_BYTES, read_json, (ValueError,)),
    "toml": (st.binary(max_size=200), read_toml, (ValueError,)),
    "toml documents": (st.binary(max_size=200), read_toml_document, (ValueError,)),
    "pet.toml": (st.binary(max_size=200), lambda data: with_value(data, "name", "x"), (FileBroken,)),
    "yaml": (st.text(max_size=200), read_yaml_texts, (ValueError,)),
    "commands": (_BYTES.map(_text), parse, (BadArguments,)),
    "transcript lines": (_OBJECTS.map(json.dumps), decode_entry, (ValueError,)),
    "events of Messages": (st.lists(_OBJECTS, max_size=8), _events, (ReplyTooLarge,)),
    "chunks of chat completions": (st.lists(_OBJECTS, max_size=8), _chunks, (ReplyTooLarge,)),
    "events of Responses": (st.lists(_OBJECTS, max_size=8), _responses, (ReplyTooLarge,)),
    "marks in a reply": (st.lists(st.text(max_size=20) | _MARKS, max_size=12), _marks, (ReplyTooLarge,)),
    "whole transcripts": (st.lists(_spoiled(_ENTRIES), max_size=8), _transcript, ()),
    "lines of an agent": (st.lists(_spoiled(_REQUESTS) | _BYTES, max_size=5), _agent, ()),
    "files of MCP servers": (_spoiled(_SERVERS) | _BYTES, lambda data: read_servers(_text(data)), (McpRefused,)),
    "settings of other programs": (
        _spoiled(_SERVERS) | _BYTES,
        lambda data: [settings_in(Path(name), _text(data)) for name in ("a.json", "a.toml")],
        (AgentFileRefused,),
    ),
    "notes of vaults": (st.text(max_size=200) | _VAULT_NOTES, lambda text: note_text(text, LeftOut()), ()),
    "cards": (_BYTES | _spoiled([ZIP, FILES[0]]), read_card, (CardRefused,)),
    "skin manifests": (_BYTES, lambda data: read_manifest(data, folder="x"), (SkinRefused,)),
    "skin zips": (_spoiled([ZIP]), lambda data: take_zip("x", data), (SkinRefused,)),
    "skin pictures": (_spoiled(FILES), lambda data: open_picture(data, "x"), (SkinRefused,)),
    "Shimeji actions": (st.binary(max_size=300), read_actions, ()),
    "texts": (st.binary(max_size=300), decode_text, (NotText,)),
    "fences": (st.text(max_size=300), escape, ()),
    "command arguments": (st.tuples(st.integers(0, 999), _VALUES), lambda pair: _command(*pair), (BadArguments,)),
    "settings": (_OBJECTS, lambda data: decode_settings(data, Settings()), ()),
    "exports": (_BYTES | _spoiled(_EXPORTS), _in_file("conversations.json", _import), (ImportRefused,)),
    "exports in a stream": (
        _BYTES | _spoiled(_EXPORTS),
        lambda data: list(read_objects(io.BytesIO(data))),
        (ValueError,),
    ),
    "chats of other programs": (_spoiled([_CHAT]), _in_file("chat.jsonl", _import), (ImportRefused,)),
    "packed pets": (_spoiled([ZIP]), _in_file("pet.zip", read_packed_pet), (ImportRefused,)),
    "model files": (_spoiled([gguf(chat_model())]), _in_file("m.gguf", read_header), (LocalModelRefused,)),
    "pictures sent": (_spoiled(FILES), lambda data: prepare_image(data, "x"), (AttachmentRefused,)),
    "daily logs": (_LINES, lambda lines: list(parse_log(lines)), ()),
    "memory entries": (_LINES, lambda lines: list(split_file("MEMORY.md", lines)), ()),
    "transcripts for the index": (_BYTES, lambda data: read_lines(data.split(b"\n"), 1), (ValueError,)),
    "questions": (st.text(max_size=120), lambda text: parse_query(text, date(2026, 2, 24)), ()),
    "file names": (st.text(max_size=60), parse_name, (PathRefused,)),
    "links": (_ADDRESSES, check_link, (LinkRefused,)),
    "web addresses": (_ADDRESSES, read_web_address, (FetchRefused,)),
    "secrets": (_WRITTEN, redact, ()),
    "decisions of small models": (_BYTES.map(_text), parse_decision, ()),
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


def case_of(name: str, tell: Callable[[], None] = lambda: None) -> Callable[[], None]:
    """The test of one reader; ``tell`` is called for every case."""
    strategy, read, refusals = READERS[name]

    @settings(
        max_examples=50,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def one(value: object) -> None:
        tell()
        with suppress(*refusals):
            read(value)

    return one


def fuzz(seconds: float) -> Iterator[Fuzzed]:
    """Cases for each reader until its time is over or one falls."""
    if find_spec("atheris"):
        yield from _guided(seconds)
    else:
        yield from (_random(name, seconds) for name in READERS)


def _random(name: str, seconds: float) -> Fuzzed:
    cases = 0

    def tell() -> None:
        nonlocal cases
        cases += 1

    one = case_of(name, tell)
    until = time.monotonic() + seconds
    try:
        while True:
            one()
            if time.monotonic() >= until:
                return Fuzzed(name, cases, "")
    except Exception as error:  # noqa: BLE001  whatever it is, it is the finding
        return Fuzzed(name, cases, f"{type(error).__name__}: {error}"[:300])


def _guided(seconds: float) -> Iterator[Fuzzed]:
    """In a process of its own: libFuzzer ends it."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "lab.soak.guided", str(max(1, round(seconds))), folder, *READERS]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
            assert run.stdout
            for line in run.stdout:
                code, _, name = line.rstrip("\n").partition(" ")
                if name in READERS and code.lstrip("-").isdigit():
                    yield _told(name, int(code), Path(folder, name).read_text("utf-8", "replace"))


def _told(name: str, code: int, log: str) -> Fuzzed:
    told = re.findall(r"stat::number_of_executed_units: (\d+)|^#(\d+)\t", log, re.MULTILINE)
    cases = max((int(done or seen) for done, seen in told), default=0)
    if code == 0 and cases:
        return Fuzzed(name, cases, "")
    fell = log.partition("=== Uncaught Python exception: ===")[2].strip() or log[-600:]
    return Fuzzed(name, cases, fell[:600])
