"""Every module that takes bytes from outside in the main process, with its largest input; and that none of its
parsers takes time by the square of it.

A module that begins to decode, parse or unpack something is found by a sweep over the program, and has to be named
here.
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
from pet.documents.reading import document_kind
from pet.engine.mood import MoodTagParser
from pet.extras.agents.agent_tools import reads_as_order
from pet.extras.agents.installation import settings_in
from pet.extras.imports.card import read_card, read_card_json
from pet.extras.imports.contents import LeftOut
from pet.extras.imports.markdown_files import note_text, read_memory_list
from pet.extras.imports.source import storable_text, to_text
from pet.extras.mcp_servers.entries import read_servers
from pet.extras.web_pages.tool import named_addresses
from pet.memory.daily_log import parse_log
from pet.model import NotedText
from pet.prompt.fence import escape
from pet.providers.faults import safe_message
from pet.providers.inline_markup import InlineMarkup
from pet.serde import decode
from pet.skins.codex_manifest import read_manifest
from pet.skins.image_sets import read_skin_json
from pet.skins.importer import plain_credit
from pet.text.plain_markdown import blocks
from pet.text.redaction import redact
from pet.text.unseen import count_unseen, reveal, without_tag_characters
from pet.transcripts.entry_codec import decode_entry
from pet.transcripts.foreign import own_words
from pet.untrusted.parsers import (
    join_surrogates,
    read_json,
    read_json_object,
    read_toml,
    read_toml_document,
    read_yaml_texts,
)
from pet.workspace.file_text import decode_text
from pet.workspace.skills import parse_skill

SINKS = {
    *("read_json", "read_json_object", "read_toml", "read_toml_document", "read_yaml_texts", "loads", "raw_decode"),
    *("decode", "ZipFile", "open_zip", "decompressobj", "decompress", "b64decode", "recv", "open_picture", "QImage"),
    *("read_regular", "open_regular", "read_bytes", "communicate", "aread", "aiter_bytes", "readline", "mimeData"),
}
"""Names of calls that take bytes or decode them."""

OURS = "packaged with the program, or made by it a moment before"
CHILD = "in the child process that reads documents, or a hook's or host's own process"
OWNER = "typed by the owner, or a file that the system or this program wrote"
LIMITS = {
    # what comes through the bridge and the socket
    "bridge.commands.desktop": "pet.services.file_transfer:_LONGEST_PIECE",
    "bridge.commands.turns": OURS,
    "bridge.dispatch": "pet.serde:MAX_MESSAGE",
    "bridge.named_pipe": "pet.bridge.named_pipe:_KEY_BYTES",
    "bridge.socket_server": "pet.serde:MAX_MESSAGE",
    "bridge.unix_socket": "pet.serde:MAX_MESSAGE",
    "desktop.page_bridge": "pet.desktop.page_bridge:MOST_CHARACTERS",
    "serde": "pet.serde:MAX_MESSAGE",
    "services.file_transfer": "pet.services.file_transfer:_LONGEST_PIECE",
    # drops, clipboard, screenshots, other programs of the desktop
    "desktop.bubble_parts": "pet.desktop.dropped_things:_LARGEST_FILE",
    "desktop.bubble_view": "pet.desktop.dropped_things:_LARGEST_FILE",
    "desktop.dropped_things": "pet.desktop.dropped_things:_LARGEST_FILE",
    "desktop.linux.portal": "pet.desktop.linux.portal:_LARGEST",
    "desktop.linux.selection": "pet.services.quick_ask:LONGEST_QUOTE",
    "desktop.linux.speech": OURS,
    "desktop.linux.speech_child": CHILD,
    "desktop.linux.x11_server": OWNER,
    "desktop.linux.x11_windows": OWNER,
    "desktop.pet_view": "pet.desktop.dropped_things:_LARGEST_FILE",
    "desktop.web_engine": OWNER,
    # cards, skins and pictures
    "extras.imports.card": "pet.extras.imports.card:MAX_FILE",
    "extras.imports.character_cards": "pet.extras.imports.card:MAX_FILE",
    "skins.archive": "pet.skins.archive:ZIP_BYTES",
    "skins.codex_manifest": "pet.skins.importer:_BYTES",
    "skins.image_sets": "pet.skins.importer:_BYTES",
    "skins.importer": "pet.skins.importer:ONE_PICTURE_BYTES",
    "skins.library": "pet.skins.archive:UNPACKED_BYTES",
    "skins.selection": "pet.skins.archive:UNPACKED_BYTES",
    "untrusted.images": "pet.workspace.images:MAX_PIXELS",
    # attachments and documents
    "cli.chat_session": "pet.workspace.attachments:MAX_FILE",
    "documents.child": CHILD,
    "extras.documents.office": CHILD,
    "documents.reading": "pet.workspace.attachments:MAX_FILE",
    "documents.web_text": CHILD,
    "engine.document_pages": "pet.workspace.attachments:_MAX_STORED",
    "engine.message_history": "pet.workspace.attachments:_MAX_STORED",
    "workspace.attachments": "pet.workspace.attachments:MAX_FILE",
    # imports and packed pets
    "extras.imports.cli": "pet.extras.imports.cli:_MOST_BYTES",
    "fs.zip_reading": "pet.fs.zip_reading:_MAX_DIRECTORY",
    "extras.imports.chat_exports": "pet.extras.imports.detect:MAX_ITEM",
    "extras.imports.detect": "pet.extras.imports.detect:MAX_ITEM",
    "extras.imports.markdown_files": "pet.extras.imports.source:MAX_TEXT",
    "extras.imports.source": "pet.extras.imports.source:MAX_TEXT",
    "extras.imports.tavern_chats": "pet.extras.imports.tavern_chats:_MAX_LINE",
    "workspace.pet_zip": "pet.workspace.pet_zip:_MAX_SHOWN",
    # servers
    "net.fetch": "pet.extras.web_pages.tool:_MEGABYTES",
    "net.web_address": "pet.net.web_address:LONGEST",
    "prompt.small_model_prompts": "pet.providers.sanitize:MAX_REPLY",
    "providers.anthropic_provider": "pet.providers.sanitize:MAX_EVENT",
    "providers.inline_markup": "pet.providers.sanitize:MAX_REPLY",
    "providers.model_facts": "pet.providers.sanitize:MAX_EVENT",
    "providers.model_server": "pet.providers.sanitize:MAX_EVENT",
    "providers.openai_provider": "pet.providers.sanitize:MAX_EVENT",
    "providers.sanitize": "pet.providers.sanitize:MAX_REPLY",
    "services.reply_links": "pet.net.web_address:LONGEST",
    "tools.tool_arguments": "pet.providers.sanitize:MAX_REPLY",
    "tools.toolset": "pet.providers.sanitize:MAX_REPLY",
    # other agents and MCP servers
    "extras.agents.book": "pet.extras.agents.book:_FILE_LIMIT",
    "extras.agents.cli": OURS,
    "extras.agents.gateway": "pet.extras.agents.gateway:LONGEST_ARGUMENTS",
    "extras.agents.hook": CHILD,
    "extras.agents.installation": "pet.extras.agents.installation:_LIMIT",
    "extras.agents.display": OURS,
    "extras.agents.protocol": "pet.extras.agents.protocol:_LONGEST_LINE",
    "extras.mcp_servers.bounded_text": "pet.extras.mcp_servers.calls:_MOST_BYTES",
    "extras.mcp_servers.calls": "pet.extras.mcp_servers.calls:_MOST_BYTES",
    "extras.mcp_servers.entries": "pet.extras.mcp_servers.entries:_MOST",
    "extras.mcp_servers.running": "pet.extras.mcp_servers.running:_SCHEMA",
    # models on this computer
    "local_models.model_store": "pet.local_models.model_store:_MOST_BYTES",
    "local_models.host": CHILD,
    "local_models.library": "pet.local_models.library:_LONGEST_MANIFEST",
    "local_models.server_files": OURS,
    "local_models.supervisor": OURS,
    # the owner's files, which others may write
    "memory.forget_plan": "pet.memory.forget_plan:_MOST",
    "memory.forgetting": "pet.workspace.pet_registry:LIMIT",
    "memory.index_sources": "pet.memory.index_sources:MAX_BYTES",
    "memory.index_sync": "pet.memory.index_sources:MAX_BYTES",
    "memory.query": OURS,
    "settings.api_keys": "pet.settings.store:_MAX_BYTES",
    "settings.program_state": "pet.settings.store:_MAX_BYTES",
    "settings.store": "pet.settings.store:_MAX_BYTES",
    "transcripts.closings": "pet.transcripts.jsonl_file:_CHUNK",
    "transcripts.entry_codec": "pet.serde:MAX_MESSAGE",
    "transcripts.jsonl_file": "pet.serde:MAX_MESSAGE",
    "transcripts.redact": "pet.serde:MAX_MESSAGE",
    "transcripts.search": "pet.serde:MAX_MESSAGE",
    "transcripts.store": "pet.serde:MAX_MESSAGE",
    "transcripts.transcript": "pet.serde:MAX_MESSAGE",
    "workspace.file_history": "pet.workspace.pet_registry:LIMIT",
    "workspace.file_text": "pet.workspace.pet_registry:LIMIT",
    "workspace.instructions": "pet.workspace.pet_registry:LIMIT",
    "workspace.pet_registry": "pet.workspace.pet_registry:LIMIT",
    "workspace.pet_toml": "pet.workspace.pet_registry:LIMIT",
    "workspace.pets": "pet.workspace.pet_registry:LIMIT",
    "workspace.skills": "pet.workspace.skills:MAX_BYTES",
    "workspace.store": "pet.workspace.pet_registry:LIMIT",
    "workspace.tombstones": "pet.workspace.tombstones:_LIMIT",
    # the parsers themselves: their callers have the limits
    "untrusted.parsers": "pet.serde:MAX_MESSAGE",
    "untrusted.regular_files": "pet.workspace.attachments:MAX_FILE",
    # not from outside
    **dict.fromkeys(("body.bodies", "desktop.menu", "desktop.pet_keepsake", "desktop.pet_pictures"), OURS),
    **dict.fromkeys(("engine.notebook_decisions", "engine.standing_facts", "i18n.__init__", "model"), OURS),
    **dict.fromkeys(("language.__init__", "language.categories", "language.endings", "language.mentions"), OURS),
    **dict.fromkeys(
        ("language.plain_dates", "language.touching", "memory.about_owner", "memory.followups", "memory.intent"), OURS
    ),
    **dict.fromkeys(("memory.occasions", "memory.question_map", "memory.ranking", "memory.rechecks"), OURS),
    **dict.fromkeys(("cli.commands.settings", "cli.terminal", "desktop.autostart", "desktop.process"), OWNER),
}
"""The limit of each module, ``module:NAME`` of a number, or why it needs none."""


def _sweep() -> Iterator[str]:
    root = Path(pet.__file__).parent
    for file in sorted(root.rglob("*.py")):
        names = (
            node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
            if isinstance(node, ast.Call)
        )
        if any(name in SINKS for name in names):
            yield ".".join(file.relative_to(root).with_suffix("").parts)


def test_every_module_that_takes_outside_bytes_is_named_with_its_limit() -> None:
    assert sorted(set(_sweep()) ^ LIMITS.keys()) == []
    for limit in set(LIMITS.values()) - {OURS, CHILD, OWNER}:
        module, _, name = limit.partition(":")
        assert isinstance(getattr(import_module(module), name), int), limit


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


PARSERS: dict[str, Callable[[str], object]] = {
    "json": read_json,
    "arguments of a tool": read_json_object,
    "toml": _bytes(read_toml),
    "toml for writing": _bytes(read_toml_document),
    "yaml": read_yaml_texts,
    "a command": partial(decode, NotedText),
    "a line of a transcript": decode_entry,
    "half surrogates": join_surrogates,
    "a card": _bytes(read_card),
    "a card's JSON": _bytes(read_card_json),
    "a skin": _bytes(lambda data: read_manifest(data, folder="x")),
    "a skin of pictures": _bytes(read_skin_json),
    "a credit": plain_credit,
    "servers": read_servers,
    "another program's settings": lambda text: settings_in(Path("a.json"), text),
    "an agent's note": lambda text: reads_as_order(text[:16_000]),
    "kind of a document": _bytes(lambda data: document_kind("x", data)),
    "a list of notes": read_memory_list,
    "a vault": lambda text: note_text(text, LeftOut()),
    "an imported text": _bytes(to_text),
    "a stored text": storable_text,
    "a file": _bytes(decode_text),
    "a skill": lambda text: parse_skill(text, "own", Path("x")),  # type: ignore[arg-type]
    "unseen characters": lambda text: (reveal(text, "{}"), without_tag_characters(text), count_unseen(text)),
    "secrets": redact,
    "a reply in the bubble": lambda text: list(blocks(text, len(text))),
    "a reply's own marks": _markup,
    "moods": _moods,
    "a server's message": safe_message,
    "addresses": lambda text: named_addresses([text]),
    "a fence": escape,
    "a log": lambda text: list(parse_log(text.split("\n"))),
    "quotes": own_words,
}
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
TEXTS = ("*\n\nx", "# *x", "---\ntitle: *x\n---\n*")
_SHORT, _TIMES, _WORTH = 8_000, 6, 0.25  # characters, and seconds of the processor that are worth a comparison


def _seconds(read: Callable[[str], object], text: str) -> float:
    begun = time.thread_time()
    with suppress(Exception):  # refusing is fine: it must not take long
        read(text)
    return time.thread_time() - begun


@pytest.mark.parametrize("name", PARSERS)
def test_no_parser_takes_time_by_the_square_of_its_input(name: str) -> None:
    """Of an input that is six times as long, at most eighteen times the work: by the square it is 36."""
    read = PARSERS[name]
    for shape, text in product(SHAPES, TEXTS if name in ("a vault", "a list of notes") else TEXTS[:1]):
        short, long = (text.replace("*", shape * (size // len(shape))) for size in (_SHORT, _SHORT * _TIMES))
        took = _seconds(read, long)
        if took > _WORTH:
            before = min(_seconds(read, short) for _ in range(3))
            assert min(took, _seconds(read, long)) < 3 * _TIMES * max(before, _WORTH / _TIMES**2), (shape, text)
