"""The promise: damage never opens, at every byte of the files that say what may be seen and written.

Each bit flips, each beginning is all that is left, runs of bytes and of lines go, and what has a meaning in the
format comes in at each place: no more may be seen or written afterwards than before, twice, as a start writes. Here a
few of the cases; with ``--nightly`` one in 3 of state, settings and agents, and one in 29 of a conversation.
``test_damage`` does the same to a whole pet.

Runs from the middle of a conversation's line to that of a later one are drawn apart, since they make one line of two.
Two lines that an earlier version wrote, without a mark, are not told apart then: that opens no position, but may open
a text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations, islice
from pathlib import Path
from random import Random

import pytest

from pet.access import OFF, ON, READ, Access, MemoryMode
from pet.errors import TranscriptBroken
from pet.extras.agents.access import AgentMode
from pet.extras.agents.book import AgentBook, label_of
from pet.ids import new_id
from pet.memory.search.transcript_index import extract_utterances, read_lines
from pet.model import Attachment, ContextPart, OpaquePart, TurnEnd
from pet.settings.pet_settings import own_settings
from pet.settings.program_state import ClosedValues, JsonState, PauseRecord
from pet.settings.schema import CLOSED, values_of
from pet.settings.store import SettingsStore
from pet.transcripts.closings import lost_closings
from pet.transcripts.entries import (
    Header,
    MemorySet,
    SwitchSet,
    TranscriptEntry,
    TurnsRemovedSet,
    UserMessage,
)
from pet.transcripts.entry_codec import decode_entry
from pet.transcripts.fold import fold, switches_of
from pet.transcripts.request_messages import to_messages
from pet.transcripts.transcript import Transcript, entry_line
from tests.transcripts.entry_builder import EntryBuilder, call, unmarked

Rights = dict[str, int | frozenset[str]]
INSERTED = (b"\n", b'"', b"}", b"{", b",", b"\0", b"\xff", b"\\", b"1", b" ", b"x", b"#", b"[x]\n", b"= ", b"true")
RUNS = (1, 2, 3, 5, 8, 13, 21, 34, 55, 89)


def damaged(data: bytes, places: Iterable[int]) -> Iterator[bytes]:
    """Yield the file's bytes after each damage at these places, and as a whole."""
    yield from (b"", b"[]", b"null", b"{}", b"\0" * 64, b"garbage")
    for at in places:
        for bit in range(8):
            yield data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]
        yield data[:at]
        for length in RUNS:
            yield data[:at] + data[at + length :]
        for new in INSERTED:
            yield data[:at] + new + data[at:]
    starts = [0, *(at + 1 for at, byte in enumerate(data) if byte == 10)]
    for number, start in enumerate(starts):
        for end in starts[number + 1 :]:
            yield data[:start] + data[end:]


def opened(now: Rights, before: Rights) -> list[str]:
    """Return what is open now and was not."""
    # Both are numbers, or both are sets, whose order is the subset.
    return [name for name, value in now.items() if not value <= before[name]]  # type: ignore[operator]


def attack(
    file: Path, others: Mapping[Path, bytes], rights: Callable[[], Rights], one_in: int, part: bytes = b""
) -> int:
    """Damage the file, or a part of it, in every way and return the number of cases. ``others``: files as they are
    before each."""
    data, before = file.read_bytes(), rights()
    assert rights() == before
    start = data.index(part)
    places = range(start, start + len(part)) if part else range(len(data))
    count = 0
    for case in islice(damaged(data, places), 0, None, one_in):
        for other, content in others.items():
            other.write_bytes(content)
        file.write_bytes(case)
        count += 1
        for _ in range(2):
            assert not (wrong := opened(rights(), before)), (wrong, case)
    print(f"{file.name}: {count} cases, 0 open")
    return count


@pytest.fixture
def one_in(request: pytest.FixtureRequest) -> int:
    return 29 if request.config.getoption("--nightly") else 997


# --- state and settings -----------------------------------------------------------------------------

SETTINGS = """# mine
memory_default = false
ask_memory = "off"
notes_when_asked = true
notes_at_rest = false
recall = false
upkeep = false
"""
READ_ONLY = 'memory_default = false\nmemory_read_only = true\ntheme = "dark"\n'


