"""Scenes of what goes wrong. They come last: the pet is sad for a while."""

from __future__ import annotations

from playwright.sync_api import expect

from lab.gallery.scenes.table import Played, scene
from lab.gallery.studio.stage import Stage
from tests.support.desktop.xvfb import call_page, wait_for
from tests.support.servers.protocol_replies import rate_limited

PART = "When something is missing"


@scene("waiting", PART, "The service is busy: when it is tried again, and how to stop that.")
def waiting(stage: Stage) -> Played:
    stage.open_chat()
    stage.new_talk()
    stage.server.queue(rate_limited(40))
    stage.send(stage.words.said["ask_key"])
    stop = stage.button("ui.turn.stop_waiting")
    expect(stop).to_be_visible()
    yield None
    stop.click()
    expect(stage.page.locator("button.stop")).to_have_count(0)
    stage.close_tab()


@scene("offline", PART, "Nobody answers there: what that means, and a Retry.")
def offline(stage: Stage) -> Played:
    stage.open_chat()
    stage.new_talk()
    stage.set_up(base_url="http://127.0.0.1:9")
    wait_for("the address", lambda: call_page(stage.page, "get_app_state")["value"]["host"] == "127.0.0.1:9")
    stage.send(stage.words.said["ask_key"])
    stop = stage.button("ui.turn.stop_waiting")
    expect(stop.or_(stage.page.locator(".fault"))).to_be_visible()
    if stop.is_visible():
        stop.click()
    expect(stage.page.locator(".fault")).to_be_visible()
    yield None
    stage.set_up()
    stage.close_tab()


@scene("no-key", PART, "Nothing to think with yet.")
def no_key(stage: Stage) -> Played:
    stage.open_chat()
    stage.new_talk()
    stage.set_up(base_url="https://api.anthropic.com", model="claude-haiku-5-5")
    expect(stage.button("ui.empty.to_settings")).to_be_visible()
    yield None
    stage.set_up()
    expect(stage.button("ui.empty.to_settings")).to_have_count(0)
    stage.close_tab()
