"""The promise: no text in the pet's files makes a reading command fail.

USER.md, MEMORY.md and a daily log hold any two texts, one after the other. Every command that reads answers or
refuses in words, for a page and in a terminal, also where the file is replaced between two of its own reads.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pet.__main__ import ThisDesktop
from pet.app import Pet
from pet.bridge.commands.about_owner import AboutOwnerCommands
from pet.cli.arguments import commands
from pet.cli.main import run
from pet.fs.directory import Absent, Contents, Folder, Raw, open_folder
from pet.model import Author, Present
from pet.paths import find_home
from pet.workspace.text_encoding import normalize_newlines
from tests.engine.test_compaction import tell
from tests.support.clocks import DayClock
from tests.support.examples import examples
from tests.support.files import write_files
from tests.support.models.scripted import ScriptedProvider
from tests.support.program.invoking import invoke
from ui.bindings import COMMANDS

LOG = "memory/2026-11-20.md"
NAMES = ("USER.md", "MEMORY.md", LOG)

odd = [
    *("#1 priority is the garden this year", "#1 priority is the house", "#", "##", "# ", "####### deep", "# Health"),
    *(
        "- #1 is tea",
        "- ",
        "-",
        "*",
        "```",
        "`",
        "**",
        "__",
        "`**`",
        "- `",
        "- **",
        "---",
        "1.",
        "1. tea",
        "[ ] ",
        ":",
    ),
    *(
        "Name:",
        "- Name: ",
        "Owner:",
        "- Owner: ",
        "主人：",
        "用户",
        "user ",
        "Owner: user's ",
        "- Owner: born",
        "Has",
        "I",
    ),
    *("(until 2026-01-01)", "- tea (until 2026-13-45)", "(2026-01-01)", "2026-01-01 ", "- [2026-02-30] x", "。", "…"),
    *("## [10:00:00] todo @9999-12-31", "## [99:99:99] fact", "## [10:00:00] fact", "## 10:30 AM - Walk", "## 0:00"),
    *("## [10:00:00] todo (every day at 25:00) @2026-02-31 ✓ 2026-99-99", "# Memory Log: 2026-13-45", "# 2026-11-20"),
    *(
        "<!--",
        "-->",
        "<!-- x -->",
        "\\# x",
        "\t",
        "\u3000",
        "\x0b",
        "\x0c",
        "\u2028",
        "\u200b",
        "\ufeff",
        "\u202e",
        "\r",
    ),
    *(
        "- Works at A",
        "- Works at B",
        "- Lives in Oslo",
        "- Likes tea",
        "我喜欢茶",
        "Vivo en Roma",
        "ı",
        "İ",
        "ß",
        "🙂",
    ),
    *("{name}", "{", "%s", "$", "|", "| a |", "> x", "$$x$$", "[x](y)", "&lt;", "</pet-file>", "a" * 700, "字" * 700),
    *("remind me on the 32nd of Febtober at 99", "every Monday until 9999", "12/13/99999", "٣", "²"),
]
lines = st.sampled_from(odd) | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)
texts = st.lists(lines, max_size=6).map("\n".join)
versions = st.tuples(texts, texts)

READING = ("get_", "list_", "read_", "find_", "search_", "explain_", "preview_", "diff_", "export_")
ARGS: dict[str, tuple[dict[str, Any], ...]] = {
    "list_statements": ({}, {"words": "#1"}, {"group": "you", "count": 50}),
    "find_statement": tuple({"file": name, "line": 1, "text": text} for name in NAMES for text in ("", "#1 …tea")),
    "explain_statement": tuple({"file": name, "line": line} for name in NAMES for line in range(1, 9)),
    "search_memory": ({"query": "garden"}, {"query": "#1"}, {"query": "tea yesterday"}),
    "search_history": ({"query": "garden"},),
    "search_in_terminal": ({"query": "garden", "count": 5},),
    "read_entries": tuple({"file": name} for name in NAMES),
    "read_file": tuple({"file": name} for name in NAMES),
    "list_versions": tuple({"file": name} for name in NAMES),
    "list_forget": ({"text": "garden"}, {"text": "#1 priority"}),
    "preview_prompt": ({"memory": True}, {"memory": True, "read_only": True}, {"memory": False}),
    "export_pet": ({},),
}
"""Of the commands that need arguments, those that a text could break."""
ELSEWHERE = {
    *(
        "find_servers",
        "list_models",
        "preview_card",
        "preview_skin",
        "film_skin",
        "preview_pet",
        "export_skin",
        "find_pointer",
    ),
    *(
        "read_attachment",
        "read_terminal_turn",
        "read_copy",
        "read_call",
        "read_aloud",
        "get_import_diff",
        "diff_texts",
        "get_skin",
    ),
    *("diff_versions", "get_spent", "export_conversation", "list_voices", "read_copied"),
    *("get_acquainted",),
}
"""Read no memory file, or reach for the network, the desktop or something that isn't there."""


