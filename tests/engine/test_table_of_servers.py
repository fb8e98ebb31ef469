"""docs/servers.md: what the owner sees of each variant, by the whole core and a real server that speaks so."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from pet.app import Pet
from pet.events import Event, RetryWaiting, ThinkingDelta
from pet.i18n import Texts, catalogue
from pet.model import TextPart, ToolCallPart
from pet.paths import Home
from pet.transcripts.conversation import Turn
from tests.providers.test_servers_as_they_are import FORMS, READ_A, READ_B, VLLM
from tests.support.servers.chat_replies import call, chat, refusal
from tests.support.servers.protocol_replies import Reply, stream, whole
from tests.support.servers.protocol_server import ProtocolServer

PAGE = Path(__file__).parents[2] / "docs" / "servers.md"
DONE = chat("I have read them.")
TEXTS = Texts("en")


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """``address``: as the owner pastes it, of the server's host and port."""

    what: str
    replies: tuple[Reply, ...]
    model: str = "qwen3:8b"
    protocol: str = "openai"
    address: str = "http://{}/v1"


def two_calls(**more: str) -> Reply:
    index = 0 if "id" in more else None
    return chat(call("read", READ_A, index=index, **more), call("read", READ_B, index=index, **more))


def with_raw(reply: Reply, *raw: bytes) -> Reply:
    return Reply(headers=reply.headers, steps=(*raw, *reply.steps))


def arguments(value: object) -> Reply:
    return chat({"tool_calls": [{"index": 0, "id": "x", "function": {"name": "read", "arguments": value}}]})


MISSING = {**VLLM, "message": "The model `x` does not exist.", "type": "NotFoundError", "code": 404}
NOT_TEXT = b'data: {"prompt_filter_results": [], "choices": null}\n\n'
VARIANTS = (
    Variant(what="`finish_reason` null, then `[DONE]`", replies=(chat("Hello.", finish=None),)),
    Variant(what="the stream ends without either", replies=(chat("Hello.", finish=None, done=False),)),
    Variant(what="two calls without ids and without an index", replies=(two_calls(), DONE)),
    Variant(what='two calls with id "" and index 0', replies=(two_calls(id=""), DONE)),
    Variant(what="arguments as an object", replies=(arguments({"path": "SOUL.md"}), DONE)),
    Variant(
        what="arguments sent from the beginning with each piece",
        replies=(chat(*(call("read", READ_A[:end], id_="x") for end in (4, 9, len(READ_A)))), DONE),
    ),
    Variant(
        what="`function_call` of old",
        replies=(
            chat(
                {"function_call": {"name": "read", "arguments": READ_A[:6]}},
                {"function_call": {"arguments": READ_A[6:]}},
                finish="function_call",
            ),
            DONE,
        ),
    ),
    Variant(what="`<think>` in the text", replies=(chat("<think>\nHm.\n</think>\n\nHel", "lo."),)),
    Variant(what="`</think>` without its opening tag", replies=(chat("Hm.\n</think>\n\nHello."),)),
    Variant(what="`<tool_call>` in the text, template known", replies=(chat(FORMS["Hermes"][1]), DONE)),
    Variant(what="the same, template unknown", replies=(chat(FORMS["Hermes"][1]),), model="solar"),
    Variant(what="reasoning and no reply", replies=(chat({"reasoning_content": "Hm."}),)),
    Variant(what="an empty reply", replies=(chat(),)),
    Variant(
        what='503 "Loading model", then the reply',
        replies=(refusal(503, "Loading model", type_="unavailable_error", code=503), chat("Hello.")),
    ),
    Variant(
        what="pings, and chunks without choices",
        replies=(with_raw(chat("Hello."), b"data: {}\n\n", NOT_TEXT, b'event: ping\ndata: {"type": "ping"}\n\n'),),
    ),
    Variant(what="an error object of old vLLM with status 200", replies=(whole(json.dumps(MISSING)),)),
    Variant(
        what="a window too small for the first message",
        replies=(refusal(400, "This model's maximum context length is 2048 tokens."),),
    ),
    Variant(
        what='400 "does not support tools"',
        replies=(
            refusal(400, "registry.ollama.ai/library/gemma2:2b does not support tools"),
            chat("Hello."),
            chat('{"is": "chat"}'),
        ),
        model="gemma2:2b",
    ),
    Variant(
        what="`pause_turn` with each reply (Messages)",
        replies=(stream("Hello.", stop="pause_turn"),) * 3,
        protocol="anthropic",
        address="http://{}",
    ),
    Variant(what="an address without a scheme", replies=(chat("Hello."),), address="{}/v1"),
    Variant(
        what="an address with a query (Azure)",
        replies=(chat("Hello."),),
        address="http://{}/openai/deployments/gpt-4o?api-version=2024-10-21",
        model="gpt-4o",
    ),
)