@pytest.mark.parametrize("target", ["state.json", "settings.toml", "pet/pet.toml"])
@pytest.mark.parametrize("written", [SETTINGS, READ_ONLY])
def test_no_damage_to_state_or_settings_opens_anything(
    tmp_path: Path, target: str, written: str, one_in: int
) -> None:
    (tmp_path / "pet").mkdir()
    (tmp_path / "settings.toml").write_text(written)
    (tmp_path / "pet/pet.toml").write_text('name = "Sol"\nmemory = false\n')
    state = JsonState(tmp_path / "state.json")
    state.update({"pet": "pet", "tabs": ["01", "02"], "window": {"x": 1}})
    pause = PauseRecord(state, tmp_path / "pause", "pet")
    pause.start()

    def rights() -> Rights:
        here = JsonState(tmp_path / "state.json")
        store = SettingsStore(tmp_path / "settings.toml", {}, lambda: None, ClosedValues(here))
        values, own = values_of(store.current()), own_settings(tmp_path / "pet", "pet", here)
        closed: Rights = {
            name: int(values[name] != value) for name, value in CLOSED.items() if name != "memory_read_only"
        }
        return closed | {
            "unpaused": int(not PauseRecord(here, tmp_path / "pause", "pet").read()[0]),
            "default": store.current().default_memory_mode.rank,
            "own": int(own.memory is not False),
        }

    rights()
    names = ("state.json", "settings.toml", "pet/pet.toml", "pause")
    others = {tmp_path / name: (tmp_path / name).read_bytes() for name in names if name != target}
    assert attack(tmp_path / target, others, rights, max(1, one_in // 8)) > 5_000 // one_in


# --- a conversation ---------------------------------------------------------------------------------

MODES: dict[MemoryMode, Access] = {MemoryMode.ON: ON, MemoryMode.READ_ONLY: READ, MemoryMode.OFF: OFF}
PIECES = (
    *("p1on", "p2recall", "p3think", "p4reply", "p5argument", "p6result", "p7reply", "q1off", "q2off", "r1gone"),
    *(
        "r2gone",
        "s1read",
        "s2read",
        "v1on",
        "v2on",
        "v3off",
        "w1on",
        "w2off",
        "x1memory",
        "y1on",
        "y2on",
        "zeta1",
        "zeta2",
    ),
)


def conversation(last: MemoryMode) -> tuple[str, list[TranscriptEntry]]:
    """A conversation through every position, with removed turns, web pages on and off, and memory off in turns."""
    made = EntryBuilder()
    entry, id_ = made._new, new_id()
    turns = dict(zip("pqrsvwxyz", (new_id() for _ in range(9)), strict=True))
    made._add(Header(**entry(), conversation=id_, machine="abcd1234"))
    made.memory(True)
    recall = ContextPart(kind="recall", text="p2recall", gated=True)
    made.user(turns["p"], "p1on", context=(ContextPart(kind="time", text="Monday", gated=False), recall))
    thought = OpaquePart(raw={"type": "thinking", "thinking": "p3think"})
    made.round(turns["p"], 1, thought, "p4reply", call("c1", '{"path":"p5argument"}'))
    made.tool(turns["p"], 1, "c1", "p6result")
    made.round(turns["p"], 2, "p7reply")
    made.closed(turns["p"], round_=2)
    made._add(SwitchSet(**entry(), name="web_pages", on=True))
    made._add(SwitchSet(**entry(), name="own_tools", on=True))
    made.memory(False)
    made.said(turns["q"], "q1off", "q2off", memory=False)
    made.memory(True)
    made.said(turns["r"], "r1gone", "r2gone")
    made._add(TurnsRemovedSet(**entry(), turns=(turns["r"],), removed=True))
    made._add(MemorySet(**entry(), memory=False, read_only=True))
    made.user(turns["s"], "s1read", memory=False, read_only=True)
    made.entries[-1] = replace(made.round(turns["s"], 1, "s2read"), read_only=True)
    made.closed(turns["s"])
    made.memory(True)
    made.user(turns["v"], "v1on")
    made.partial(turns["v"], 1, "v2on")
    made.entries[-1] = replace(made.partial(turns["v"], 1, "v2on v3off"), off=True)
    made.entries[-1] = replace(made.closed(turns["v"], TurnEnd.MEMORY_OFF, cut="v2on v3off"), off=True)
    made.user(turns["w"], "w1on")
    made.entries[-1] = replace(made.round(turns["w"], 1, "w2off"), off=True)
    made.closed(turns["w"])
    file = Attachment(id="a" * 64, kind="text/plain", name="x1memory", width=0, height=0, bytes=8)
    made.user(turns["x"], "hm", attachments=(file,), memory_files=(file.id,))
    made._add(SwitchSet(**entry(), name="web_pages", on=False))
    made._add(SwitchSet(**entry(), name="own_tools", on=False))
    made.said(turns["y"], "y1on", "y2on")
    if last is not MemoryMode.ON:
        made._add(MemorySet.of(last, made.clock.now().isoformat()))
    made.said(turns["z"], "zeta1", "zeta2", memory=last is MemoryMode.ON, read_only=last is MemoryMode.READ_ONLY)
    return id_, made.entries


def pieces(text: object) -> frozenset[str]:
    return frozenset(piece for piece in PIECES if piece in str(text))


def seen(folder: Path, id_: str, known: dict[int, TranscriptEntry]) -> Rights:
    """What a model, the search and the owner see of the conversation, with memory as it is and as it could be set."""
    header = Header(id="h", at="2026-01-01T00:00:00Z", conversation=id_, machine="abcd1234")
    try:
        entries = Transcript(folder, header, known=known).entries
    except TranscriptBroken:
        return {}
    talk = fold(entries)
    found: Rights = {
        "mode": MemoryMode.of(talk.memory, read_only=talk.read_only).rank,
        "switches": switches_of(entries) & {"web_pages", "own_tools"},
        "shown": pieces([(turn.text, *(round_.parts for round_ in turn.rounds)) for turn in talk.turns]),
        "attached": frozenset(
            each.name for turn in talk.turns for each in turn.attachments if each.id not in turn.memory_files
        ),
    }
    found |= {f"sent {mode}": pieces(to_messages(talk, access, "masked")) for mode, access in MODES.items()}
    file = folder / f"{id_}.jsonl"
    numbered = read_lines(file.read_bytes().split(b"\n")[:-1], 1)
    lost = lost_closings(file, [entry for _, entry in numbered])
    numbered += [(1, each) for each in lost if isinstance(each, TurnsRemovedSet)]
    return found | {"searched": pieces(extract_utterances({"x": numbered})["x"])}


@pytest.mark.parametrize("target", ["jsonl", "jsonl.switch"])
@pytest.mark.parametrize("last", MemoryMode)
def test_no_damage_to_a_conversation_opens_anything(
    tmp_path: Path, target: str, last: MemoryMode, one_in: int
) -> None:
    folder = tmp_path / "pet/conversations"
    folder.mkdir(parents=True)
    id_, entries = conversation(last)
    file = folder / f"{id_}.jsonl"
    file.write_bytes(b"".join(map(entry_line, entries)))
    known: dict[int, TranscriptEntry] = {}
    seen(folder, id_, known)
    switch = folder / f"{id_}.jsonl.switch"
    known |= {hash(line): decode_entry(line.decode()) for line in file.read_bytes().splitlines()}
    target_file = folder / f"{id_}.{target}"
    others = {each: each.read_bytes() for each in (file, switch) if each != target_file}

    def rights() -> Rights:
        return seen(folder, id_, known)

    assert attack(target_file, others, rights, one_in) > 4_000 // one_in
    if target == "jsonl":
        name = next(each for each in entries if isinstance(each, TurnsRemovedSet)).turns[0]
        for each, content in {**others, file: b"".join(map(entry_line, entries))}.items():
            each.write_bytes(content)
        message = f'"turn":"{name}","text"'.encode()  # its own name, by which it is removed
        assert attack(file, others, rights, max(1, one_in // 12), message) > 1_000 // one_in


def cuts_across(lines: list[bytes], count: int) -> Iterator[tuple[bytes, bool]]:
    """Yield the file's bytes without a run from the middle of one line to that of a later one, and whether what is
    left of both is one line that can be read. Half of the places are at a quote, and some in the kind."""
    random = Random(45)

    def place(line: bytes) -> int:
        quotes = [at + after for at, byte in enumerate(line) if byte == ord('"') for after in (0, 1)]
        return random.choice((random.choice(quotes), random.randrange(1, len(line)), random.randrange(1, 60)))

    for _ in range(count):
        head, tail = sorted(random.sample(range(len(lines)), 2))
        one = lines[head][: place(lines[head])] + lines[tail][place(lines[tail]) :]
        try:
            decode_entry(one.decode().removesuffix("\n"))
        except ValueError:
            yield b"".join((*lines[:head], one, *lines[tail + 1 :])), False
        else:
            yield b"".join((*lines[:head], one, *lines[tail + 1 :])), True


@pytest.mark.parametrize("last", MemoryMode)
def test_no_cut_from_one_line_to_a_later_one_opens_anything(tmp_path: Path, last: MemoryMode, one_in: int) -> None:
    folder = tmp_path / "conversations"
    folder.mkdir()
    id_, entries = conversation(last)
    file, switch = folder / f"{id_}.jsonl", folder / f"{id_}.jsonl.switch"
    file.write_bytes(b"".join(map(entry_line, entries)))
    before = seen(folder, id_, {})
    recorded = switch.read_bytes()
    valid = invalid = 0
    for data, is_line in cuts_across(list(map(entry_line, entries)), 600_000 // one_in):
        valid, invalid = valid + is_line, invalid + (not is_line)
        if not is_line and invalid % 20:
            continue  # unreadable lines are all alike
        file.write_bytes(data)
        switch.write_bytes(recorded)
        for _ in range(2):
            assert not (wrong := opened(seen(folder, id_, {}), before)), (wrong, data)
    print(f"cuts from one line to a later one: {valid + invalid}, {valid} leave a line, 0 open")
    assert valid > 2_000 // one_in


@pytest.mark.parametrize("marked", [True, False])
def test_two_messages_that_become_one_open_nothing(tmp_path: Path, marked: bool) -> None:
    folder = tmp_path / "conversations"
    folder.mkdir()
    id_, entries = conversation(MemoryMode.OFF)
    file, switch = folder / f"{id_}.jsonl", folder / f"{id_}.jsonl.switch"
    lines = [entry_line(each) if marked else unmarked(entry_line(each)) for each in entries]
    file.write_bytes(b"".join(lines))
    before = seen(folder, id_, {})
    recorded = switch.read_bytes()
    messages = [at for at, each in enumerate(entries) if isinstance(each, UserMessage)]
    opens = 0
    for head, tail in combinations(messages, 2):
        begin, rest = (lines[at].partition(entries[at].text.encode()) for at in (head, tail))  # type: ignore[attr-defined]
        one = begin[0] + begin[1] + rest[2]
        file.write_bytes(b"".join((*lines[:head], one, *lines[tail + 1 :])))
        switch.write_bytes(recorded)
        wrong = opened(seen(folder, id_, {}), before)
        assert not {"mode", "switches", f"sent {MemoryMode.OFF}"}.intersection(wrong), (head, tail)
        assert not (marked and wrong), (head, tail)
        opens += bool(wrong)
    print(f"two messages in one line: {opens} of {len(messages) * (len(messages) - 1) // 2} open a text")


# --- other agents -----------------------------------------------------------------------------------


def test_no_damage_to_the_positions_of_agents_opens_anything(tmp_path: Path, one_in: int) -> None:
    (tmp_path / "pet").mkdir()

    def book() -> AgentBook:
        return AgentBook(root=tmp_path / "pet", locks=tmp_path / "locks", machine="abcd1234")

    labels = [label_of(name, f"/src/{name[:2]}") for name in ("claude-code", "codex-mcp-client", "cursor-vscode")]
    written = book()
    written.set_mode(labels[0], AgentMode.OFF, never=True)
    written.set_mode(labels[1], AgentMode.WRITE)
    written.set_grant(labels[1], "conversations", True)
    written.set_mode(labels[2], AgentMode.READ_ONLY)

    def rights() -> Rights:
        found: Rights = {}
        for label in labels:
            found[f"{label.name} mode"] = book().mode(label).rank
            found[f"{label.name} grants"] = int(book().grants(label, "conversations"))
        others = (each.label for each in book().state().clients if each.label not in labels)
        return found | {"others": max((book().mode(each).rank for each in others), default=0)}

    assert attack(written.file, {}, rights, max(1, one_in // 8)) > 5_000 // one_in


def test_an_agent_is_on_again_in_a_damaged_file_once_the_owner_says_so(tmp_path: Path) -> None:
    one, other = label_of("claude-code", "/src/tundra"), label_of("cursor-vscode", "/src/tundra")
    book = AgentBook(root=tmp_path, locks=tmp_path / "locks", machine="abcd1234")
    for label in (one, other):
        book.set_mode(label, AgentMode.READ_ONLY)
    book.file.write_bytes(book.file.read_bytes().replace(b"tundra", b"tundrb", 1))
    assert [book.mode(each) for each in (one, other)] == [AgentMode.OFF] * 2
    book.set_mode(one, AgentMode.WRITE)
    assert [book.mode(each) for each in (one, other)] == [AgentMode.WRITE, AgentMode.OFF]
