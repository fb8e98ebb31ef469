"""The promise: no text in the pet's files makes a reading command fail.

USER.md, MEMORY.md and a daily log hold any two texts, one after the other. Every command that reads answers or
refuses in words, for a page and in a terminal, also where the file is replaced between two of its own reads.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pet.__main__ import ThisDesktop
from pet.app import Pet
from pet.bridge.commands.about_owner import AboutOwnerCommands
from pet.cli.main import run
from pet.imports.apply import ImportRecords
from pet.model import Author, Present
from pet.paths import find_home
from pet.services.provenance import Provenance
from pet.workspace.file_text import normalize_newlines
from tests.support.clocks import DayClock
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
    "get_quick_replies": ({"reply": "Shall we go into the garden?"},),
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
        "read_aloud",
        "get_import_diff",
        "diff_texts",
        "get_skin",
    ),
    *("diff_versions", "get_spent", "export_conversation", "list_voices", "read_copied"),
    *("get_acquainted",),
}
"""Read no memory file, or reach for the network, the desktop or something that isn't there."""


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
        app = self.app
        return AboutOwnerCommands(
            app.store, Provenance(app.store, app.transcripts, ImportRecords(app.home.imports_file, app.pet_id))
        )

    def read_all(self) -> None:
        for row in COMMANDS:
            if row.name.startswith(READING) and row.name not in ELSEWHERE:
                for args in ARGS.get(row.name, ({},)):
                    reply = invoke(self.app.commands, row.name, min(row.clients), **args)
                    code = "" if reply["ok"] else reply["error"]["code"]
                    assert code not in ("internal", "bad_arguments"), (row.name, args, reply)

    def run(self, *words: str) -> None:
        with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
            run(["--home", str(self.folder), *words], ThisDesktop())
        assert "Something went wrong inside" not in out.getvalue() + err.getvalue(), (words, err.getvalue())


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    folder = tmp_path_factory.mktemp("reader")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("pet.app.commands.downloads_folder", lambda: folder / "downloads")
        made = Reader(folder)
        yield made
        made.app.close()


GARDEN = ("#1 priority is the house\n", "#1 priority is the garden this year\n")


@settings(max_examples=40)
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


@settings(max_examples=60)
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
        page.provenance.origin(each, listed)


@settings(max_examples=10)
@given(versions, st.sampled_from(NAMES))
@example(GARDEN, "USER.md")
@example(("- [ ] ", "```"), "MEMORY.md")
def test_any_text_is_read_in_a_terminal(reader: Reader, two: tuple[str, str], name: str) -> None:
    for text in two:
        reader.put({name: text})
    for words in (("why", "e"), ("why", "#1"), ("search", "garden"), ("remind", "list"), ("prompt",)):
        reader.run(*words)
        reader.run(*words, "--json")
    reader.run("history", name)
