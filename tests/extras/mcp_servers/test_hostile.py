"""Hostile and broken servers: a clear sentence for each, nothing lost, and no process that stays."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pet.access import MemoryMode
from pet.events import ToolsMissing
from pet.i18n import LANGUAGES, catalogue
from pet.model import TurnEnd
from tests.extras.mcp_servers.conftest import SERVER, Begin, Talk, answer_all, call, no, one_call, yes
from tests.support.models.scripted import calls, say
from tests.support.waiting import wait_for


def goes_on(talk: Talk) -> None:
    """Whether the turn ended well, and the next message's call works."""
    assert talk.live.folded().turns[-1].end is TurnEnd.DONE
    talk.script(calls(call("echo", "after", text="again")), say("fine"))
    talk.send("once more")
    assert "echo: again" in talk.results()[-1].text


@pytest.mark.parametrize(
    ("tool", "code"),
    [
        ("hang", "mcp_call_slow"),
        ("die", "mcp_died"),
        ("flood", "mcp_flood"),
        ("chatter", "mcp_flood"),
        ("sample", "mcp_asks"),
        ("elicit", "mcp_asks"),
        ("garbage", "mcp_answer"),
        ("refuse", "mcp_tool_said"),
    ],
)
def test_a_server_that_misbehaves_is_said_in_a_sentence(
    begin: Begin, monkeypatch: pytest.MonkeyPatch, tool: str, code: str
) -> None:
    talk = begin(*one_call(tool))
    answer_all(talk.core, yes())
    with monkeypatch.context() as patch:
        if tool == "hang":
            patch.setattr("pet.extras.mcp_servers.calls.seconds_of", lambda _limits: 2.0)
        talk.send()
    assert talk.problems() == [code]
    assert all(f"error.{code}" in catalogue(language) for language in LANGUAGES)
    assert "secret" not in talk.sent()
    goes_on(talk)


def test_no_process_is_left_when_the_pet_ends_while_a_server_hangs(begin: Begin) -> None:
    talk = begin(calls(call("hang")), say("never"))
    answer_all(talk.core, yes())
    talk.live.send("please")
    wait_for("the call", lambda: talk.rows("call") == ["hang"])
    talk.core.close()
    talk.gone()


def test_stop_ends_a_call(begin: Begin) -> None:
    talk = begin(calls(call("hang")), say("never"))
    answer_all(talk.core, yes())
    talk.live.send("please")
    wait_for("the call", lambda: talk.rows("call") == ["hang"])
    talk.live.stop()
    talk.live.wait(60)
    assert talk.live.folded().turns[-1].end is TurnEnd.STOPPED


