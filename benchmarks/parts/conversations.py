"""Long and many conversations: one of 10,000 messages opened from the history, a list of 2,000, the owner's search.

The first is measured in the real window, from the click in the history until the newest reply has been painted,
against a conversation of twenty messages in the same run. ``cold``: nothing of it was read since the start.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from benchmarks.instruments.figures import Figure, median
from benchmarks.instruments.processes import cpu_ms, cpu_percent
from benchmarks.instruments.screen import Screen
from pet.app import Pet
from pet.clock import SystemClock
from pet.ids import new_id
from pet.model import ContextPart, StopReason, TextPart, TurnEnd, Usage, UsedMemory
from pet.paths import find_home
from pet.transcripts.entries import (
    ContextFound,
    Header,
    MemorySet,
    RoundCompleted,
    TranscriptEntry,
    TurnFinished,
    UserMessage,
)
from pet.transcripts.entry_codec import encode_entry
from pet.transcripts.fold import fold
from pet.transcripts.search import search_transcripts
from pet.transcripts.store import TranscriptStore
from tests.support.desktop.xvfb import Desktop, open_desktop, start_pet, wait_for

_LONG = 5_000  # turns: two messages each
_SHORT = 10
_MANY = 2_000
_STARTS = 5
_AT_REST = 10.0  # % of a core: the chat has been opened, and what it gets ready then is ready

# From the click on the row until a frame with the newest reply has been handed to the screen.
_OPEN = """([title, reply]) => new Promise((done) => {
  const said = (within, words) => [...document.querySelectorAll(within)].find((e) => e.textContent.includes(words));
  const row = said(".history li button", title);
  const began = performance.now();
  const took = () => done(performance.now() - began);
  const look = () => said(".pet-reply .bubble", reply)
    ? requestAnimationFrame(() => requestAnimationFrame(took)) : requestAnimationFrame(look);
  row.click();
  look();
})"""
_ROW = """(title) => [...document.querySelectorAll(".history li button")]
  .some((each) => each.textContent.includes(title))"""


@dataclass(frozen=True, slots=True)
class _Told:
    """A conversation made up for measuring: by what its row is found, and what its newest reply begins with."""

    title: str
    reply: str


def measure(folder: Path, *, say: Callable[[str], None]) -> list[Figure]:
    say("conversations on disk")
    figures = _core(folder / "core")
    say("a long conversation in the window")
    with open_desktop() as desktop:
        screen = Screen(desktop.display)
        figures += _window(desktop, screen, folder / "long")
        screen.close()
    return figures


# --- what the core does, in processor time --------------------------------------------------------


def _core(folder: Path) -> list[Figure]:
    long, many = folder / "long", folder / "many"
    write(long, "Long", _LONG)
    for number in range(_MANY):
        write(many, f"Talk {number}", _SHORT)
    parsed = median(_milliseconds(lambda: _parse(long)) for _ in range(5))
    read = median(_milliseconds(lambda: _bytes(many)) for _ in range(5))
    lists = [TranscriptStore(many, "m", SystemClock()) for _ in range(3)]
    return [
        _figure("10,000 messages read and folded", lambda: _open(long), parsed, "parsing its JSON alone"),
        Figure(
            name=f"list of {_MANY} conversations, the first time",
            value=median(_milliseconds(store.list) for store in lists),
            unit="ms CPU",
            baseline=read,
            baseline_name="reading the files",
        ),
        _figure("... when nothing is new", lists[0].list, read, "reading the files"),
        _figure("history search, a word that is nowhere", lambda: _find(many, "松茸"), read, "reading the files"),
        _figure("history search, words said in each", lambda: _find(many, "message 7"), read, "reading the files"),
    ]


def _figure(name: str, work: Callable[[], object], baseline: float, baseline_name: str) -> Figure:
    spent = median(_milliseconds(work) for _ in range(5))
    return Figure(name=name, value=spent, unit="ms CPU", baseline=baseline, baseline_name=baseline_name)


def _milliseconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return 1000 * (time.process_time() - started)


def _open(folder: Path) -> object:
    store = TranscriptStore(folder, "m", SystemClock())
    return fold(store.open(store.files()[0][0]).entries)


def _parse(folder: Path) -> int:
    return sum(len(json.loads(line)) for file in folder.iterdir() for line in file.read_bytes().splitlines())


def _bytes(folder: Path) -> int:
    return sum(len(file.read_bytes()) for file in folder.iterdir())


def _find(folder: Path, words: str) -> object:
    return search_transcripts(TranscriptStore(folder, "m", SystemClock()).files(), words, 50)


# --- what the owner sees --------------------------------------------------------------------------


def _window(desktop: Desktop, screen: Screen, home: Path) -> list[Figure]:
    app = Pet(find_home(home), environ={})  # makes the pet
    app.pause(True)  # or the search index of these conversations would be built meanwhile, which happens once
    app.close()
    conversations = next((home / "data" / "pets").iterdir()) / "conversations"
    long, short = write(conversations, "Long", _LONG), write(conversations, "Short", _SHORT)
    cold: list[float] = []
    few: list[float] = []
    warm: list[float] = []
    cold_cpu: list[float] = []
    few_cpu: list[float] = []
    for number in range(_STARTS):
        find_home(home).tabs_file.unlink(missing_ok=True)  # else a tab may come back, and nothing is cold
        with sync_playwright() as playwright, start_pet(desktop, home) as pet:
            box = desktop.box(pet.window("Soulpet"))
            page = pet.page(pet.attach(playwright), "chat.html")
            page.wait_for_selector(".composer textarea", state="attached")
            screen.double_click(*box.centre)
            page.wait_for_selector(".composer textarea")
            wait_for("rest", lambda: cpu_percent(pet.pid, 0.5) < _AT_REST)
            for told in (long, short) if number % 2 else (short, long):
                before = cpu_ms(pet.pid)
                (cold if told is long else few).append(_opened(page, told))
                (cold_cpu if told is long else few_cpu).append(cpu_ms(pet.pid) - before)
            warm.append(_opened(page, long))
    return [
        Figure(
            name=name,
            value=median(times),
            unit="ms",
            reach="300 ms",
            baseline=median(few),
            baseline_name="20 messages",
        )
        for name, times in (
            ("10,000 messages: click to painted, cold", cold),
            ("... the fastest of them", [min(cold)]),
            ("... opened before", warm),
        )
    ] + [
        Figure(
            name="... processor time of all it starts, list and closing included",
            value=median(cold_cpu),
            unit="ms CPU",
            baseline=median(few_cpu),
            baseline_name="20 messages",
        )
    ]


def _opened(page: Page, told: _Told) -> float:
    page.keyboard.press("Control+h")
    wait_for("the row", lambda: page.evaluate(_ROW, told.title))
    took = float(page.evaluate(_OPEN, [told.title, told.reply]))
    page.keyboard.press("Control+w")  # the next opening is one, and the next start brings no tab back
    page.wait_for_function("() => !document.querySelector('.pet-reply')")
    return took


# --- what is read -----------------------------------------------------------------------------------


def write(folder: Path, title: str, turns: int) -> _Told:
    """A conversation as the engine would have written it: words of both, times, recalled entries, usage."""
    chance = random.Random(f"{title} {turns}")
    conversation, now = new_id(), datetime(2026, 1, 1, 8, tzinfo=UTC)
    lines: list[TranscriptEntry] = []

    def at() -> str:
        nonlocal now
        now += timedelta(seconds=20)
        return now.isoformat()

    lines.append(Header(id=new_id(), at=at(), conversation=conversation, machine="m"))
    lines.append(MemorySet(id=new_id(), at=at(), memory=True))
    for number in range(turns):
        lines += _turn(title, number, at, chance)
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{encode_entry(line)}\n" for line in lines)
    (folder / f"{conversation}.jsonl").write_text(text, encoding="utf-8")
    return _Told(title, f"reply {turns - 1} ")


def _turn(title: str, number: int, at: Callable[[], str], chance: random.Random) -> list[TranscriptEntry]:
    turn = new_id()
    now = ContextPart(kind="time", text="Saturday, 2026-11-21 10:00", gated=False)
    asked = f"{title}: message {number} " + "about this and that " * chance.randint(1, 12)
    reply = f"reply {number} " + "and the pet says **much** of it " * chance.randint(4, 30)
    found: list[TranscriptEntry] = []
    if number % 3 == 0:
        part = ContextPart(kind="recall", text="- [2026-01-01] something remembered " * 3, gated=True)
        used = UsedMemory(path="MEMORY.md", start_line=1, end_line=3, source="memory", snippet="something remembered")
        found.append(ContextFound(id=new_id(), at=at(), turn=turn, context=(part,), used=(used,)))
    return [
        UserMessage(id=new_id(), at=at(), turn=turn, text=asked, memory=True, context=(now,)),
        *found,
        RoundCompleted(
            id=new_id(),
            at=at(),
            turn=turn,
            round=1,
            parts=(TextPart(text=reply),),
            stop=StopReason.END_TURN,
            usage=Usage(input_tokens=5000, output_tokens=200),
            model="a-model",
        ),
        TurnFinished(id=new_id(), at=at(), turn=turn, end=TurnEnd.DONE, error=None, round=1, cut_text=""),
    ]
