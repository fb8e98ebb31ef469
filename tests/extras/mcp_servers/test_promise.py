"""The promise over calls of MCP servers: while memory is off nothing of it is sent; while it is on that is said."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pet.access import MemoryMode
from pet.extras.mcp_servers.calls import remembered_lines
from pet.paths import find_home
from tests.engine.conftest import Core
from tests.extras.mcp_servers.conftest import Begin, Talk, answer_all, call, one_call, yes
from tests.support.examples import examples
from tests.support.models.scripted import calls, say

CANARY, RETURNED = "canary-7f3a", "canary-returned"
FILES = {
    "USER.md": f"# About\n\n- Name: Lin {CANARY}\n",
    "MEMORY.md": f"# Plans\n\n- Lisbon in May {CANARY}\n",
    "memory/2026-02-24.md": f"# Memory Log: 2026-02-24\n\n## [14:30:15] fact\nferns {CANARY}\n",
    "memory/people/femi.md": f"- met in Lisbon {CANARY}\n",
}
ACTS = st.lists(
    st.one_of(
        st.tuples(st.just("memory"), st.sampled_from(MemoryMode)),
        st.tuples(st.just("pause"), st.booleans()),
        st.tuples(st.just("call"), st.sampled_from(["echo", "save", "pictures", "order", "refuse"])),
        st.tuples(st.just("say"), st.none()),
    ),
    min_size=2,
    max_size=5,
)


def do(talk: Talk, act: str, value: object) -> None:
    match act, value:
        case "memory", MemoryMode() as mode:
            talk.live.set_memory(mode)
        case "pause", bool(paused):
            talk.core.app.pause(paused)
        case "call", str(tool):
            talk.script(calls(call(tool, f"call_{len(talk.core.provider.requests)}", text="tea")), say("done"))
            talk.send("please")
        case _:
            talk.script(say("hello"))
            talk.send("what is new?")


@settings(
    max_examples=examples(6),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(acts=ACTS)
def test_while_memory_is_off_no_byte_of_it_is_in_a_request_or_with_a_server(acts: list[tuple[str, object]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        core = Core(find_home(Path(folder) / "home"))
        try:
            talk = Begin(lambda *_script: core, Path(folder))(memory=MemoryMode.ON, env={"ODD_TOKEN": RETURNED})
            answer_all(core, yes())
            for name, text in FILES.items():
                (core.app.store.root / name).parent.mkdir(parents=True, exist_ok=True)
                core.put(name, text)
            returned_off = False
            for act, value in acts:
                before = len(core.provider.requests)
                off = not talk.live.gate.access().memory
                do(talk, act, value)
                returned_off = returned_off or (off and value in ("echo", "save"))
                if off:
                    assert CANARY not in str(core.provider.requests[before:])
                    assert returned_off or RETURNED not in str(core.provider.requests[before:])
            assert CANARY not in talk.sent()
        finally:
            core.close()


def test_what_a_server_returned_with_memory_on_is_masked_while_it_is_off(begin: Begin) -> None:
    talk = begin(*one_call("echo", text="tea"), say("again"), memory=MemoryMode.ON, env={"ODD_TOKEN": RETURNED})
    answer_all(talk.core, yes())
    talk.send()
    assert RETURNED in str(talk.core.provider.requests[-1].messages)
    talk.live.set_memory(False)
    talk.send("and now?")
    assert RETURNED not in str(talk.core.provider.requests[-1])
    assert "odd__echo" in talk.tools()


def test_no_call_leaves_once_memory_was_switched_off_in_the_turn(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that is not asked about: the switch moves while the arguments are compared with memory."""
    talk = begin(*one_call("echo", text="tea"), memory=MemoryMode.ON)
    answer_all(talk.core, yes("always"))
    talk.send()
    assert len(talk.rows("call")) == 1

    def switched(_text: str, _memory: object) -> tuple[str, ...]:
        talk.live.gate.switch(False)  # as another process does it: no job is told yet
        return ()

    monkeypatch.setattr("pet.extras.mcp_servers.calls.remembered_lines", switched)
    talk.script(calls(call("echo", "again", text="tea")), say("no"))
    talk.send("once more")
    assert len(talk.rows("call")) == 1


