"""The promise: damage never opens. Whatever happens to the bytes of a file that says what may be seen, no more may be
seen and written afterwards than before, until the owner says otherwise; and then it is open again.

One real home with a pause, a conversation, the default of new ones, and an agent's position, each anywhere; then one
file is damaged while no program runs: a byte flips, bytes go, come or are cut off, or the whole file is emptied,
replaced or gone.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pet.__main__ import ThisDesktop
from pet.access import Access, MemoryMode
from pet.app import Pet
from pet.cli.main import run
from pet.errors import PetError
from pet.extras.agents.access import AgentMode
from pet.extras.agents.book import label_of
from pet.extras.agents.views import open_book
from pet.memory.search.transcript_index import extract_utterances, read_lines
from pet.paths import Home, find_home
from pet.transcripts.entry_codec import decode_entry, encode_entry
from pet.transcripts.fold import fold
from pet.workspace.file_names import CONVERSATIONS
from tests.engine.test_compaction import tell
from tests.support.examples import examples
from tests.support.models.scripted import ScriptedProvider, say
from tests.support.program.invoking import ask
from tests.transcripts.entry_builder import EntryBuilder

AGENT = label_of("claude-code", "/src/tundra")
MODES = st.sampled_from(MemoryMode)
Damage = Callable[[bytes], bytes | None]
"""The file's bytes afterwards; None: it is gone."""


def opened(home: Home) -> Pet:
    provider = ScriptedProvider(*[say("Hello.")] * 4)
    return Pet(home, environ={}, provider=provider, channel="terminal")


def lived(home: Home, modes: list[MemoryMode], default: MemoryMode, agent: AgentMode, pauses: list[bool]) -> str:
    """A home with one conversation whose switch was moved through ``modes``; return its id."""
    app = opened(home)
    chat = app.conversations.create(memory=modes[0])
    tell(chat, "hello")
    for mode in modes[1:]:
        chat.set_memory(mode)
        if mode is MemoryMode.READ_ONLY:
            tell(chat, "again")
    for pause in pauses:
        app.pause(pause)
    app.settings.change(
        {"memory_default": default is MemoryMode.ON, "memory_read_only": default is MemoryMode.READ_ONLY}
        | {"ask_memory": "off" if default is MemoryMode.OFF else "read"}
    )
    open_book(app).set_mode(AGENT, agent)
    app.close()
    return chat.id


def rights(home: Home, conversation: str) -> dict[str, Access | int]:
    """What may be seen and written now; nothing where the pet doesn't open."""
    try:
        app = opened(home)
    except (PetError, OSError):
        return {}
    try:
        new = app.conversations.create(memory=app.effective.current().default_memory_mode)
        found: dict[str, Access | int] = {
            "new": new.gate.access(),
            "agent": open_book(app).mode(AGENT).rank,
            "asks": app.effective.current().ask_memory == "read",
        }
        with suppress(PetError):
            found["old"] = app.conversations.open(conversation).gate.access()
        return found
    finally:
        app.close()


def within(now: dict[str, Access | int], before: dict[str, Access | int]) -> bool:
    return all(_within(each, before[name]) for name, each in now.items())


def _within(now: Access | int, before: Access | int) -> bool:
    if isinstance(now, Access) and isinstance(before, Access):
        # What asks the owner, or keeps the conversation on disk, gives no rights.
        names = [each.name for each in fields(Access) if each.name not in ("asks_owner", "keeps", "writable")]
        writes = now.writable - now.asks_owner <= before.writable
        return writes and all(getattr(now, name) <= getattr(before, name) for name in names)
    assert isinstance(now, int) and isinstance(before, int)
    return now <= before


def files(home: Home) -> list[Path]:
    """Every file that says what is open, the second records included."""
    conversations = home.workspace("pet") / CONVERSATIONS
    return [
        *(each for each in (home.state_file, home.settings_file, home.pause_file("pet")) if each.exists()),
        *sorted(conversations.iterdir()),
        *home.workspace("pet").glob("agents.*.json"),
    ]


@st.composite
def damages(draw: st.DrawFn) -> Damage:
    kind = draw(st.sampled_from(["flip", "cut", "delete", "across", "insert", "line", "tail", "whole"]))
    at, count = draw(st.integers(0, 1_000_000)), draw(st.integers(1, 200))
    far = draw(st.integers(1, 5_000))
    new = draw(st.binary(min_size=1, max_size=3) | st.sampled_from([b"\n", b'"', b"#", b"[x]\n", b"}{", b","]))

    def damage(data: bytes) -> bytes | None:
        place = at % (len(data) + 1)
        lines = data.splitlines(keepends=True)
        match kind:
            case "flip":
                return (
                    data[:place]
                    + bytes(byte ^ (1 << count % 8) for byte in data[place : place + 1])
                    + data[place + 1 :]
                )
            case "cut":
                return data[:place]
            case "delete":
                return data[:place] + data[place + count :]
            case "across":  # from the middle of a line to that of a later one
                return data[:place] + data[place + far :]
            case "insert":
                return data[:place] + new + data[place:]
            case "line":
                return b"".join(line for number, line in enumerate(lines) if number != at % max(1, len(lines)))
            case "tail":
                return b"".join(lines[: -1 - at % 2])
            case _:
                return (b"", b"[]", b"null", b"\0" * 64, b"garbage", b"{}", None)[at % 7]

    return damage


