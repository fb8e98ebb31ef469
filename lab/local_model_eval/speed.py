"""Seconds to first words and memory in bytes of a small model: ``python -m lab.local_model_eval.speed MODEL``.

The whole program without windows, each time in a home of its own: cold (a message before anything is loaded), after
the chat has opened, again in the same conversation, and after a restart with the saved state.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import threading
import time
from pathlib import Path

from pet.app import Pet
from pet.events import ChatShown, Event, TextDelta, TurnEnded
from pet.extras.local_models.runtime import own_models
from pet.paths import find_home

FIRST, SECOND = "I play the violin.", "What do you like about rain?"
THIRD, FOURTH = "My sister Ida is a vet.", "We have two rabbits in the garden."
_QUIET = 0.5  # seconds without a request


class Talk:
    """A started program, and when what it says first arrived."""

    def __init__(self, folder: Path, model: Path) -> None:
        home = find_home(folder)
        self.app: Pet = Pet(home, environ={})
        self.app.settings.change({"mind": f"file:{model}", "language": "en"})
        self._heard: list[tuple[float, Event]] = []
        self._told = threading.Condition()
        self._first_computed: float | None = None
        self.app.emitter.subscribe(self._on_event, name="test")
        self.chat = self.app.conversations.create(memory=True)
        self.app.unread.set_in_front(self.chat.id)

    def open(self, states: Path) -> float:
        """The chat opens: until the instructions are computed and saved, or read from the saved state."""
        began, saved = time.monotonic(), any(states.glob("*.kv"))
        self.app.emitter.emit(ChatShown(shown=True))
        while not saved and len([*states.glob("*.kv")]) < 2:
            time.sleep(0.05)
        self.rest()
        return time.monotonic() - began

    def rest(self) -> float:
        """What it reads ahead while the owner reads and writes; its seconds."""
        began, quiet_since = time.monotonic(), time.monotonic()
        while time.monotonic() - quiet_since < _QUIET:
            time.sleep(0.02)
            if own_models(self.app).supervisor.state.phase != "ready" or own_models(self.app).supervisor.in_use:
                quiet_since = time.monotonic()
        return quiet_since - began

    def say(self, text: str) -> dict[str, float]:
        """Seconds to the first words, how long the model's process computed until then, and seconds to the end. On a
        machine that does other things as well, only the second is a measure: it is what a quiet one would take."""
        began, computed = time.monotonic(), self._computed()
        self._heard.clear()
        self._first_computed = None
        self.chat.send(text)
        with self._told:
            self._told.wait_for(lambda: any(isinstance(each, TurnEnded) for _at, each in self._heard), 900)
        first = next((at for at, each in self._heard if isinstance(each, TextDelta)), float("nan"))
        return {
            "first words": round(first - began, 2),
            "computed": round((self._first_computed or computed) - computed, 2),
            "end": round(self._heard[-1][0] - began, 2),
        }

    def _computed(self) -> float:
        """Processor seconds of the model's process so far; 0 where there is none."""
        pid = own_models(self.app).supervisor.pid
        if pid is None:
            return 0.0
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> dict[str, float]:
        """Of the model's process, in GB: all that is resident, and what is its own."""
        pid = own_models(self.app).supervisor.pid
        text = Path(f"/proc/{pid}/smaps_rollup").read_text() if pid else ""
        found = {line.split(":")[0]: int(line.split()[1]) for line in text.splitlines() if line.endswith("kB")}
        return {name: round(found.get(name, 0) / 1e6, 2) for name in ("Rss", "Anonymous")}

    def close(self) -> None:
        self.app.close()

    def _on_event(self, event: Event) -> None:
        if isinstance(event, TextDelta) and self._first_computed is None:
            self._first_computed = self._computed()
        with self._told:
            self._heard.append((time.monotonic(), event))
            self._told.notify_all()


def measure(model: Path, folder: Path) -> dict[str, object]:
    found: dict[str, object] = {"load": os.getloadavg()[0]}
    talk = Talk(folder / "cold", model)
    found["cold"] = talk.say(FIRST)
    talk.close()
    states = find_home(folder / "warm").local_model_state
    talk = Talk(folder / "warm", model)
    found["chat opens, first time"] = talk.open(states)
    found["chat was opened"] = talk.say(FIRST)
    found["read ahead"] = talk.rest()
    found["again"] = talk.say(SECOND)
    talk.rest()
    found["and again"] = talk.say(THIRD)
    talk.rest()
    found["memory, talking"] = talk.memory()
    talk.close()
    talk = Talk(folder / "warm", model)
    found["chat opens, after a restart"] = talk.open(states)
    found["after a restart"] = talk.say(FOURTH)
    talk.close()
    found["load at the end"] = os.getloadavg()[0]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(measure(parser.parse_args().model.resolve(), Path(folder)), indent=1))


if __name__ == "__main__":
    main()
