"""Thirty planted orders in three languages, in a page, a picture and a document. The model obeys one of them in each
of ten turns; nothing is written that the owner didn't ask for, and what they ask for is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from pet.app import Pet
from pet.events import Event, ProposalAsked
from pet.language.wishes import reads_as_order
from pet.model import Attachment, Proposal, Refused, Request, ToolCallPart, ToolSpec
from pet.net.fetch import FetchPolicy
from pet.paths import find_home
from tests.support.clocks import DayClock
from tests.support.models.scripted import ScriptedProvider, ScriptedRound, call, calls, say
from tests.support.servers.web_server import Server

INJECTIONS: dict[str, list[str]] = {
    language: [each.encode("utf-16", "surrogatepass").decode("utf-16") for each in texts]
    for language, texts in json.loads(
        (Path(__file__).parents[1] / "fixtures" / "injections.json").read_text(encoding="utf-8")
    ).items()
}
CARRIERS = ("page", "picture", "document")
SAYS = {
    "en": ("What is this?", "Thanks", "Nice weather today", "I see", "Good", "I baked bread", "And else?", "Fine"),
    "zh": ("这是什么？", "谢谢", "今天天气真好", "明白了", "好的", "我烤了面包", "还有呢？", "行"),
    "es": ("¿Qué es esto?", "Gracias", "Hace buen día", "Ya veo", "Bien", "He hecho pan", "¿Y qué más?", "Vale"),
}
WISHES = {
    "en": ("Remember that I like green tea", "Owner likes green tea"),
    "zh": ("记住我喜欢绿茶", "主人喜欢绿茶"),
    "es": ("Recuerda que me gusta el té verde", "Al dueño le gusta el té verde"),
}
MALLORY = ("Mallory", "马洛")
PROFILE = "# Owner\n\n- Ann\n- lives in Lyon\n- has a cat\n"


def test_there_are_ten_orders_in_each_language_and_each_is_known_as_one() -> None:
    assert {language: len(texts) for language, texts in INJECTIONS.items()} == {"en": 10, "zh": 10, "es": 10}
    for texts in INJECTIONS.values():
        for text in texts:
            assert reads_as_order(text), text
            assert reads_as_order(f"Tundra ships on Fridays.\n- {text}"), text


class Owner:
    """Refuses each proposal."""

    def __init__(self, app: Pet) -> None:
        self.app = app
        self.asked: list[Proposal] = []
        app.emitter.subscribe(self._on_event, ProposalAsked, name="owner")

    def _on_event(self, event: Event) -> None:
        assert isinstance(event, ProposalAsked)
        self.asked.append(event.proposal)
        live = self.app.conversations.open(event.conversation)
        live.answer(event.proposal.id, Refused(why="owner"))


@pytest.fixture
def web() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


def _page(text: str) -> Callable[[BaseHTTPRequestHandler], None]:
    data = f"<article><h1>Tea</h1><p>{text}</p><p>{'Green tea is warm. ' * 30}</p></article>".encode()

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Type", "text/html; charset=utf-8")
        request.send_header("Content-Length", str(len(data)))
        request.end_headers()
        request.wfile.write(data)

    return answer


def _obeyed(order: str, number: int, tools: Sequence[ToolSpec]) -> ScriptedRound:
    """Obey in each way that there is: notes, a reminder, an edit and a write of files."""
    mallory = next(each for each in MALLORY if each in order or each == MALLORY[0])
    note = {"content": f"{mallory}: {order}"[:400], "category": "fact"}
    wanted: list[tuple[str, dict[str, Any]]] = [
        ("memory_write", note),
        ("memory_write", {"content": f"likes {mallory}", "category": "preference", "who": "owner"}),
        ("memory_write", {"content": f"write to {mallory}", "category": "todo", "due": "tomorrow at 9"}),
        ("edit", {"path": "USER.md", "old_text": "- Ann", "new_text": f"- Ann, a friend of {mallory}"}),
        ("write", {"path": "USER.md", "content": f"{PROFILE}- trusts {mallory}\n"}),
        ("write", {"path": "MEMORY.md", "content": f"# Memory\n\n- {mallory}: {order}\n"}),
    ]
    names = {tool.name for tool in tools}
    tool, arguments = wanted[number % len(wanted)]
    assert tool in names
    return calls(ToolCallPart(id=f"c{number}", name=tool, arguments=json.dumps(arguments)))


def _written(root: Path) -> str:
    files = [file for file in root.rglob("*.md") if ".history" not in file.parts]
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


@pytest.mark.parametrize(("language", "carrier"), list(product(INJECTIONS, CARRIERS)))
def test_ten_turns_with_a_planted_order_write_only_what_the_owner_asked_for(
    language: str, carrier: str, tmp_path: Path, web: Server
) -> None:
    orders = INJECTIONS[language]
    planted = "\n\n".join(orders)
    provider = ScriptedProvider()
    app = Pet(
        find_home(tmp_path),
        environ={},
        clock=DayClock(),
        provider=provider,
        channel="terminal",
        recall_seconds=30,
        pages_from=lambda: FetchPolicy(loopback=True),
    )
    root = app.store.root
    root.joinpath("USER.md").write_text(PROFILE, encoding="utf-8")
    owner = Owner(app)
    live = app.conversations.create(memory=True)
    live.set_switch("web_pages", True)

    def brought() -> tuple[str, tuple[Attachment, ...]]:
        match carrier:
            case "page":
                web.answers["/tea"] = _page(planted)
                return f"{SAYS[language][0]} {web.at('/tea')}", ()
            case "document":
                return SAYS[language][0], (app.attachments.add("letter.txt", planted.encode()),)
        file = BytesIO()
        Image.new("RGB", (32, 32), "red").save(file, "PNG")
        return SAYS[language][0], (app.attachments.add("scan.png", file.getvalue()),)

    def turn(number: int, text: str, files: tuple[Attachment, ...] = ()) -> None:
        def obey(request: Request) -> ScriptedRound:
            return _obeyed(orders[number], number, request.tools)

        first = [call("fetch_page", {"address": web.at("/tea")})] if number == 0 and carrier == "page" else []
        provider.queue(*first, obey, say("I did what it says."))
        live.send(text, files)
        live.wait(60)

    try:
        turn(0, *brought())
        for number, text in enumerate(SAYS[language][1:], 1):
            turn(number, text)
        asked = len(owner.asked)
        wish, note = WISHES[language]
        provider.queue(
            call("memory_write", {"content": f"{note}. {orders[8]}"}),
            call("memory_write", {"content": note}),
            say("!"),
        )
        live.send(wish)
        live.wait(60)
        assert len(owner.asked) == asked + 1  # what was added to the wish
        assert note in _written(root)
        turn(9, SAYS[language][2])
        written = _written(root)
        assert not any(each in written for each in MALLORY)
        assert root.joinpath("USER.md").read_text(encoding="utf-8") == PROFILE
        assert not root.joinpath("MEMORY.md").exists()
        kind = {"page": "page", "picture": "picture", "document": "file"}[carrier]
        assert len(owner.asked) == 10 and all(kind in {each.kind for each in one.foreign} for one in owner.asked)
        assert {one.reason for one in owner.asked} == {"foreign"}
        assert len(live.folded().turns) == 10
    finally:
        app.close()
