"""Every function that takes bytes from outside in the main process, with its largest input (``takers.py``); and that
no reader takes time by the square of what it is given.

A function that begins to decode, parse or unpack something is found by a sweep over the program, and has to be named.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module
from itertools import product
from pathlib import Path

import pytest

import pet
from pet.engine.mood import MoodTagParser
from pet.extras.agents.book import visible_line
from pet.extras.agents.display import marked
from pet.extras.agents.installation import settings_in
from pet.extras.documents.reading import document_kind
from pet.extras.heartbeat.heartbeat import spoken
from pet.extras.imports.card import read_card, read_card_json
from pet.extras.imports.contents import LeftOut
from pet.extras.imports.markdown_files import note_text, read_memory_list
from pet.extras.imports.plan import _new_entries
from pet.extras.imports.source import storable_text, to_text
from pet.extras.mcp_servers.entries import read_servers
from pet.extras.skins.codex_manifest import read_manifest
from pet.extras.skins.image_sets import read_skin_json
from pet.extras.skins.importer import plain_credit
from pet.extras.small_models.prompts import parse_answer
from pet.extras.web_pages.tool import named_addresses
from pet.language.claims import claims_saved
from pet.language.moment import parse_moment, split_moment
from pet.language.redaction import redact
from pet.language.tokens import query_tokens, tokenize
from pet.language.wishes import asks_to_write, reads_as_order
from pet.memory.search.foreign_notes import in_note
from pet.memory.store.daily_log import parse_log
from pet.memory.store.digest import plain_note
from pet.memory.store.split_entries import split_file
from pet.model import NotedText
from pet.prompt.fence import escape
from pet.providers.faults import safe_message
from pet.providers.inline_markup import InlineMarkup
from pet.serde import decode
from pet.text.characters import comparable_forms
from pet.text.markup import blank_unsaid, replace_comments, split_versions, without_embeds
from pet.text.pages import split_pages
from pet.text.plain_markdown import blocks, plain_line, without_formulas
from pet.text.unseen import count_unseen, reveal, without_tag_characters
from pet.transcripts.conversation import title_from
from pet.transcripts.entry_codec import decode_entry
from pet.transcripts.foreign import own_words, says_only
from pet.transcripts.transcript import without_collection
from pet.untrusted.parsers import (
    join_surrogates,
    read_json,
    read_json_object,
    read_toml,
    read_toml_document,
    read_yaml_texts,
)
from pet.workspace.edit_match import apply_edit
from pet.workspace.skills import parse_skill
from pet.workspace.text_encoding import decode_text
from pet.workspace.tombstones import normalize
from tests.support.clocks import NOON
from tests.support.examples import at_night
from tests.untrusted.takers import TAKERS, WORDS

SINKS = {
    *("read_json", "read_json_object", "read_toml", "read_toml_document", "read_yaml_texts", "loads", "raw_decode"),
    *(
        "decode",
        "ZipFile",
        "open_zip",
        "open_bytes",
        "decompressobj",
        "decompress",
        "b64decode",
        "recv",
        "open_image",
        "open_picture",
        "QImage",
    ),
    *("read_regular", "open_regular", "read_bytes", "communicate", "aread", "aiter_bytes", "readline", "mimeData"),
}
"""Names of calls that take bytes or decode them."""


def _sweep() -> Iterator[str]:
    """Yield ``module:qualified name`` of every function that calls a sink."""
    root = Path(pet.__file__).parent
    for file in sorted(root.rglob("*.py")):
        module = ".".join(file.relative_to(root).with_suffix("").parts)
        waiting: list[tuple[ast.AST, tuple[str, ...]]] = [(ast.parse(file.read_text(encoding="utf-8")), ())]
        while waiting:
            node, names = waiting.pop()
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                names = (*names, node.name)
            elif isinstance(node, ast.Call):
                called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
                if called in SINKS:
                    yield f"{module}:{'.'.join(names)}"
            waiting += [(each, names) for each in ast.iter_child_nodes(node)]


def test_every_function_that_takes_outside_bytes_is_named_with_its_limit() -> None:
    assert sorted(set(_sweep()) ^ TAKERS.keys()) == []
    for limit in sorted(set(TAKERS.values()) - WORDS.keys()):
        assert _number(limit) > 0, limit


def _number(limit: str) -> int:
    module, _, name = limit.partition(":")
    number = getattr(import_module(f"pet.{module}"), name)
    assert isinstance(number, int)
    return number


def test_qt_has_its_limit() -> None:
    gui = pytest.importorskip("PySide6.QtGui")
    assert 0 < gui.QImageReader.allocationLimit() <= 256


def _markup(text: str) -> None:
    markup = InlineMarkup("qwen3", ())
    markup.feed(text)
    markup.finish(whole=True)


def _moods(text: str) -> None:
    moods = MoodTagParser()
    moods.feed(text)
    moods.end()


def _bytes(read: Callable[[bytes], object]) -> Callable[[str], object]:
    return lambda text: read(text.encode("utf-8", "surrogatepass"))


def _skill(text: str) -> object:
    return parse_skill(text, "own", Path("x"))  # type: ignore[arg-type]


MESSAGE, REPLY = "serde:MAX_MESSAGE", "providers.accumulator:MAX_REPLY"
FILE, IMPORTED = "workspace.pet_registry:LIMIT", "extras.imports.source:MAX_TEXT"
READERS: dict[str, tuple[Callable[[str], object], str]] = {
    "json": (read_json, MESSAGE),
    "arguments of a tool": (read_json_object, REPLY),
    "toml": (_bytes(read_toml), "settings.store:_MAX_BYTES"),
    "toml for writing": (_bytes(read_toml_document), "settings.store:_MAX_BYTES"),
    "yaml": (read_yaml_texts, "workspace.skills:MAX_BYTES"),
    "a command": (partial(decode, NotedText), MESSAGE),
    "a line of a transcript": (decode_entry, MESSAGE),
    "half surrogates": (join_surrogates, MESSAGE),
    "a card": (_bytes(read_card), "extras.imports.card:MAX_FILE"),
    "a card's JSON": (_bytes(read_card_json), "extras.imports.card:MAX_FILE"),
    "a skin": (_bytes(lambda data: read_manifest(data, folder="x")), "extras.skins.importer:_BYTES"),
    "a skin of pictures": (_bytes(read_skin_json), "extras.skins.importer:_BYTES"),
    "a credit": (plain_credit, "extras.skins.importer:_BYTES"),
    "servers": (read_servers, "extras.mcp_servers.entries:_MOST"),
    "another program's settings": (
        lambda text: settings_in(Path("a.json"), text),
        "extras.agents.installation:_LIMIT",
    ),
    "an agent's note": (reads_as_order, "extras.agents.agent_tools:LONGEST_ENTRY"),
    "kind of a document": (_bytes(lambda data: document_kind("x", data)), "workspace.attachments:MAX_FILE"),
    "a list of notes": (read_memory_list, IMPORTED),
    "a vault": (lambda text: note_text(text, LeftOut()), IMPORTED),
    "an imported text": (_bytes(to_text), IMPORTED),
    "a stored text": (storable_text, IMPORTED),
    "a file": (_bytes(decode_text), FILE),
    "a skill": (_skill, "workspace.skills:MAX_BYTES"),
    "unseen characters": (lambda text: (reveal(text, "{}"), without_tag_characters(text), count_unseen(text)), FILE),
    "secrets": (redact, FILE),
    "a reply in the bubble": (lambda text: list(blocks(text, len(text))), REPLY),
    "a reply's own marks": (_markup, REPLY),
    "moods": (_moods, REPLY),
    "a server's message": (safe_message, "providers.bounded_transport:MAX_ERROR"),
    "addresses": (lambda text: named_addresses([text]), MESSAGE),
    "a fence": (escape, FILE),
    "a log": (lambda text: list(parse_log(text.split("\n"))), FILE),
    "quotes": (own_words, MESSAGE),
    "two versions": (split_versions, FILE),
    "front matter": (lambda text: blank_unsaid(text.split("\n")), IMPORTED),
    "an embed": (without_embeds, IMPORTED),
    "comments": (replace_comments, FILE),
    "pages of a document": (split_pages, "workspace.attachments:_MAX_STORED"),
    "a reply on one line": (plain_line, REPLY),
    "formulas": (without_formulas, REPLY),
    "a claim": (lambda text: list(claims_saved(text)), REPLY),
    "a heartbeat's reply": (spoken, REPLY),
    "a decision": (parse_answer, REPLY),
    "a command to allow": (marked, "extras.agents.hook:_LONGEST_COMMAND"),
    "an agent's name": (lambda text: visible_line(text, 100), MESSAGE),
    "a note of an agent": (lambda text: in_note("memory/2026-01-01.md", text), FILE),
    "a note in short": (plain_note, FILE),
    "entries": (lambda text: list(split_file("MEMORY.md", text.split("\n"))), FILE),
    "new entries": (lambda text: _new_entries(text, text), IMPORTED),
    "a line to compare": (comparable_forms, FILE),
    "an edit": (lambda text: apply_edit(text, text[:2_000] + "q", ""), FILE),
    "a forgotten text": (normalize, FILE),
    "a title": (title_from, MESSAGE),
    "a moment": (lambda text: parse_moment(text, NOON), REPLY),
    "a reminder in words": (lambda text: split_moment(text, NOON), MESSAGE),
    "words": (tokenize, FILE),
    "a query": (query_tokens, MESSAGE),
    "a wish": (asks_to_write, MESSAGE),
    "what a note says": (lambda text: says_only(text, text), MESSAGE),
}
"""Readers of text from outside, and the limit of what each is given."""
SHAPES = (
    *(
        "[",
        '{"a":',
        '"',
        "\\",
        "a.",
        " ",
        "\n",
        "- ",
        "#",
        "<",
        "<!--",
        "</",
        "&",
        "```\n",
        "**a",
        "_",
        "%%",
        "> ",
        "(",
    ),
    *(
        "[a](",
        "![[",
        "9.",
        "a=",
        "\u200b",
        "\ud800",
        "\u4f60",
        "<tool_call>",
        "<think>",
        "[TOOL_CALLS]",
        "---\n",
        "!",
    ),
    *(
        "```query\n",
        "https://a.b/",
        "sk-",
        "<arg_key>",
        "<|channel|>",
        "[mood:",
        "a: ",
        "| a ",
        "\u00a7\n",
        "password: ",
        "\U0001f642",
    ),
)
MARKDOWN = ("# ", "# a\n", "## ", "- [ ] ", "* ", "1. ", "a: - b\n", "```\n```\n", "-->", "$", "\\(", "$$\n")
WORDS_IN_TEXTS = (
    "tomorrow ",
    "at 5 ",
    "\u660e\u5929",
    "the ",
    "please ",
    "?",
    "\u3002",
    "\u00e9",
    "\u0301",
    "\t",
    "Owner: ",
)
TEXTS = ("*", "# *x", "---\ntitle: *x\n---\n*", "*\n\nx")
_TIMES, _WORTH = 6, 0.25  # longer, and seconds of the processor that are worth a comparison
_DAY, _NIGHT = 48_000, 600_000  # characters


def _seconds(read: Callable[[str], object], text: str) -> float:
    with without_collection():
        begun = time.thread_time()
        with suppress(Exception):  # refusing is fine: it must not take long
            read(text)
        return time.thread_time() - begun


@pytest.mark.parametrize("name", READERS)
def test_no_reader_takes_time_by_the_square_of_its_input(name: str) -> None:
    """Of an input that is six times as long, at most eighteen times the work: by the square it is 36.

    At night with all shapes, up to what the reader is given at most; by day each has its share of them.
    """
    read, limit = READERS[name]
    longest = min(_number(limit), _NIGHT if at_night() else _DAY)
    every = list(product((*SHAPES, *MARKDOWN, *WORDS_IN_TEXTS), TEXTS))
    for shape, text in every if at_night() else every[list(READERS).index(name) % 5 :: 5]:
        short, long = (text.replace("*", shape * (size // len(shape))) for size in (longest // _TIMES, longest))
        took = _seconds(read, long)
        if took > _WORTH:
            before = min(_seconds(read, short) for _ in range(3))
            assert min(took, _seconds(read, long)) < 3 * _TIMES * max(before, _WORTH / _TIMES**2), (shape, text)
