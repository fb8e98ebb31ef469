"""Prompt plus changes equals the files, read as a model reads them, whatever happens to files and conversation.

Sections are taken from the request's text alone. While memory is off, no byte of either is in any request.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pet.access import ON, MemoryMode, VisibleFiles
from pet.app import Pet
from pet.i18n import Language, Texts
from pet.model import ContextPart, Present, Request
from pet.paths import find_home
from pet.prompt.context import SentFiles, changes_context
from pet.providers.base import Streamed
from pet.workspace import line_diff
from tests.prompt.test_context import HOSTILE, tags
from tests.property.memory_mode.test_memory_off import leaves
from tests.support.clocks import DayClock
from tests.support.files import write_files
from tests.support.models.scripted import ScriptedProvider, call, say

NAMES = ("USER.md", "MEMORY.md")
LIMIT = 20_000
_SECTION = re.compile(r'<pet-file name="(?P<name>[^"]+)" state="changed">\n(?P<text>.*?)\n</pet-file>', re.DOTALL)
_PLACE = re.compile(r"(?:Line |第|Línea )(?P<line>\d+)(?:行)?[:：]")
_PROMPT = '<pet-file name="{}">\n'

odd = ["- tea", "- tea ", "+ rain", "", "  ", "Line 2:", "第1行：", "- - x", "# Days", "- 我们约定了", "a\u2028b"]
plain = st.text(st.characters(exclude_characters="\n\r<＜﹤[［:：︰﹕", exclude_categories=["Cs"]), max_size=8)
lines = st.sampled_from([*odd, "x" * 130]) | plain
files = st.lists(lines, min_size=1, max_size=8).map("\n".join)


def corrected(text: str, note: str, name: str) -> str:
    """The file's text after one note, read line by line as it says."""
    read = text.split("\n")
    for section in _SECTION.finditer(note):
        at = 0
        for line in section["text"].split("\n") if section["name"] == name else ():
            if place := _PLACE.fullmatch(line):
                at = int(place["line"]) - 1
            elif line.startswith("- "):
                was = read.pop(at)
                assert line[2:] == was or (line.endswith("…") and was.startswith(line[2:-1]))
            else:
                assert line.startswith("+ ")
                read.insert(at, line[2:])
                at += 1
    return "\n".join(read)


def of(user: str, memory: str) -> VisibleFiles:
    texts = zip(NAMES, (user, memory), strict=True)
    return VisibleFiles(ON, tuple(Present(name=name, text=text, version=text) for name, text in texts))


def shown(files: VisibleFiles, name: str) -> str:
    return files.text(name).replace("\r\n", "\n").rstrip("\n")


@given(
    st.tuples(files, files),
    st.lists(st.tuples(files, files, st.integers(0, 2)), max_size=6),
    st.sampled_from(["en", "zh", "es"]),
)
def test_prompt_plus_changes_equals_the_files(
    start: tuple[str, str], edits: list[tuple[str, str, int]], language: Language
) -> None:
    """``edits``: the files at the next message, and how many of the newest turns were taken back before it."""
    sent = SentFiles(key=None, base=of(*start))
    turns: list[str] = ["turn 0"]
    for number, (user, memory, back) in enumerate(edits, 1):
        del turns[max(0, len(turns) - back) :]
        turns.append(f"turn {number}")
        now = of(user, memory)
        sent = sent.follow(now, turns, Texts(language), limit=LIMIT, diff=line_diff.changes) or SentFiles(
            key=None, base=now
        )
        assert list(sent.beside) == [turn for turn in turns if turn in sent.beside]
        for name in NAMES:
            text = shown(sent.base, name)
            for part in sent.beside.values():
                text = corrected(text, part.text, name)
            assert text == shown(now, name)
        assert (
            sent.follow(now, turns, Texts(language), limit=LIMIT, diff=line_diff.changes) == sent
        )  # the next round carries the same bytes


@given(st.lists(st.sampled_from([*HOSTILE, "tea"]), max_size=8).map("".join), files)
def test_a_changed_line_stays_in_its_section(hostile: str, before: str) -> None:
    part = changes_context(of(before, ""), of(hostile, ""), Texts("en"), line_diff.changes)
    assert part is None or (part.gated and part.kind == "file_changes" and tags(part.text) == 2)


