"""Scenes of the first start, in a home of its own."""

from __future__ import annotations

import base64
import json

from playwright.sync_api import expect

from lab.gallery.scenes.table import Played, scene
from lab.gallery.studio.stage import Stage
from tests.extras.imports.test_cards import V2

PART = "The first start"


@scene("first-thinking", PART, "Step one: what it thinks with. A server on this computer is found.", home="first")
def first_thinking(stage: Stage) -> Played:
    stage.open_chat(620, 720)
    expect(stage.page.get_by_role("heading", level=1)).to_have_text(stage.texts("welcome.think.title"))
    expect(stage.page.get_by_text(stage.texts("welcome.think.looking"))).to_have_count(0)
    yield None


@scene("first-soul", PART, "Step two: who it is.", home="first", hero=True)
def first_soul(stage: Stage) -> Played:
    stage.open_chat(620, 720)
    heading = stage.page.get_by_role("heading", level=1)
    if stage.texts("welcome.think.title") in heading.inner_text():
        stage.button("welcome.next").click()
    expect(heading).to_have_text(stage.texts("welcome.who.title"))
    yield None


@scene("card", PART, "A character card becomes a soul, after a look at it.", home="first")
def card(stage: Stage) -> Played:
    stage.open_chat(620, 720)
    stage.page.get_by_role("radio", name=stage.texts("welcome.who.card")).check()
    stage.page.locator(".card-drop").evaluate(
        """(place, data) => {
            const bytes = Uint8Array.from(atob(data), (each) => each.charCodeAt(0));
            const carried = new DataTransfer();
            carried.items.add(new File([bytes], "momo.json"));
            place.dispatchEvent(new DragEvent("drop", { dataTransfer: carried, bubbles: true, cancelable: true }));
        }""",
        base64.b64encode(json.dumps(V2).encode()).decode(),
    )
    expect(stage.page.locator(".card-preview")).to_be_visible()
    stage.page.locator(".card-preview").scroll_into_view_if_needed()
    yield None
    stage.page.get_by_role("radio", name=stage.texts("welcome.who.template")).check()
    stage.page.get_by_role("textbox", name=stage.texts("welcome.who.name")).fill(stage.words.said["name"])
    stage.button("welcome.next").click()


@scene("first-hello", PART, "Step three: hello.", home="first")
def first_hello(stage: Stage) -> Played:
    stage.open_chat(620, 720)
    hello = stage.texts("welcome.hello.title", name=stage.words.said["name"])
    expect(stage.page.get_by_role("heading", level=1)).to_have_text(hello)
    yield None
