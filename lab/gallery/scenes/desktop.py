"""Scenes of the pet on the desktop: its bubble, its menu, the chat beside it."""

from __future__ import annotations

import io
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor

from lab.gallery.home.drawn import landscape
from lab.gallery.scenes.table import Played, scene
from lab.gallery.studio.stage import Stage
from pet.bridge.socket_server import RunningPet
from pet.extras.agents.commands import AgentCommands
from pet.paths import find_home
from pet.services.file_transfer import pieces
from tests.extras.documents.made import pptx
from tests.support.desktop.xvfb import call_page, wait_for
from tests.support.pet_windows.bubbles import Bubble, new_conversation
from tests.support.servers.protocol_replies import Call, error, stream

PART = "On the desktop"


@scene("bubble-reminder", PART, "A reminder on its day, without taking the keyboard.")
def bubble_reminder(stage: Stage) -> Played:
    bubble = stage.bubble()
    bubble.shows(stage.texts("bubble.reminders"))
    yield None
    _close(stage, bubble)


@scene("bubble-reply", PART, "An answer while the chat is hidden.", hero=True)
def bubble_reply(stage: Stage) -> Played:
    stage.hide_chat()
    conversation = new_conversation(stage.page)
    stage.server.queue(stream(stage.words.said["bubble"]))
    call_page(stage.page, "send_message", {"conversation": conversation, "text": stage.words.said["bubble_ask"]})
    bubble = stage.bubble()
    bubble.shows(stage.words.said["bubble"][:12])
    yield None
    _close(stage, bubble)
    assert call_page(stage.page, "delete_conversation", {"conversation": conversation})["ok"]


@scene("bubble-heartbeat", PART, "It speaks first where HEARTBEAT.md asks for it.", lights=True)
def bubble_heartbeat(stage: Stage) -> Played:
    assert stage.furnished
    stage.hide_chat()
    asks = stage.furnished.root / "HEARTBEAT.md"
    stage.server.queue(stream(stage.words.said["beat"]))
    asks.write_text(stage.words.said["beat_file"], encoding="utf-8")
    bubble = stage.bubble()
    bubble.shows(stage.words.said["beat"][:9])
    yield None
    asks.unlink()
    _close(stage, bubble)


@scene("bubble-ask", PART, "A question about selected text, a picture and a document, with what does not go along.")
def bubble_ask(stage: Stage) -> Played:
    stage.hide_chat()
    said = stage.words.said
    picture = io.BytesIO()
    landscape((480, 320), dark=stage.dark).save(picture, "PNG")
    pages = [[f"{number}. " + "wood and water " * 700] for number in range(1, 41)]
    bubble = _ask_about(stage, said["quoted"], (said["photo"], picture.getvalue()), (said["thesis"], pptx(pages)))
    stage.running.command("pet", "drop_on_pet", text="", files=[], refused=[_too_large(said["film"])])
    stage.running.shows("len(bubble.content.field.files) == 2 and '20 MB' in bubble.content.field.notice")
    yield None
    _close(stage, bubble)


def _ask_about(stage: Stage, text: str, *files: tuple[str, bytes]) -> Bubble:
    """Open the field with a text and files, as drops on the pet bring them."""
    assert stage.running.command("pet", "open_field")["ok"]
    bubble = stage.bubble()
    drops = [(text, []), *(("", [{"name": name, "data": pieces(b64encode(data).decode())}]) for name, data in files)]
    for dropped, with_it in drops:
        assert stage.running.command("pet", "drop_on_pet", text=dropped, files=with_it, refused=[])["ok"]
    return bubble


def _too_large(name: str) -> dict[str, str]:
    return {"problem": "too_large", "name": name}


@scene("bubble-open", PART, "A long answer, read in the bubble.")
def bubble_open(stage: Stage) -> Played:
    stage.hide_chat()
    conversation = new_conversation(stage.page)
    told = stage.words.talk("code").turns[0]
    stage.server.queue(stream(told.pet))
    call_page(stage.page, "send_message", {"conversation": conversation, "text": told.owner})
    bubble = stage.bubble()
    bubble.click(stage.texts("bubble.more"))
    stage.running.shows("bubble.takes_keyboard")
    yield None
    _close(stage, bubble)
    assert call_page(stage.page, "delete_conversation", {"conversation": conversation})["ok"]


@scene("bubble-failed", PART, "An error while the chat is hidden.")
def bubble_failed(stage: Stage) -> Played:
    stage.hide_chat()
    conversation = new_conversation(stage.page)
    stage.server.queue(error(401, "authentication_error", "invalid x-api-key"))
    call_page(stage.page, "send_message", {"conversation": conversation, "text": stage.words.said["bubble_ask"]})
    bubble = stage.bubble()
    bubble.ready(stage.texts("bubble.look"))
    yield None
    _close(stage, bubble)
    assert call_page(stage.page, "delete_conversation", {"conversation": conversation})["ok"]
    stage.feel("neutral")


