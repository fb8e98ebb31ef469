"""Calls of MCP servers in a conversation: the switch, the questions, what is sent and what comes back."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from pet.bridge.command import Client
from pet.extras.mcp_servers.entries import GivenServer
from pet.model import Lasting, Refused, Request, ToolCallPart, TurnEnd
from tests.extras.mcp_servers.conftest import Begin, answer_all, call, no, one_call, yes
from tests.support.models.scripted import calls, say


def test_a_call_is_shown_and_asked_about_and_its_result_is_marked(begin: Begin) -> None:
    talk = begin(*one_call("echo", text="tea"))
    asked = answer_all(talk.core, yes())
    talk.send()
    (question,) = [each.proposal for each in asked]
    assert question.reason == "call" and question.before == '{\n  "text": "tea"\n}'
    assert question.call is not None and (question.call.source, question.call.tool) == ("odd", "echo")
    (result,) = talk.results()
    assert '<pet-sent name="odd: echo">\necho: tea\n</pet-sent>' in result.text and not result.is_error
    assert talk.live.folded().turns[-1].end is TurnEnd.DONE


def test_without_the_switch_no_server_starts_and_no_tool_is_there(begin: Begin) -> None:
    talk = begin(*one_call("echo", text="tea"), on=False)
    talk.send()
    assert not talk.sent() and not [name for name in talk.tools(0) if name.startswith("odd__")]
    assert talk.results()[0].is_error


def test_a_refused_call_is_not_sent(begin: Begin) -> None:
    talk = begin(*one_call("echo", text="tea"))
    answer_all(talk.core, no)
    talk.send()
    assert talk.rows("call") == [] and talk.problems() == ["tool_call_refused"]


@pytest.mark.parametrize(("lasting", "questions"), [("once", 3), ("conversation", 2), ("always", 1)])
def test_an_answer_lasts_as_long_as_it_says(begin: Begin, lasting: Lasting, questions: int) -> None:
    two = calls(call("echo", "a", text="1"), call("echo", "b", text="2"))
    talk = begin(two, say("done"))
    asked = answer_all(talk.core, yes(lasting))
    talk.send()
    other = begin(*one_call("echo", text="3"))
    more = answer_all(other.core, yes(lasting))
    other.send()
    assert len(talk.rows("call")) == 3 and len(asked) + len(more) == questions


def test_notes_beside_the_tools_of_a_server_and_after_its_results_are_asked_about(begin: Begin) -> None:
    note = ToolCallPart(id="note", name="memory_write", arguments=json.dumps({"content": "likes spam"}))
    talk = begin(
        calls(note), say("hm"), calls(call("echo", text="note that")), calls(note), say("hm"), calls(note), say("ok")
    )
    talk.live.set_memory(True)
    asked = answer_all(talk.core, lambda: Refused(why="owner"))
    talk.send()
    talk.send()
    talk.live.set_switch("mcp_servers", False)
    talk.send()
    notes = [each.proposal for each in asked if each.proposal.reason == "foreign"]
    assert [{(each.kind, each.name) for each in note.foreign} for note in notes] == [{("tool", "odd")}] * 3
    assert not list(talk.core.app.store.root.glob("memory/*.md"))


def test_a_temporary_conversation_can_have_the_switch_and_leaves_nothing_on_disk(begin: Begin) -> None:
    talk = begin(calls(call("echo", text="canary-7f3a"), call("pictures", "b")), say("done"), temporary=True)
    answer_all(talk.core, yes())
    talk.send()
    assert [each.is_error for each in talk.results()] == [False, False]
    talk.core.close()
    data = talk.core.home.data
    assert not [each for each in data.rglob("*") if each.is_file() and b"canary-7f3a" in each.read_bytes()]
    assert not list(data.glob("pets/*/attachments/*"))


def test_a_tool_that_the_owner_took_out_is_in_no_request(begin: Begin) -> None:
    talk = begin(*one_call("echo", text="tea"))
    entries = talk.servers.entries
    entries.change("odd", lambda now: replace(now, left_out=("echo",)))
    talk.send()
    assert "odd__echo" not in talk.tools(0) and "odd__save" in talk.tools(0)
    assert talk.rows("call") == []


def test_at_most_thirty_tools_of_all_servers_are_in_a_request(begin: Begin) -> None:
    talk = begin(say("hello"))
    entries, odd = talk.servers.entries, talk.servers.entries.find("odd")
    for name in ("second", "third"):
        entry = entries.add(GivenServer(entry=replace(odd, name=name)), "session")
        entries.change(entry.name, lambda now: replace(now, allowed=now.digest))
    talk.send()
    names = [name for name in talk.tools() if "__" in name]
    assert len(names) == len(set(names)) == 30


def test_what_was_sent_and_came_back_is_shown_to_the_owner(begin: Begin) -> None:
    talk = begin(calls(call("echo", text="tea"), call("pictures", "b")), say("done"))
    answer_all(talk.core, yes())
    talk.send()
    turn = talk.live.folded().turns[-1].id

    def shown(id_: str) -> dict[str, Any]:
        args = json.dumps({"conversation": talk.live.id, "turn": turn, "call": id_})
        reply = json.loads(talk.core.app.commands.invoke(Client.CHAT, "read_call", args))
        assert reply["ok"]
        return reply["value"]  # type: ignore[no-any-return]

    assert shown("call_1") == {"arguments": '{"text": "tea"}', "result": "echo: tea", "pictures": []}
    assert [each["width"] for each in shown("b")["pictures"]] == [40]


def test_switching_off_refuses_the_calls_of_a_running_turn(begin: Begin) -> None:
    talk = begin()

    def switch_off(_request: Request) -> object:
        talk.live.set_switch("mcp_servers", False)
        return calls(call("echo", text="tea"))

    talk.core.provider.queue(switch_off, say("no"))  # type: ignore[arg-type]
    talk.send()
    assert talk.results()[0].is_error and talk.rows("call") == []