@pytest.mark.parametrize("words", ["Lin", "lisbon IN may", "met in Lisbon", "the ferns of 2026"])
def test_arguments_that_hold_something_of_memory_say_so_each_time(begin: Begin, words: str) -> None:
    talk = begin(
        calls(call("echo", "a", text=words), call("echo", "b", text=words)), say("done"), memory=MemoryMode.ON
    )
    plain = {name: text.replace(f" {CANARY}", "") for name, text in FILES.items()}
    for name, text in plain.items():
        (talk.core.app.store.root / name).parent.mkdir(parents=True, exist_ok=True)
        talk.core.put(name, text)
    asked = answer_all(talk.core, yes("always"))
    talk.send()
    assert len(asked) == 2  # although the first answer was "always"
    assert all(each.proposal.call and each.proposal.call.remembered for each in asked)


def test_the_first_word_of_each_line_of_an_argument_is_read(begin: Begin) -> None:
    talk = begin(*one_call("echo", text="Profile:\nPediatrician\tOslo\n5551234"), memory=MemoryMode.ON)
    talk.core.put("USER.md", "# About\n\n- Work: pediatrician\n- Town: Oslo\n- Phone: 5551234\n")
    asked = answer_all(talk.core, yes())
    talk.send()
    assert [len(each.proposal.call.remembered) for each in asked if each.proposal.call] == [3]


def test_calls_are_asked_about_while_a_file_of_memory_can_not_be_read(begin: Begin) -> None:
    talk = begin(
        calls(call("echo", "a", text="tea"), call("echo", "b", text="ferns")), say("done"), memory=MemoryMode.ON
    )
    (talk.core.app.store.root / "USER.md").write_bytes(b"\xff\xfe\0")
    asked = answer_all(talk.core, yes("always"))
    talk.send()
    assert len(asked) == 2 and talk.rows("call") == ["echo", "echo"]


def test_a_call_without_memory_in_it_is_not_said_to_have_some(begin: Begin) -> None:
    talk = begin(*one_call("echo", text="the weather in Oslo tomorrow"), memory=MemoryMode.ON)
    talk.core.put("USER.md", "# About\n\n- Name: Lin\n- Lives in Lisbon with the cat\n")
    asked = answer_all(talk.core, yes())
    talk.send()
    assert [each.proposal.call.remembered for each in asked if each.proposal.call] == [()]


LINES = st.sampled_from(
    [
        "- Name: Lin",
        "- Mail: lin@example.org",
        "Prefers rye bread over wheat",
        "- 名字：小林",
        "她在里斯本学习烘焙已经三年了",
        "1. Phone: +49 170 1234567",
        "Le gusta el té verde por la mañana",
    ]
)


@given(line=LINES, before=st.text(max_size=20), after=st.text(max_size=20), upper=st.booleans())
@settings(max_examples=examples(60), deadline=None)
def test_a_line_of_memory_is_known_again_in_whatever_is_around_it(
    line: str, before: str, after: str, upper: bool
) -> None:
    said = line.upper() if upper else line
    text = json.dumps({"text": f"{before} {said} {after}"}, ensure_ascii=False)
    assert remembered_lines(text, [f"# About\n\n{line}\n"]) == (line,)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"q": "bread"}', "Prefers rye bread over wheat"),
        ('{"q": "of the and"}', "- the"),
        ('{"q": "里"}', "她在里斯本学习烘焙"),
        ('{"q": "about"}', "# About"),
        ("{}", "- Name:"),
    ],
)
def test_single_words_that_anybody_says_are_not_memory(text: str, line: str) -> None:
    assert remembered_lines(text, [line]) == ()
