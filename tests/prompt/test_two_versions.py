"""A file in which a merging program left two versions: no prompt holds it without saying so."""

from __future__ import annotations

import pytest

from pet.access import ConversationGate, PetGate
from pet.app import Pet
from pet.engine.models import LocalModelLimits
from pet.extras.small_models.small_model import Way
from pet.i18n import LANGUAGES, Texts
from pet.memory.store.digest import RecentDay
from pet.model import CoreFile, Source
from pet.paths import Home
from pet.prompt.context import recent_days_context
from pet.text.markup import holds_two_versions, split_versions
from pet.workspace.gated_files import GatedFiles
from tests.engine.test_compaction import tell
from tests.support.models.scripted import ScriptedProvider, call, say

OURS, THEIRS = "- Lin lives in Rome\n", "- Lin lives in Oslo\n"
SPLIT = f"# About\n<<<<<<< here\n{OURS}=======\n{THEIRS}>>>>>>> there\n"
NAMES = (*(each.value for each in CoreFile), "AGENTS.md")


def opened(home: Home, *script: object) -> Pet:
    return Pet(home, environ={}, provider=ScriptedProvider(*script), channel="terminal")  # type: ignore[arg-type]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_a_prompt_says_that_a_file_holds_two_versions(home: Home, name: str, language: str) -> None:
    app = opened(home)
    app.settings.change({"language": language})
    line = app.texts()("prompt.guide.two_versions", file=name)
    assert line not in "".join(app.preview_prompt(memory=True).blocks)
    (app.store.root / name).write_text(SPLIT)
    assert line in "".join(app.preview_prompt(memory=True).blocks)
    hidden = name in ("USER.md", "MEMORY.md")
    assert (line in "".join(app.preview_prompt(memory=False).blocks)) != hidden
    if name != "AGENTS.md":
        gate = ConversationGate(PetGate(), memory=True).begin_turn()
        files = GatedFiles(app.store, gate, Source(conversation="", turn="")).snapshot().visible(gate.started)
        sections = Way.sections(files, LocalModelLimits(window=8_000), app.texts())
        assert line in "".join(section.text for section in sections)
    app.close()


def test_a_file_that_is_split_between_two_messages_is_said_with_the_next(home: Home) -> None:
    provider = ScriptedProvider(say("Hi."), say("Oh."), say("Fine."))
    app = Pet(home, environ={}, provider=provider, channel="terminal")
    (app.store.root / "MEMORY.md").write_text(f"# About\n{OURS}")
    chat = app.conversations.create(memory=True)
    tell(chat, "Where do I live?")
    (app.store.root / "MEMORY.md").write_text(SPLIT)
    tell(chat, "And now?")
    (app.store.root / "MEMORY.md").write_text(f"# About\n{THEIRS}")
    tell(chat, "And now?")
    line = app.texts()("prompt.guide.two_versions", file="MEMORY.md")
    said = [line in "".join(block.text for block in each.system) for each in provider.requests]
    assert said == [False, True, False]
    app.close()


def test_reading_a_part_of_a_split_file_says_so(home: Home) -> None:
    script = (call("read", {"path": "memory/2026-02-24.md", "from_line": 3, "lines": 1}), say("Rome."))
    provider = ScriptedProvider(*script)
    app = Pet(home, environ={}, provider=provider, channel="terminal")
    (app.store.root / "memory").mkdir(exist_ok=True)
    (app.store.root / "memory" / "2026-02-24.md").write_text(SPLIT)
    chat = app.conversations.create(memory=True)
    tell(chat, "Where did I live in February?")
    (done,) = chat.folded().turns[-1].tools
    assert "memory/2026-02-24.md holds two versions" in done.text
    app.close()


def test_recent_days_say_which_log_holds_two_versions() -> None:
    days = [RecentDay(file="memory/2026-02-24.md", text=SPLIT), RecentDay(file="memory/2026-02-25.md", text=OURS)]
    text = recent_days_context(days, Texts("en")).text
    assert text.count("holds two versions") == text.count("memory/2026-02-24.md holds two versions") == 1


@pytest.mark.parametrize(
    ("text", "split"),
    [
        (SPLIT, True),
        (SPLIT.replace("\n", "\r\n"), True),
        ("<<<<<<< a\nx\n||||||| b\ny\n=======\nz\n>>>>>>> c\n", True),
        ("<<<<<<< once\n", False),
        ("Title\n=======\n", False),
        (">>>>>>> a\n=======\n<<<<<<< b\n", False),
        ("<<<<<<<<<<\n=======\n>>>>>>>\n", False),
    ],
)
def test_only_marks_in_order_are_two_versions(text: str, split: bool) -> None:
    assert holds_two_versions(text) == split


def test_versions_are_split_around_what_they_share() -> None:
    assert split_versions(SPLIT) == (f"# About\n{OURS}", f"# About\n{THEIRS}", None)
