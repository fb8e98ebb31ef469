"""A pet's core in a process of its own that does what each line of its input orders, with the installed embedders."""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path

from pet.app import Pet
from pet.events import ChatShown
from pet.paths import find_home
from tests.support.models.scripted import ScriptedProvider, say
from tests.support.waiting import wait_for

QUESTION = "What is the boat called?"


class Clock:
    hours = 0.0

    def now(self) -> datetime:
        return datetime.fromisoformat("2026-11-21T12:00:00+01:00")

    def monotonic(self) -> float:
        return 3600 * self.hours


def main(home: Path) -> None:
    clock = Clock()
    script = [say("ok")] * 9
    app = Pet(find_home(home), environ={}, clock=clock, provider=ScriptedProvider(*script), recall_seconds=30)
    index = app.index
    app.maintain_index(0.0)
    upkeep = wait_for("the index's thread", lambda: index._upkeep)
    upkeep.wait_until_idle(60)
    print("ready", flush=True)
    for line in sys.stdin:
        match line.split():
            case ["search"]:
                index.get().search(QUESTION)
            case ["recall"]:
                index.get().recall(30, QUESTION)
            case ["chat"]:
                app.emitter.emit(ChatShown(shown=True))
                wait_for("a warm index", index._warm.is_set)
            case ["message"]:
                chat = app.conversations.create(memory=True)
                chat.send(QUESTION)
                chat.wait(60)
            case ["pass", hours]:
                clock.hours += float(hours)
                index.rest()
        upkeep.wait_until_idle(60)
        print("done", flush=True)
    app.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
