"""Another user of the machine reads and changes nothing of a pet, whatever the owner's umask is.

A whole life with nothing masked: first start, a talk with notes, attachment, search, settings, an agent's position, a
key in a file, a pause, a version, forgetting.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from pet.app import Pet
from pet.extras.agents.access import AgentMode
from pet.extras.agents.book import label_of
from pet.extras.agents.views import open_book
from pet.paths import find_home
from tests.engine.test_compaction import tell
from tests.support.clocks import DayClock
from tests.support.models.scripted import ScriptedProvider, say
from tests.support.program.invoking import ask

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there a user's folders have access lists")


@pytest.fixture(autouse=True)
def nothing_masked() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def others_reach(top: Path) -> tuple[list[str], list[str]]:
    """Return what another user can read, and what they can write, below a folder that they can enter."""
    read, write = list[str](), list[str]()
    waiting = [top]
    while waiting:
        for each in waiting.pop().iterdir():
            mode = each.lstat().st_mode
            if stat.S_ISDIR(mode) and mode & 0o011:
                waiting.append(each)
            if stat.S_ISREG(mode) and mode & 0o044:
                read.append(str(each.relative_to(top)))
            if not stat.S_ISLNK(mode) and mode & 0o022:
                write.append(str(each.relative_to(top)))
    return read, write


def test_another_user_reads_and_writes_nothing(tmp_path: Path) -> None:
    top = tmp_path / "home"
    top.mkdir(mode=0o755)
    home = find_home(top)
    app = Pet(home, environ={}, clock=DayClock(), provider=ScriptedProvider(say("Hello.")), channel="terminal")
    chat = app.conversations.create(memory=True)
    tell(chat, "hello")
    for text in ("- Zanzibar\n", "- tea\n"):
        ask(
            app.commands,
            "write_file",
            file="MEMORY.md",
            text=text,
            base=ask(app.commands, "read_file", file="MEMORY.md")["version"],
        )
    ask(app.commands, "add_reminder", text="call Anna", when="tomorrow at nine")
    ask(app.commands, "search_memory", query="tea")
    app.settings.change({"theme": "dark"})
    app.keys.set("https://deepseek.invalid", "sk-a-key-of-the-owner", "file")
    open_book(app).set_mode(label_of("claude-code", "/src"), AgentMode.READ_ONLY)
    app.pause(True)
    app.record_use()
    app.close()
    assert others_reach(top) == ([], [])
