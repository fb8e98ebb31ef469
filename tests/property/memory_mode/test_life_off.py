"""OFF by default, or paused: nothing of USER.md, MEMORY.md or the logs shows in the bubble, in how the pet looks or
in the reasons for it, whatever they say and whatever was read before."""

from __future__ import annotations

import json
import tempfile
from datetime import timedelta
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from pet.bridge.command import Client
from pet.memory.reminders.occasions import day_shown
from pet.paths import find_home
from tests.services.desk import Desktop, opened
from tests.support.examples import examples
from tests.support.files import write_files

SPEAKS = 'reminder_bubbles = true\ngreetings = "twice"\nask_after = true\n'
LINES = (
    "- Name: Canary",
    "- What to call them: Canary",
    "- Birthday: 21 November 1990",
    "- Canary's birthday is on 22 November",
    "- Wedding anniversary of Canary: 23 November 2015",
)
ENTRIES = (
    "event\n\nOwner: Canary's funeral was today.",
    "event\n\nOwner: I passed the exam of Canary.",
    "todo @2026-11-21\n\nOwner: call Canary",
    "person\n\nOwner: met Canary for dinner.",
)
DAYS = ("2025-11-21", "2025-11-22", "2026-11-19", "2026-11-20", "2026-11-21")
ACTS = ("touched", "take_held", "say_goodbye", "close", "tomorrow", "switch")


def shown(desktop: Desktop) -> tuple[dict[str, object], str]:
    """How the pet looks, and every word that can be seen."""
    look = json.loads(desktop.app.commands.invoke(Client.PET, "get_skin", "{}"))["value"]["life"]
    words = desktop.app.commands.invoke(Client.CHAT, "list_life", "{}")
    return look, words + desktop.app.commands.invoke(Client.BUBBLE, "get_bubble", "{}")


@settings(max_examples=examples(25), deadline=None)
@given(
    lines=st.sets(st.sampled_from(LINES)),
    entries=st.dictionaries(st.sampled_from(DAYS), st.lists(st.sampled_from(ENTRIES), min_size=1), max_size=4),
    acts=st.lists(st.sampled_from(ACTS), min_size=3, max_size=10),
    pauses=st.booleans(),
    before=st.booleans(),
)
def test_nothing_remembered_shows_while_memory_is_off(
    lines: set[str], entries: dict[str, list[str]], acts: list[str], pauses: bool, before: bool
) -> None:
    """``before``: it is switched off only after the files were read."""
    with tempfile.TemporaryDirectory() as folder:
        home = find_home(Path(folder))
        files = {name: "# About\n\n" + "\n".join(sorted(lines)) + "\n" for name in ("USER.md", "MEMORY.md")}
        for day, texts in entries.items():
            log = "".join(f"## [08:00:0{at % 10}] {text}\n\n" for at, text in enumerate(texts))
            files[f"memory/{day}.md"] = f"# Memory Log: {day}\n\n{log}"
        write_files(home.workspace("pet"), files)
        off = "" if before or pauses else "memory_default = false\n"

        with opened(home, settings=SPEAKS + off) as desktop:
            if before:
                shown(desktop)
            switch(desktop, pauses, on=False)
            desktop.answer("close")
            for act in acts:
                if act == "tomorrow":
                    desktop.watch.time += timedelta(days=1)
                elif act == "switch":  # on for a moment, in which it may speak
                    switch(desktop, pauses, on=True)
                    desktop.touch()
                    switch(desktop, pauses, on=False)
                    desktop.answer("close")
                elif act == "close":
                    desktop.answer(act)
                else:
                    desktop.ask(act, client=Client.PET)
                look, words = shown(desktop)
                calendar = day_shown(desktop.watch.now().date(), "en", None)
                assert look == {"holds": False, "wears": calendar.wears, "weather": "", "ways": [], "keeps": ""}
                assert "canary" not in words.casefold()


def switch(desktop: Desktop, pauses: bool, *, on: bool) -> None:
    if pauses:
        desktop.app.pause(not on)
    else:
        desktop.app.settings.change({"memory_default": on})