class Reader(ScriptedProvider):
    """Keeps what each request says of the files, and whether memory was on when it left."""

    def __init__(self) -> None:
        super().__init__()
        self.mode = MemoryMode.ON
        self.kept: list[tuple[MemoryMode, Request]] = []

    def stream(self, request: Request) -> AsyncIterator[Streamed]:
        self.kept.append((self.mode, request))
        return super().stream(request)


def as_read(request: Request, name: str) -> str:
    """The file, of the prompt and the changes beside the messages."""
    prompt = "".join(block.text for block in request.system)
    start = prompt.index(_PROMPT.format(name)) + len(_PROMPT.format(name))
    text = prompt[start : prompt.index("\n</pet-file>", start)]
    for note in changes(request):
        text = corrected(text, note.text, name)
    return text


def changes(request: Request) -> list[ContextPart]:
    parts = (part for message in request.messages for part in message.parts)
    return [part for part in parts if isinstance(part, ContextPart) and part.kind == "file_changes"]


CANARY = "canary-7f3a"
FORGOTTEN = f"{CANARY} line 7."
ACTS = (
    "say",
    "pet edits",
    "owner edits",
    "owner rewrites",
    "regenerate",
    "read",
    "off",
    "on",
    "cold",
    "drop",
    "soul",
)
acts_of_a_day = st.lists(st.sampled_from([*ACTS, "forget", "say", "owner edits"]), min_size=3, max_size=10)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(acts_of_a_day)
def test_each_request_tells_the_files_as_they_are_or_nothing(acts: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        provider, clock = Reader(), DayClock()
        app = Pet(find_home(Path(folder)), environ={}, clock=clock, provider=provider, channel="terminal")
        root = app.store.root
        written = "".join(f"- {CANARY} line {number}.\n" for number in range(40))
        write_files(root, dict.fromkeys(NAMES, f"# Notes\n\n{written}"))
        chat = app.conversations.create(memory=True)
        forgotten = False
        try:
            for number, act in enumerate([*acts, "say"]):
                name = NAMES[number % 2]
                text = (root / name).read_text(encoding="utf-8")
                match act:
                    case "read" | "off" | "on":
                        provider.mode = MemoryMode(act)
                        chat.set_memory(provider.mode)
                    case "cold":
                        clock.later(minutes=6)
                    case "drop":
                        chat.record.drop_earlier()
                    case "soul":
                        (root / "SOUL.md").write_text(f"I am number {number}.\n", encoding="utf-8")
                    case "owner edits":
                        place = text.index("\n", number * 60 % len(text)) + 1
                        (root / name).write_text(f"{text[:place]}- {CANARY} new {number}\n{text[place:]}", "utf-8")
                    case "owner rewrites":
                        (root / name).write_text("".join(f"- {CANARY} {number} {n}\n" for n in range(50)), "utf-8")
                    case "forget" if FORGOTTEN in text:
                        forgotten = True
                        app.forgetting.forget(app.forgetting.find(FORGOTTEN))
                    case _:
                        said(provider, act, text, name, number)
                        turns = chat.folded().turns
                        before = len(provider.kept)
                        files = {each: (root / each).read_text(encoding="utf-8").rstrip("\n") for each in NAMES}
                        if act == "regenerate" and turns:
                            chat.resend(turns[-1].id, None)
                        else:
                            chat.send("hello")
                        chat.wait(60)
                        for _, request in provider.kept[before:]:
                            check(provider.mode, request, files, forgotten=forgotten)
        finally:
            app.close()


def said(provider: Reader, act: str, text: str, name: str, number: int) -> None:
    if act == "pet edits" and provider.mode is MemoryMode.ON:
        line = text.rstrip("\n").rpartition("\n")[2]
        provider.queue(call("edit", {"path": name, "old_text": line, "new_text": f"{line} and {number}"}))
    provider.queue(say("spoken words"))


def check(mode: MemoryMode, request: Request, files: dict[str, str], *, forgotten: bool) -> None:
    if mode is MemoryMode.OFF:
        assert CANARY not in leaves(request) and not changes(request)
    else:
        assert {name: as_read(request, name) for name in NAMES} == files
        assert FORGOTTEN not in leaves(request) or not forgotten
