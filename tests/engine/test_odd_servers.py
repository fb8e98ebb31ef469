"""What the owner sees of servers as they really are: a whole core, and a real server on loopback."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from pet.app import Pet
from pet.events import Event, RetryWaiting, TurnEnded
from pet.i18n import Texts
from pet.model import CoreFile, TurnEnd
from pet.paths import Home
from pet.transcripts.conversation import Turn
from tests.support.program.invoking import ask
from tests.support.servers.chat_replies import call, chat, refusal
from tests.support.servers.protocol_replies import Reply, whole
from tests.support.servers.protocol_server import ProtocolServer, Recorded

NO_TOOLS = refusal(400, "registry.ollama.ai/library/gemma2:2b does not support tools")


class Owner:
    """An app over one server, and what its owner is shown."""

    def __init__(self, home: Home, server: ProtocolServer, model: str = "gemma2:2b") -> None:
        self.server = server
        self.home = home
        environ = {"ANTHROPIC_BASE_URL": f"{server.url}/v1", "PET_MODEL": model}
        self.app: Pet = Pet(home, environ=environ, channel="terminal")
        self.app.settings.change({"protocol": "openai", "language": "en"})
        self.events: list[Event] = []
        self.app.emitter.subscribe_inline(self.events.append, RetryWaiting, TurnEnded, name="test")
        self.chat = self.app.conversations.create(memory=True)

    def say(self, text: str) -> Turn:
        self.chat.send(text)
        self.chat.wait(60)
        return self.chat.folded().turns[-1]

    def sentence(self, turn: Turn) -> str:
        assert turn.end is TurnEnd.FAILED and turn.error is not None
        return Texts("en")(f"error.{turn.error.code}", **turn.error.args)

    @property
    def sent(self) -> list[Recorded]:
        return [request for request in self.server.requests if request.method == "POST"]


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow machine takes longer than the time in which a server is to answer what it knows of its model."""
    monkeypatch.setattr("pet.providers.model_facts._ASK_SECONDS", 60.0)


@pytest.fixture
def owner_of(home: Home) -> Iterator[Callable[..., Owner]]:
    owners: list[Owner] = []

    def make(*replies: Reply, **options: str) -> Owner:
        server = owners[0].server if owners else ProtocolServer()
        if not owners:
            server.__enter__()
        server.queue(*replies)
        owners.append(Owner(home, server, **options))
        return owners[-1]

    yield make
    for owner in owners:
        owner.app.close()
    owners[0].server.close()


def text_of(turn: Turn) -> str:
    return "".join(getattr(part, "text", "") for round_ in turn.rounds for part in round_.parts)


def test_model_without_tools_goes_on_in_notebook_mode_and_is_remembered(owner_of: Callable[..., Owner]) -> None:
    question = chat('{"is": "chat"}')
    owner = owner_of(NO_TOOLS, chat("Hello!"), question, chat("Hello again!"), question)
    first, second = owner.say("Tell me about the harbour of Lisbon."), owner.say("And tell me about its ships.")
    assert (first.end, text_of(first)) == (TurnEnd.DONE, "Hello!")
    assert (second.end, text_of(second)) == (TurnEnd.DONE, "Hello again!")
    assert ["tools" in request.json for request in owner.sent] == [True, False, False, False, False]
    owner.app.close()
    again = owner_of(chat("Still here."), question)
    assert text_of(again.say("Tell me about the market there.")) == "Still here."
    assert "tools" not in owner.sent[-1].json


def test_owner_who_wants_no_notebook_is_told(owner_of: Callable[..., Owner]) -> None:
    owner = owner_of(NO_TOOLS)
    owner.app.settings.change({"notebook": "off"})
    assert "can't use tools" in owner.sentence(owner.say("Hello there, how are you?"))


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (chat(), "reply was empty"),
        (chat("  \n"), "reply was empty"),
        (chat(finish=None), "reply was empty"),
        (chat({"reasoning_content": "Hmm."}), "wrote no reply"),
        (chat("<think>Hmm.</think>"), "wrote no reply"),
        (refusal(400, "This model's maximum context length is 2048 tokens."), "too small for the pet's files"),
    ],
)
def test_reply_of_nothing_has_a_sentence(owner_of: Callable[..., Owner], reply: Reply, words: str) -> None:
    owner = owner_of(reply)
    assert words in owner.sentence(owner.say("Hi"))