def test_a_call_goes_on_while_another_conversation_begins_a_turn(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pet.extras.mcp_servers.running._LIST_SECONDS", 0.5)
    talk = begin(calls(call("hang")), say("hello"), say("stopped"))
    answer_all(talk.core, yes())
    talk.live.send("please")
    wait_for("the call", lambda: talk.rows("call") == ["hang"])
    other = talk.core.app.conversations.create(memory=MemoryMode.OFF)
    other.set_switch("mcp_servers", True)
    other.send("hello")
    other.wait(60)
    assert "odd__echo" in talk.tools()
    assert talk.problems() == [] and len(talk.rows("pid")) == 1  # a server that does one thing at a time still runs
    talk.live.stop()
    talk.live.wait(60)


def test_a_tool_that_changes_what_it_says_is_asked_about_again(begin: Begin) -> None:
    talk = begin(*one_call("echo", text="1"))
    asked = answer_all(talk.core, yes("always"))
    talk.send()
    assert len(asked) == 1
    talk.script(calls(call("change")), say("changed"), calls(call("echo", text="2")), say("done"))
    talk.send()
    talk.send()
    assert [each.proposal.call.tool for each in asked if each.proposal.call] == ["echo", "change", "echo"]


def test_names_that_look_alike_and_schemas_that_are_too_large_take_no_place_of_others(begin: Begin) -> None:
    talk = begin(say("hello"))
    talk.send()
    names = [name for name in talk.tools() if name.startswith("odd__")]
    assert len(names) == len(set(names)) and "odd__huge_schema" not in names
    assert "read" in talk.tools()  # the pet's own
    assert all(name.isascii() for name in names) and "odd__re_ad" in names
    described = {each.name: each.description for each in talk.core.provider.requests[-1].tools}
    assert "</pet-sent>" not in described["odd__read"]
    assert talk.servers.state("odd")[2] == 1


def test_what_comes_back_is_no_order_and_is_noted_only_by_a_click(begin: Begin) -> None:
    from pet.model import ToolCallPart

    note = ToolCallPart(id="note", name="memory_write", arguments='{"content": "likes spam"}')
    talk = begin(calls(call("order")), calls(note), say("done"), memory=MemoryMode.ON)
    asked = answer_all(talk.core, yes())
    talk.send()
    first = talk.core.provider.requests[1].messages[-1].parts[0]
    assert getattr(first, "text", "").count("</pet-sent>") == 1
    assert [each.proposal.reason for each in asked] == ["call", "foreign"]


def test_a_result_is_bounded_and_its_pictures_are_kept_for_the_owner(begin: Begin) -> None:
    talk = begin(calls(call("long", "a"), call("pictures", "b")), say("done"))
    answer_all(talk.core, yes())
    talk.send()
    long, pictures = talk.results()
    assert len(long.text) < 25_000 and "[Only the first" in long.text
    assert "40 x 30 pixels" in pictures.text and "a resource" in pictures.text and "plan" in pictures.text
    (done,) = [each for each in talk.live.folded().turns[-1].tools if each.call_id == "b"]
    assert [(each.width, each.height) for each in done.pictures] == [(40, 30)]
    assert talk.core.app.attachments.read(done.pictures[0].id)


def test_a_server_whose_command_changed_is_not_started(begin: Begin) -> None:
    talk = begin(*one_call("echo", text="tea"))
    answer_all(talk.core, yes())
    entries = talk.servers.entries
    entries.change("odd", lambda now: replace(now, command=(sys.executable, "-c", "raise SystemExit")))
    talk.send()
    assert talk.sent() == "" and "odd__echo" not in talk.tools(0)
    (missing,) = [each.error for each in talk.core.events if isinstance(each, ToolsMissing)]
    assert missing.code == "mcp_not_allowed"


@pytest.mark.parametrize("command", [("/no/such/program",), (sys.executable, "-c", "import sys; sys.exit(3)")])
def test_a_server_that_does_not_start_costs_no_reply(begin: Begin, command: tuple[str, ...]) -> None:
    talk = begin(say("hello"), command=command)
    talk.send()
    assert talk.live.folded().turns[-1].reply == "hello"
    state, problem, _ = talk.servers.state("odd")
    assert state == "failed" and problem is not None
    assert problem.error_code in ("mcp_no_program", "mcp_not_started", "mcp_died")
    (missing,) = [each.error for each in talk.core.events if isinstance(each, ToolsMissing)]
    assert missing.code == problem.error_code


def test_a_refusal_is_kept_from_being_tried_in_the_same_words(begin: Begin) -> None:
    talk = begin(calls(call("echo", "a", text="1")), calls(call("echo", "b", text="1")), say("done"))
    asked = answer_all(talk.core, no)
    talk.send()
    assert len(asked) == 1 and talk.problems() == ["tool_call_refused", "tool_repeated"]


def test_an_hour_after_the_last_use_the_server_ends(begin: Begin) -> None:
    talk = begin(*one_call("echo", text="tea"))
    talk.servers.idle_seconds = 0.2
    answer_all(talk.core, yes())
    talk.send()
    talk.gone()
    wait_for("the state", lambda: talk.servers.state("odd")[0] == "stopped")
    talk.servers.idle_seconds = 3600
    goes_on(talk)


def test_a_server_that_hears_no_end_is_gone_with_the_pet(begin: Begin, tmp_path: Path) -> None:
    script = tmp_path / "deaf.py"
    script.write_text(
        "import os, runpy, signal, sys, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        f"sys.argv = [{str(SERVER)!r}, *sys.argv[1:]]\n"
        f"runpy.run_path({str(SERVER)!r}, run_name='__main__')\n"
        "time.sleep(3600)\n"
    )
    talk = begin(*one_call("echo", text="tea"), command=(sys.executable, str(script), str(tmp_path / "calls.jsonl")))
    answer_all(talk.core, yes())
    talk.send()
    assert talk.rows("call") == ["echo"]
    talk.core.close()
    talk.gone()


def test_a_server_that_was_killed_meanwhile_is_started_again(begin: Begin) -> None:
    talk = begin(*one_call("echo", text="tea"))
    answer_all(talk.core, yes())
    talk.send()
    (pid,) = talk.rows("pid")
    os.kill(pid, signal.SIGKILL)
    goes_on(talk)
    assert len(talk.rows("pid")) == 2


def test_a_tool_that_changes_within_the_turn_is_not_called(begin: Begin) -> None:
    talk = begin(calls(call("change", "a")), calls(call("echo", "b", text="tea")), say("done"))
    answer_all(talk.core, yes("always"))
    talk.send()
    assert talk.rows("call") == ["change"] and talk.problems() == ["mcp_changed"]


def test_a_server_that_did_not_start_is_not_waited_for_by_every_message(begin: Begin, tmp_path: Path) -> None:
    started = tmp_path / "started"
    code = f"open({str(started)!r}, 'a').write('x'); raise SystemExit(3)"
    talk = begin(say("hello"), say("again"), command=(sys.executable, "-c", code))
    talk.send()
    talk.send()
    assert started.read_text() == "x"
    assert len([each for each in talk.core.events if isinstance(each, ToolsMissing)]) == 1


def test_what_a_server_writes_beside_the_protocol_is_in_no_log(
    begin: Begin, caplog: pytest.LogCaptureFixture
) -> None:
    talk = begin(calls(call("noise", "a"), call("garbage", "b")), say("done"), env={"ODD_TOKEN": "canary-7f3a"})
    answer_all(talk.core, yes())
    with caplog.at_level("DEBUG"):
        talk.send()
    assert "noise" in talk.results()[0].text and talk.problems() == ["mcp_answer"]
    assert "canary-7f3a" not in caplog.text and "no list" not in caplog.text
