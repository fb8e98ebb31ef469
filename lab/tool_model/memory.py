"""A real model notes something and recalls it days later, in Chinese and in English.

By hand, with the model that ``lab.tool_model.model fetch`` keeps in ``TOOL_MODEL_FOLDER``:

    python -m lab.tool_model.memory

Each line is a new conversation in a new core, on its own day: only files are carried over, and the days between are
filled with other notes. Exits 1 if something was not noted or recalled, or if a byte of it was sent with memory off.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from pathlib import Path

from lab.tool_model.model import tool_model
from lab.tool_model.spoken import spoken
from pet.app import Pet
from pet.memory.store.daily_log import append_entry, render_entry
from pet.model import MISSING, Author, Present
from pet.paths import Home, find_home
from pet.transcripts.conversation import Turn
from pet.workspace.file_names import log_name
from tests.support.models.local_model import LocalModel
from tests.support.servers.recorder import Recorder

FIRST = datetime.fromisoformat("2026-11-02T09:00:00+08:00")
TODAY = datetime.fromisoformat("2026-11-21T20:15:00+08:00")
SECRETS = ("栀子花", "3月12", "rack 7", "library")


@dataclass
class Day:
    """A clock with a fixed ``now``; ``monotonic`` runs, for time limits."""

    moment: datetime

    def now(self) -> datetime:
        return self.moment

    def monotonic(self) -> float:
        import time as real

        return real.monotonic()


def main() -> int:
    with tool_model() as model, Recorder(model.url) as recorder, tempfile.TemporaryDirectory() as folder:
        home = find_home(Path(folder))
        with the_pet(home, model, recorder, FIRST) as app:
            noted = [talk(app, "请记到今天的日志里：我妹妹小雨的生日是3月12日，她最喜欢的花是栀子花。")]
        with the_pet(home, model, recorder, FIRST + timedelta(days=2)) as app:
            noted.append(
                talk(
                    app,
                    "Write this into today's log with memory_write: "
                    "I keep my bicycle in the cellar of the library, at rack 7.",
                )
            )
        with the_pet(home, model, recorder, TODAY) as app:
            fill(app)
            chinese = talk(app, "小雨最喜欢什么花？")
            english = talk(app, "Where do I keep my bicycle?")
        with the_pet(home, model, recorder, TODAY) as app:
            sent = len(recorder.bodies)
            talk(app, "小雨最喜欢什么花？", memory=False)
            talk(app, "Where do I keep my bicycle?", memory=False)
            leaked = [word for word in SECRETS for body in recorder.bodies[sent:] if word in body]
        for file in sorted((home.workspace("pet") / "memory").glob("2026-11-0[24].md")):
            print(f"\n--- {file.name}\n{file.read_text(encoding='utf-8')}")
    found = "栀子花" in said(chinese), "rack 7" in said(english) or "library" in said(english)
    written = all(any(done.tool == "memory_write" for done in turn.tools) for turn in noted)
    print("\nnoted by the pet itself:", written)
    print("found again (Chinese, English):", found, " sent with the brain off:", leaked or "nothing")
    return 0 if written and all(found) and not leaked else 1


@contextmanager
def the_pet(home: Home, model: LocalModel, recorder: Recorder, moment: datetime) -> Iterator[Pet]:
    environ = {"ANTHROPIC_BASE_URL": recorder.url, "ANTHROPIC_API_KEY": model.key, "PET_MODEL": "local"}
    app = Pet(home, environ=environ, channel="terminal", clock=Day(moment))
    try:
        print(f"\n===== {moment:%A, %Y-%m-%d %H:%M}")
        yield app
    finally:
        app.close()


def talk(app: Pet, text: str, *, memory: bool = True) -> Turn:
    turn = spoken(app, text, memory=memory)
    for used in turn.used:
        print(f"  (recalled {used.path}:{used.start_line})")
    return turn


def said(turn: Turn) -> str:
    return "\n".join(round_.text for round_ in turn.rounds)


def fill(app: Pet) -> None:
    """Write other notes in both languages for the days between."""
    chance = random.Random(7)
    things = (
        "The owner baked bread with {} today.",
        "主人今天下午去了{}，走了很久。",
        "A long call about the {} project.",
        "晚饭吃的是{}，主人说很好吃。",
    )
    words = ("rye", "公园", "harbour", "番茄面", "garden", "图书展", "telescope", "豆腐汤", "piano", "海边")
    for days in range(1, 19):
        day = (FIRST + timedelta(days=days)).date()
        for hour in range(9, 21, 3):
            entry = render_entry(chance.choice(things).format(chance.choice(words)), at=time(hour, 5))
            name = log_name(day)
            state = app.store.read(name)
            text = state.text if isinstance(state, Present) else ""
            base = state.version if isinstance(state, Present) else MISSING
            app.store.write(name, append_entry(text, entry, day), base=base, author=Author.SYSTEM)
    app.index.get().refresh()  # a running pet's upkeep would have done this


if __name__ == "__main__":
    sys.exit(main())