def test_empty_reply_of_a_small_model_is_said(owner_of: Callable[..., Owner]) -> None:
    owner = owner_of(chat(), chat())
    owner.app.settings.change({"notebook": "on"})
    turn = owner.say("The leaves are falling early this year.")
    assert turn.end is TurnEnd.FAILED and "reply was empty" in owner.sentence(turn)


@pytest.mark.parametrize("notebook", ["off", "on"])
def test_reply_that_repeats_itself_is_ended_and_can_go_on(owner_of: Callable[..., Owner], notebook: str) -> None:
    passage = "The sea was calm that night, and the whole harbour slept.\n\n"
    owner = owner_of(chat(*[passage] * 400, finish=None, done=False), chat("And so on."), chat('{"is": "chat"}'))
    owner.app.settings.change({"notebook": notebook})
    turn = owner.say("Tell me about the harbour of Lisbon.")
    assert turn.end is TurnEnd.FAILED and "repeat itself" in owner.sentence(turn)
    assert 3 <= text_of(turn).count("harbour slept") < 10
    owner.chat.continue_turn(turn.id)
    owner.chat.wait(60)
    assert owner.chat.folded().turns[-1].end is TurnEnd.DONE


def test_empty_reply_after_a_tool_is_no_failure(owner_of: Callable[..., Owner]) -> None:
    owner = owner_of(chat(call("read", json.dumps({"path": "SOUL.md"}), id_="x")), chat())
    assert owner.say("Hi").end is TurnEnd.DONE


def test_loading_is_waited_for_and_can_be_stopped(owner_of: Callable[..., Owner]) -> None:
    loading = refusal(503, "Loading model", type_="unavailable_error", code=503)
    owner = owner_of(loading, chat("Awake."), loading)
    assert text_of(owner.say("Hi")) == "Awake."
    (waiting,) = (event for event in owner.events if isinstance(event, RetryWaiting))
    assert (waiting.error.code, waiting.seconds) == ("fault_loading", 3.0)
    owner.app.emitter.subscribe_inline(lambda _event: owner.chat.stop(), RetryWaiting, name="stop")
    assert owner.say("And now?").end is TurnEnd.STOPPED
    assert len(owner.sent) == 3


def known_window(owner: Owner) -> int:
    """Return what is known of the model's window, without asking again."""
    effective = owner.app.effective
    return owner.app.facts.of(replace(effective.in_use().settings, context_window=effective.own_window())).window


def test_small_window_that_the_server_reports_is_kept_to(owner_of: Callable[..., Owner]) -> None:
    question = chat('{"is": "chat"}')
    owner = owner_of(chat("Hello!"), question, chat("Hello!"), question)
    owner.server.facts["/api/ps"] = whole('{"models": []}')
    owner.server.facts["/api/show"] = whole(json.dumps({"capabilities": ["completion", "tools"]}))
    owner.say("Tell me about the harbour of Lisbon.")
    owner.say("And tell me about its ships.")
    assert ["tools" in request.json for request in owner.sent] == [False] * 4
    assert known_window(owner) == 4_096


def test_window_of_the_first_message_is_the_reported_one(owner_of: Callable[..., Owner]) -> None:
    owner = owner_of(chat("Hello!"))
    owner.app.settings.change({"upkeep": False})  # the files would be tidied before they are read
    owner.server.facts["/props"] = whole('{"n_ctx": 131072}')
    lines = "".join(f"- line {number}: {'tea ' * 14}\n" for number in range(270))
    for file in CoreFile:
        (owner.app.store.root / file.value).write_text(f"# {file.value}\n\n{lines}", encoding="utf-8")
    owner.say("Hi")
    system = owner.sent[0].json["messages"][0]["content"]
    assert {system.count(f"- line {number}:") for number in range(270)} == {3}