@scene("bubble-question", PART, "A change of its soul needs consent: the pet asks, and waits.")
def bubble_question(stage: Stage) -> Played:
    stage.hide_chat()
    conversation = new_conversation(stage.page)
    stage.server.queue(stream(Call("edit", _soul_change(stage))))
    call_page(stage.page, "send_message", {"conversation": conversation, "text": stage.words.said["ask_soul"]})
    bubble = stage.bubble()
    bubble.shows(stage.texts("bubble.question"))
    yield None
    _close(stage, bubble)
    call_page(stage.page, "stop_turn", {"conversation": conversation})
    wait_for("its end", lambda: call_page(stage.page, "delete_conversation", {"conversation": conversation})["ok"])


@scene("bubble-field", PART, "A line beside the pet: say something without the chat.")
def bubble_field(stage: Stage) -> Played:
    stage.hide_chat()
    stage.running.command("pet", "open_field")
    bubble = stage.bubble()
    stage.running.shows("field() is not None and field().hasFocus()")
    yield None
    _close(stage, bubble)


@scene("bubble-agent", PART, "Another agent wants to read: asked once, in its own words.")
def bubble_agent(stage: Stage) -> Played:
    stage.hide_chat()
    call_page(stage.page, "remove_agent", {"name": "claude-code", "folder": "~/src/tundra"})  # asked once a day
    _pet(stage).call(AgentCommands.call_agent_tool, "claude-code", "~/src/tundra", "owner_profile", "{}")
    bubble = stage.bubble()
    bubble.ready(stage.texts("bubble.read_only"))
    yield None
    _close(stage, bubble)


@scene("bubble-agent-waits", PART, "Codex waits for its person, and the pet says so.")
def bubble_agent_waits(stage: Stage) -> Played:
    stage.hide_chat()
    for event in ("UserPromptSubmit", "PermissionRequest"):
        note_event(stage, event, client="codex-mcp-client", folder="~/src/taiga")
    bubble = stage.bubble()
    bubble.shows("taiga")
    wait_for("its pose", lambda: stage.act() == "waiting")
    yield None
    note_event(stage, "SessionEnd", client="codex-mcp-client", folder="~/src/taiga")
    stage.running.no_window(stage.texts("shell.title_bubble"))


@scene("bubble-permission", PART, "What an agent asks permission for, whole. Off as shipped.")
def bubble_permission(stage: Stage) -> Played:
    stage.hide_chat()
    grant = {"name": "claude-code", "folder": "~/src/tundra", "grant": "permissions", "on": True}
    assert call_page(stage.page, "set_agent_grant", grant)["ok"]
    for event in ("UserPromptSubmit", "PermissionRequest"):
        note_event(stage, event)
    command = "rm -rf build\u200b && make release \\\n  VERSION=2.1 SIGN=yes"
    given = ("claude-code", "~/src/tundra", "Bash", "claude-code", 0, command, 0)
    with ThreadPoolExecutor(1) as hooks:
        answer = hooks.submit(lambda: _pet(stage, seconds=70.0).call(AgentCommands.ask_permission, *given))
        bubble = stage.bubble()
        bubble.ready(stage.texts("bubble.allow"))
        yield None
        bubble.click(stage.texts("bubble.deny"))
        assert answer.result().answer == "deny"
    note_event(stage, "SessionEnd")
    assert call_page(stage.page, "set_agent_grant", {**grant, "on": False})["ok"]


def note_event(stage: Stage, event: str, client: str = "claude-code", folder: str = "~/src/tundra") -> None:
    """As the hook of an agent does; its session is called like its client."""
    _pet(stage).call(AgentCommands.note_agent_event, event, client, folder, "Bash", client, 0)


def _pet(stage: Stage, *, seconds: float = 30.0) -> RunningPet:
    return RunningPet(find_home(stage.home), seconds=seconds)


def _close(stage: Stage, bubble: Bubble) -> None:
    bubble.click(stage.texts("bubble.close"))
    stage.running.no_window(stage.texts("shell.title_bubble"))


def _soul_change(stage: Stage) -> dict[str, str]:
    files = stage.words.files
    return {"path": "SOUL.md", "old_text": files["soul_change_of"], "new_text": files["soul_change_to"]}


@scene("pet-menu", PART, "The pet's menu.")
def pet_menu(stage: Stage) -> Played:
    stage.hide_chat()
    stage.desktop.click(*stage.desktop.box(stage.pet_window).centre, button=3)
    wait_for("the menu", stage.menus)
    yield None
    stage.desktop.key("Escape")
    wait_for("the menu to go", lambda: not stage.menus())


@scene("pet-and-chat", PART, "A double-click opens the chat, beside the pet and with the cursor in it.", hero=True)
def pet_and_chat(stage: Stage) -> Played:
    stage.open_chat(560, 780)
    stage.show_talk("hill")
    yield None
    stage.read_notices()