READ_IN_TERMINAL = (
    *(("why", "e"), ("why", "#1"), ("search", "garden"), ("remind", "list"), ("prompt",), ("forget", "garden")),
    *(("export", "--format", "markdown"), ("pets", "list"), ("connection", "list"), ("settings",), ("doctor",)),
)
"""Every command of the terminal that reads without asking a model, with words that a text could break."""
NO_READING = {"chat", "restore", "import", "pause", "model", "mcp", "tools", "agent", "say"}
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""What a terminal obeys, or draws in another order."""


class Reader:
    """One pet, read by everything that reads."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.app: Pet = Pet(
            find_home(folder),
            environ={},
            clock=DayClock(),
            provider=ScriptedProvider(),
            channel="terminal",
        )

    def put(self, content: dict[str, str]) -> None:
        write_files(self.app.store.root, content)
        for name in content:
            self.app.store.observe(name)

    def page(self) -> AboutOwnerCommands:
        return AboutOwnerCommands(self.app)

    def read_all(self) -> None:
        for row in COMMANDS:
            if row.name.startswith(READING) and row.name not in ELSEWHERE:
                for args in ARGS.get(row.name, ({},)):
                    reply = invoke(self.app.commands, row.name, min(row.clients), **args)
                    code = "" if reply["ok"] else reply["error"]["code"]
                    assert code not in ("internal", "bad_arguments"), (row.name, args, reply)


def run_in_terminal(folder: Path, *words: str) -> None:
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        run(["--home", str(folder), *words], ThisDesktop())
    printed = out.getvalue() + err.getvalue()
    assert "Something went wrong inside" not in printed, (words, err.getvalue())
    assert not CONTROLS.search(printed), (words, printed)


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    folder = tmp_path_factory.mktemp("reader")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("pet.paths.downloads_folder", lambda: folder / "downloads")
        made = Reader(folder)
        yield made
        made.app.close()


GARDEN = ("#1 priority is the house\n", "#1 priority is the garden this year\n")


@settings(max_examples=examples(12))
@given(versions, versions, versions)
@example(GARDEN, ("", ""), ("", ""))
@example(("", ""), GARDEN, ("```", "`"))
def test_any_text_is_read_by_every_reading_command(
    reader: Reader, user: tuple[str, str], memory: tuple[str, str], log: tuple[str, str]
) -> None:
    for number in (0, 1):
        reader.put({"USER.md": user[number], "MEMORY.md": memory[number], LOG: log[number]})
    state = reader.app.store.read("USER.md")
    if isinstance(state, Present):  # the same change once more, as the pet's correction
        other = normalize_newlines(user[0])
        reader.app.store.write("USER.md", other, base=state.version, author=Author.PET)
    reader.read_all()