def test_server_nearby_is_asked_again_with_each_message_and_start(owner_of: Callable[..., Owner]) -> None:
    """The model may be loaded anew with another window, or be another one that takes tools, under the same name."""

    def loads(window: int, *capabilities: str) -> None:
        running = [{"model": "gemma2:2b", "context_length": window}]
        owner.server.facts["/api/ps"] = whole(json.dumps({"models": running}))
        owner.server.facts["/api/show"] = whole(json.dumps({"capabilities": ["completion", *capabilities]}))

    question = chat('{"is": "chat"}')
    owner = owner_of(chat("One."), question, chat("Two."), question, chat("Three."), chat("Four."))
    loads(16_384)
    owner.say("Tell me about the harbour of Lisbon.")
    assert known_window(owner) == 16_384
    loads(12_288)
    owner.say("And tell me about its ships.")
    assert known_window(owner) == 12_288
    owner.app.close()
    owner = owner_of()
    loads(20_480, "tools")
    owner.say("Tell me about the market there.")
    assert known_window(owner) == 20_480
    owner.say("And about its fish.")
    assert "tools" in owner.sent[-1].json
    owner.app.settings.change({"context_window": 9_000})
    assert known_window(owner) == 9_000


def test_first_message_to_a_new_server_is_sent_as_the_server_says_its_model_is(
    owner_of: Callable[..., Owner],
) -> None:
    owner = owner_of(chat("Hello!"), chat('{"is": "chat"}'))
    owner.server.facts["/props"] = whole('{"n_ctx": 16384, "chat_template_caps": {"supports_tools": false}}')
    assert text_of(owner.say("Tell me about the harbour of Lisbon.")) == "Hello!"
    assert ["tools" in request.json for request in owner.sent] == [False, False]
    reply = owner.sent[0].json
    assert 600 < reply["max_tokens"] < 700  # a reply without an end is not to fill the window
    assert reply["frequency_penalty"] > 0


def test_model_that_never_calls_what_it_is_asked_to_is_offered_the_small_way_after_the_second_wish(
    owner_of: Callable[..., Owner],
) -> None:
    owner = owner_of(chat("How lovely."), chat("Sure."), chat("Nice."), model="polite:8b")
    owner.server.facts["/props"] = whole('{"n_ctx": 16384}')
    for wish in ("Please remember that my sister is called Anna.", "Remember that I'm allergic to nuts."):
        owner.say(wish)
    owner.say("What a fine day.")
    claims = [event.claim for event in owner.events if isinstance(event, TurnEnded)]
    assert [claim and claim.never_calls for claim in claims] == [False, True, None]
    ask(owner.app.commands, "use_small_way", conversation=owner.chat.id)
    owner.server.queue(chat('{"is": "chat"}'), chat("Noted."))
    owner.say("Please remember that my brother is called Ole.")
    assert [file for file in sorted(owner.app.store.root.glob("memory/*.md")) if "Ole" in file.read_text("utf-8")]
    assert not any("tools" in request.json for request in owner.sent[3:])
    owner.app.close()
    again = owner_of(chat("Hello again."), chat('{"is": "chat"}'), model="polite:8b")  # kept between starts
    again.say("Tell me about the harbour of Lisbon.")
    assert "tools" not in again.sent[-1].json


def test_model_that_called_a_tool_once_is_not_offered_the_small_way(owner_of: Callable[..., Owner]) -> None:
    read = chat(call("read", '{"path": "USER.md"}', id_="call_1"), finish="tool_calls")
    owner = owner_of(read, chat("I looked."), chat("How lovely."), chat("Sure."), model="polite:8b")
    owner.server.facts["/props"] = whole('{"n_ctx": 16384}')
    owner.say("What do you know about me?")
    for wish in ("Please remember that my sister is called Anna.", "Remember that I'm allergic to nuts."):
        owner.say(wish)
    claims = [event.claim for event in owner.events if isinstance(event, TurnEnded)]
    assert [claim and claim.never_calls for claim in claims] == [None, False, False]