class Owner:
    """A new home whose model is at this server, and what its owner is shown."""

    def __init__(self, home: Home, server: ProtocolServer, variant: Variant) -> None:
        self.app: Pet = Pet(home, environ={}, channel="terminal")
        where = {"base_url": variant.address.format(server.url.removeprefix("http://")), "model": variant.model}
        self.app.settings.change({**where, "protocol": variant.protocol, "language": "en"})
        self.waits: list[str] = []
        self.thought: set[int] = set()  # rounds
        self.app.emitter.subscribe_inline(self._on_event, RetryWaiting, ThinkingDelta, name="test")
        self.chat = self.app.conversations.create(memory=True)

    def _on_event(self, event: Event) -> None:
        if isinstance(event, RetryWaiting):
            self.waits.append(TEXTS(f"error.{event.error.code}", **event.error.args))
        elif isinstance(event, ThinkingDelta):
            self.thought.add(event.round)

    def sees(self) -> str:
        """Say "Hi"; return what is shown of it, in order."""
        self.chat.send("Hi")
        self.chat.wait(60)
        turn = self.chat.folded().turns[-1]
        return " ".join([*self.waits, *shown(turn, self.thought)])


def shown(turn: Turn, thought: set[int]) -> Iterator[str]:
    for each in turn.rounds:
        if each.number in thought:
            yield "(folded: thinking)"
        for part in each.parts:
            if isinstance(part, TextPart) and part.text.strip():
                yield f"“{part.text.strip()}”"
            elif isinstance(part, ToolCallPart):
                yield f"(reads {json.loads(part.arguments)['path']})"
    if turn.error is not None:
        yield TEXTS(f"error.{turn.error.code}", **turn.error.args)


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.what)
def test_the_owner_sees_what_the_table_says(variant: Variant, home: Home) -> None:
    with ProtocolServer(*variant.replies, default=chat("Hello.")) as server:
        owner = Owner(home, server, variant)
        try:
            seen = owner.sees().replace(server.url.removeprefix("http://"), "HOST")
        finally:
            owner.app.close()
    assert f"| {variant.what} | {seen} |" in PAGE.read_text(encoding="utf-8").splitlines()


def section(heading: str) -> str:
    return PAGE.read_text(encoding="utf-8").partition(f"## {heading}\n")[2].partition("\n## ")[0]


def test_the_table_has_no_other_rows() -> None:
    rows = [line for line in section("What the owner sees").splitlines() if line.startswith("| ")][1:]
    assert len(rows) == len(VARIANTS)


def test_sentences_about_windows_are_those_of_the_settings() -> None:
    texts = [text for key, text in catalogue("en").items() if key.startswith("ui.test.window_")]
    patterns = [re.sub(r"\\{\w+\\}", r"[\\d,]+", re.escape(text)) for text in texts]
    quoted = re.findall(r'"([^"]+[.])"', section("How large the window is"))
    assert [sum(bool(re.fullmatch(pattern, each)) for each in quoted) for pattern in patterns] == [1] * len(texts)