@settings(max_examples=examples(30))
@given(versions, st.sampled_from(NAMES))
@example(("- Likes tea\n\n- Works at A\n", ""), "USER.md")
def test_a_file_that_is_replaced_between_two_reads_breaks_no_page(
    reader: Reader, two: tuple[str, str], name: str
) -> None:
    reader.put({name: two[0]})
    page = reader.page()
    listed = page.statements()
    reader.put({name: two[1]})
    for each in listed:
        page.view(each)
        page.app.provenance.origin(each, listed)


@settings(max_examples=examples(6))
@given(st.lists(st.none() | texts, min_size=2, max_size=4))
@example(["- Likes tea\n- Works at A\n- Lives in Oslo\n", "- Likes tea\n", "a\n" * 50, None])
@example(["# Memory Log: 2026-11-20\n\n## [10:00:00] todo @2026-12-01\n\nwater the fern\n", None, "##\n"])
def test_files_that_shrink_grow_and_vanish_between_any_two_reads_break_nothing(
    reader: Reader, states: list[str | None]
) -> None:
    turns = count()
    reader.put(dict.fromkeys(NAMES, "- Likes tea\n"))
    with open_folder(reader.app.store.root) as top:
        kind = type(top)
    read = kind.read

    def read_and_change(folder: Folder, name: str, limit: int) -> Raw:
        raw = read(folder, name, limit)
        if name in {Path(each).name for each in NAMES} and isinstance(raw, Contents | Absent):
            text = states[next(turns) % len(states)]
            with suppress(FileNotFoundError):
                folder.remove(name)
            if text is not None:
                folder.create(name, text.encode(), 0o600)
        return raw

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(kind, "read", read_and_change)
        reader.read_all()
    assert next(turns) > 20


@settings(max_examples=examples(4))
@given(versions, st.sampled_from(NAMES))
@example(GARDEN, "USER.md")
@example(("- [ ] ", "```"), "MEMORY.md")
def test_any_text_is_read_in_a_terminal(reader: Reader, two: tuple[str, str], name: str) -> None:
    for text in two:
        reader.put({name: text})
    for words in (*READ_IN_TERMINAL, ("history", name), ("history", name, "--diff", "1")):
        run_in_terminal(reader.folder, *words)
        run_in_terminal(reader.folder, *words, "--json")


def test_every_command_of_the_terminal_is_read_or_said_to_read_no_memory() -> None:
    read = {words[0] for words in READ_IN_TERMINAL} | {"history"}
    assert read | NO_READING == set(commands()) and not read & NO_READING


HOSTILE = "x\x1b]0;owned\x07\x1b[2J\x9b31m\r\u202etxt"


def test_what_an_owner_named_is_printed_without_its_escape_codes(tmp_path: Path) -> None:
    home, named = find_home(tmp_path), json.dumps(HOSTILE)
    app = Pet(home, environ={}, clock=DayClock(), provider=ScriptedProvider(), channel="terminal")
    chat = app.conversations.create(memory=True)
    tell(chat, HOSTILE)
    app.close()
    files = {"USER.md": f"- Likes {HOSTILE}\n", "pet.toml": f"name = {named}\n"}
    write_files(home.workspace("pet"), files | {"skills/odd/SKILL.md": f"---\nname: {named}\n---\n"})
    address = 'base_url = "http://127.0.0.1:9"\nmodel = "m"'
    home.settings_file.parent.mkdir(exist_ok=True)
    home.settings_file.write_text(f"theme = {named}\n[connections.odd]\nname = {named}\n{address}\n")
    for words in (*READ_IN_TERMINAL, ("history", "USER.md"), ("forget", "--conversation", chat.id)):
        run_in_terminal(tmp_path, *words)
        run_in_terminal(tmp_path, *words, "--json")
    for words in ((HOSTILE,), ("settings", HOSTILE), ("settings", "model", HOSTILE), ("pets", "switch", HOSTILE)):
        run_in_terminal(tmp_path, *words)
