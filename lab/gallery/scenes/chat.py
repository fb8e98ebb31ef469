"""Scenes of the chat: replies, receipts, the memory switch, what is found, what else there is."""

from __future__ import annotations

from playwright.sync_api import expect

from lab.gallery.scenes.table import Played, scene
from lab.gallery.studio.stage import Stage
from tests.support.servers.protocol_replies import Call, stream

PART = "The chat"


@scene("empty", PART, "A new conversation.", hero=True)
def empty(stage: Stage) -> Played:
    stage.open_chat()
    stage.new_talk()
    yield None
    stage.close_tab()


@scene("streaming", PART, "A reply on its way; Stop keeps what was said.")
def streaming(stage: Stage) -> Played:
    stage.open_chat()
    stage.new_talk()
    stage.begin(stage.words.said["half"], stage.words.said["rest"], hold="half")
    stage.send(stage.words.said["ask"])
    stage.server.reached("half")
    expect(stage.said.last).to_contain_text(stage.words.said["half"].split("\n")[0][:20])
    yield None
    stage.finish()
    stage.close_tab()


@scene("receipts", PART, "Notes have a receipt with Undo; a claim without a note is marked.", hero=True)
def receipts(stage: Stage) -> Played:
    stage.open_chat()
    stage.show_talk("coffee")
    expect(stage.page.locator(".receipt").first).to_be_visible()
    expect(stage.page.locator(".claim")).to_be_visible()
    yield None


@scene("receipt", PART, "What was written, where it is, and the changed lines folded away.")
def receipt(stage: Stage) -> Played:
    stage.open_chat()
    stage.show_talk("coffee")
    stage.page.locator(".receipt-acts button").first.click()
    expect(stage.page.get_by_role("dialog")).to_be_visible()
    yield None
    stage.page.keyboard.press("Escape")


@scene("proposal", PART, "SOUL.md changes only after you have seen the whole change.", hero=True)
def proposal(stage: Stage) -> Played:
    stage.open_chat()
    stage.new_talk()
    files = stage.words.files
    change = {"path": "SOUL.md", "old_text": files["soul_change_of"], "new_text": files["soul_change_to"]}
    stage.server.queue(stream(stage.words.said["soul_reason"], Call("edit", change)), stream("…"))
    stage.send(stage.words.said["ask_soul"])
    expect(stage.page.locator(".proposal")).to_contain_text(files["soul_change_to"].split("\n")[1])
    yield None
    stage.button("ui.proposal.refuse").click()
    stage.finish()
    stage.close_tab()


@scene("code", PART, "Code, a formula, a table, a list.")
def code(stage: Stage) -> Played:
    stage.open_chat(600, 790)
    stage.show_talk("code")
    expect(stage.page.locator(".formula .katex")).to_have_count(2)
    stage.page.locator("section.messages").evaluate("(all) => { all.scrollTop = 0; }")
    yield None


@scene("picture", PART, "A picture that was sent.")
def picture(stage: Stage) -> Played:
    stage.open_chat()
    stage.show_talk("picture")
    expect(stage.page.locator(".owner .attachment img")).to_be_visible()
    yield None


@scene("memory-off", PART, "Memory off: from this line on no byte of profile, memory or logs is read.", hero=True)
def memory_off(stage: Stage) -> Played:
    stage.open_chat()
    stage.show_talk("off")
    expect(stage.page.get_by_text(stage.texts("ui.divider.off"))).to_be_visible()
    yield None


@scene("history", PART, "All conversations, and what was said in them.")
def history(stage: Stage) -> Played:
    stage.open_chat()
    stage.rest()
    stage.page.keyboard.press("Control+h")
    search = stage.page.get_by_role("searchbox", name=stage.texts("ui.history.search"))
    search.fill(stage.words.said["search"])
    expect(stage.page.locator(".hit-row mark").first).to_be_visible()
    yield None
    search.fill("")


@scene("long", PART, "Find in a long conversation.")
def long(stage: Stage) -> Played:
    stage.open_chat()
    stage.show_talk("long")
    stage.page.keyboard.press("Control+f")
    field = stage.page.get_by_role("textbox", name=stage.texts("ui.find.label"))
    field.fill(stage.words.said["find"])
    field.press("Enter")
    expect(stage.page.locator(".turn-slot.found")).to_be_in_viewport()
    yield None
    stage.page.keyboard.press("Escape")
    stage.close_tab()


@scene("menu", PART, "The menu of a conversation.")
def menu(stage: Stage) -> Played:
    stage.open_chat()
    stage.show_talk("hill")
    stage.button("ui.menu.label").click()
    expect(stage.page.get_by_role("menu")).to_be_visible()
    yield None


@scene("keys", PART, "All keys.")
def keys(stage: Stage) -> Played:
    stage.open_chat()
    stage.show_talk("hill")
    stage.page.keyboard.press("F1")
    expect(stage.page.locator(".key-map")).to_be_visible()
    yield None


@scene("small", PART, "The smallest window.")
def small(stage: Stage) -> Played:
    stage.open_chat(380, 420)
    stage.show_talk("hill")
    yield None