def apply(file: Path, damage: Damage) -> None:
    changed = damage(file.read_bytes())
    if changed is None:
        file.unlink()
    else:
        file.write_bytes(changed)


@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(MODES, min_size=1, max_size=3),
    MODES,
    st.sampled_from(AgentMode),
    st.lists(st.booleans(), max_size=2),
    st.integers(0, 50),
    damages(),
)
def test_no_damage_opens_what_was_closed(
    modes: list[MemoryMode], default: MemoryMode, agent: AgentMode, pauses: list[bool], which: int, damage: Damage
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = find_home(Path(folder))
        conversation = lived(home, modes, default, agent, pauses)
        before = rights(home, conversation)
        there = files(home)
        hit = there[which % len(there)]
        apply(hit, damage)
        for _ in range(2):  # a start writes, and the next one reads that
            assert within(rights(home, conversation), before), hit.name


# --- the cases that were seen ---------------------------------------------------------------------

BROKEN: dict[str, Damage] = {
    "empty": lambda _data: b"",
    "cut": lambda data: data[: len(data) // 2],
    "garbage": lambda _data: b"\x00\xff garbage",
    "a list": lambda _data: b"[]",
    "null": lambda _data: b"null",
    "a flipped byte": lambda data: data.replace(b"paused.pet", b"pausedOpet"),
    "gone": lambda _data: None,
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_damaged_state_ends_no_pause_and_says_so_until_the_owner_resumes(home: Home, kind: str) -> None:
    app = opened(home)
    app.pause(True)
    app.close()
    apply(home.state_file, BROKEN[kind])
    for _ in range(2):
        app = opened(home)
        app.record_use()  # which writes the state
        state = ask(app.commands, "get_app_state")
        assert (state["paused"], state["pause_lost"]) == (True, True)
        assert not app.conversations.create(memory=True).gate.access().memory
        app.close()
    app = opened(home)
    ask(app.commands, "pause_memory", paused=False)
    app.close()
    app = opened(home)
    state = ask(app.commands, "get_app_state")
    assert (state["paused"], state["pause_lost"]) == (False, False)
    assert app.conversations.create(memory=True).gate.access().memory
    app.close()


def test_doctor_says_what_is_off_because_it_can_not_be_read(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    opened(home).close()
    home.state_file.write_bytes(b"[]")
    home.settings_file.parent.mkdir(exist_ok=True)
    home.settings_file.write_text("memory_default = maybe\n")
    assert run(["--home", str(home.data.parent), "doctor", "--json"], ThisDesktop()) == 1
    problems = {each["code"]: each["text"] for each in json.loads(capsys.readouterr().out)["problems"]}
    assert "pet pause off" in problems["pause_lost"]
    assert "new conversations have memory off" in problems["settings_file_broken"]


def test_a_state_that_is_damaged_while_the_pet_runs_pauses_it_at_once_and_stays(home: Home) -> None:
    app = opened(home)
    gate = app.conversations.create(memory=True).gate
    assert gate.access().memory
    home.state_file.parent.mkdir(exist_ok=True)
    home.state_file.write_bytes(b"{")
    assert not gate.access().memory
    app.state.update({"anything": 1})
    assert not gate.access().memory
    assert ask(app.commands, "get_app_state")["pause_lost"]
    app.close()


@pytest.mark.parametrize("kind", ["pause file", "state"])
def test_a_new_home_and_an_undamaged_one_are_not_paused(home: Home, kind: str) -> None:
    app = opened(home)
    assert app.conversations.create(memory=True).gate.access().memory
    app.pause(True)
    app.pause(False)
    app.close()
    assert not home.pause_file("pet").exists()
    if kind == "state":
        home.state_file.unlink()  # nothing in it kept anything closed
    app = opened(home)
    assert app.conversations.create(memory=True).gate.access().memory
    app.close()


SWITCHES: dict[str, Damage] = {
    "kind": lambda data: data.replace(b'"kind":"memory_set"', b'"kind":"memory_sat"'),
    "field": lambda data: data.replace(b'"memory":false', b'"memorx":false'),
    "value": lambda data: data.replace(b'"memory":false', b'"memory":fAlse'),
    "bracket": lambda data: data[:-2] + b"]\n",
    "line end": lambda data: data[:-1] + b" ",
    "encoding": lambda data: data.replace(b'"memory":false', b'"memory":\xff\xfelse'),
    "cut in the line": lambda data: data[:-20],
    "cut before the line": lambda data: data[: data.rindex(b'{"kind":"memory_set"')],
}


@pytest.mark.parametrize("second_record", [True, False])
@pytest.mark.parametrize("kind", SWITCHES)
def test_a_damaged_switch_leaves_memory_off_and_one_click_turns_it_on(
    home: Home, kind: str, second_record: bool
) -> None:
    conversation = lived(home, [MemoryMode.ON, MemoryMode.OFF], MemoryMode.ON, AgentMode.OFF, [])
    file = home.workspace("pet") / CONVERSATIONS / f"{conversation}.jsonl"
    if not second_record:  # written by an earlier version
        if kind == "cut before the line":
            return  # nothing says then that there was a switch
        file.with_name(f"{file.name}.switch").unlink(missing_ok=True)
    apply(file, SWITCHES[kind])
    app = opened(home)
    chat = app.conversations.open(conversation)
    assert not chat.gate.access().memory
    view = ask(app.commands, "open_conversation", conversation=conversation)
    if kind != "line end":  # of which nothing is lost
        assert view["dividers"][-1]["kind"] == "memory_unreadable"
    ask(app.commands, "set_memory", conversation=conversation, memory=True)
    assert chat.gate.access().memory
    tell(chat, "again")
    app.close()
    assert rights(home, conversation)["old"].memory  # type: ignore[union-attr]


def test_a_line_that_is_torn_by_a_crash_and_no_switch_leaves_memory_on(home: Home) -> None:
    conversation = lived(home, [MemoryMode.ON], MemoryMode.ON, AgentMode.OFF, [])
    file = home.workspace("pet") / CONVERSATIONS / f"{conversation}.jsonl"
    file.write_bytes(file.read_bytes() + b'{"kind":"partial_said","turn":"half')
    assert rights(home, conversation)["old"].memory  # type: ignore[union-attr]


DEFAULTS: dict[str, Damage] = {
    "broken": lambda data: data + b"= =\n",
    "empty": lambda _data: b"",
    "gone": lambda _data: None,
    "name": lambda data: data.replace(b"memory_default", b"memory_defaulx"),
    "comment": lambda data: data.replace(b"memory_default", b"#memory_default"),
    "value": lambda data: data.replace(b"memory_default = false", b"memory_default = 0"),
    "in a table": lambda data: b"[x]\n" + data,
}


@pytest.mark.parametrize("kind", DEFAULTS)
def test_damaged_settings_leave_memory_off_in_new_conversations_and_say_so(home: Home, kind: str) -> None:
    lived(home, [MemoryMode.ON], MemoryMode.OFF, AgentMode.OFF, [])
    apply(home.settings_file, DEFAULTS[kind])
    app = opened(home)
    assert app.effective.current().default_memory_mode is MemoryMode.OFF
    problems = [each["code"] for each in ask(app.commands, "get_settings")["problems"]]
    assert problems == ["settings_file_broken"] if kind == "broken" else "settings_no_longer_set" in problems
    if kind != "broken":
        ask(app.commands, "change_settings", changes={"memory_default": True})
        assert app.effective.current().default_memory_mode is MemoryMode.ON
    app.close()


def test_broken_settings_without_a_word_on_memory_leave_it_off_in_new_conversations(home: Home) -> None:
    home.settings_file.parent.mkdir(parents=True)
    home.settings_file.write_text("theme = dark\n")
    app = opened(home)
    assert app.effective.current().default_memory_mode is MemoryMode.OFF
    home.settings_file.write_text('theme = "dark"\n')
    assert app.effective.current().default_memory_mode is MemoryMode.ON
    app.close()


def test_memory_that_was_off_in_pet_toml_stays_off_without_its_line(home: Home) -> None:
    opened(home).close()
    own = home.workspace("pet") / "pet.toml"
    own.write_text("memory = false\n")
    app = opened(home)
    assert app.effective.current().default_memory_mode is MemoryMode.OFF
    for text in ("memorx = false\n", "", "broken ="):
        own.write_text(text)
        assert app.effective.current().default_memory_mode is MemoryMode.OFF
    own.write_text("memory = true\n")
    assert app.effective.current().default_memory_mode is MemoryMode.ON
    app.close()


def test_a_position_of_an_agent_that_can_not_be_read_is_off(home: Home) -> None:
    lived(home, [MemoryMode.ON], MemoryMode.ON, AgentMode.WRITE, [])
    (file,) = home.workspace("pet").glob("agents.*.json")
    for change in (b"", b"[]", file.read_bytes()[:-9], file.read_bytes().replace(b'"write"', b'"wrIte"')):
        file.write_bytes(change)
        app = opened(home)
        assert open_book(app).mode(AGENT) is AgentMode.OFF
        app.close()


@pytest.mark.parametrize("lost", ["memory", "read_only"])
def test_a_message_that_lost_its_mode_is_masked_and_not_learned(lost: str) -> None:
    reads, written = lost == "read_only", EntryBuilder()
    written.memory(True)
    message = encode_entry(written.user("t1", "the fern is called Zora", memory=False, read_only=reads))
    round_ = encode_entry(replace(written.round("t1", 1, "noted"), read_only=reads))
    lines = [encode_entry(written.entries[0]), message.replace(f'"{lost}":', f'"{lost}x":'), round_]
    assert fold(map(decode_entry, lines)).turns[0].gated
    assert extract_utterances({"x": read_lines([line.encode() for line in lines], 1)}) == {"x": []}
