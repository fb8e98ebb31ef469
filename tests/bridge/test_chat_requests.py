"""What the chat is asked to show before its page listens, and that it finds it there."""

from __future__ import annotations

from pathlib import Path

from pet.bridge.chat_state import ChatRequest, ChatRequests
from pet.bridge.command import Client
from pet.bridge.commands.chat_page import TabCommands
from pet.events import ConversationAsked, PageAsked
from pet.paths import find_home
from tests.services.desk import opened
from tests.support.models.scripted import say


def test_the_last_that_was_asked_is_kept_until_the_page_takes_it() -> None:
    requests = ChatRequests()
    requests.on_event(PageAsked(view="settings"))
    requests.on_event(ConversationAsked(conversation="one"))
    requests.on_event(ConversationAsked(conversation="two"))
    requests.on_event(PageAsked(view="chat"))
    assert requests.take() == ChatRequest(view="chat", conversation="two")


def test_a_conversation_comes_in_front_of_a_view_that_was_asked_before_it() -> None:
    requests = ChatRequests()
    requests.on_event(PageAsked(view="settings"))
    requests.on_event(ConversationAsked(conversation="one"))
    assert requests.take() == ChatRequest(conversation="one")


def test_a_page_that_listens_is_not_asked_a_second_time() -> None:
    requests = ChatRequests()
    assert requests.take() == ChatRequest()
    requests.on_event(ConversationAsked(conversation="heard by the page"))
    assert requests.take() == ChatRequest()


def test_a_bubble_that_is_answered_before_the_chat_has_begun_opens_its_conversation(tmp_path: Path) -> None:
    with opened(find_home(tmp_path / "home"), say("one")) as desktop:
        conversation = desktop.talk()
        desktop.wait_for(lambda: desktop.shows)
        desktop.answer("open")
        desktop.wait_for(lambda: ConversationAsked(conversation=conversation) in desktop.events)
        taken = desktop.app.commands.call(Client.CHAT, TabCommands.take_request)
        assert taken.conversation == conversation
