"""Memory of the open tab, as the pet's body shows it."""

from __future__ import annotations

from pet.bridge.chat_state import OpenTab
from pet.errors import UnknownConversation
from pet.events import ConversationDeleted, Event, MemorySwitched, TabMemoryChanged

ON, OFF = "c-on", "c-off"


def opened() -> tuple[OpenTab, list[Event]]:
    def has_memory(conversation: str) -> bool:
        if conversation not in (ON, OFF):
            raise UnknownConversation(conversation=conversation)
        return conversation == ON

    told: list[Event] = []
    return OpenTab(told.append, has_memory), told


def test_looking_at_a_tab_emits_its_switch_only_when_it_differs() -> None:
    tab, told = opened()
    tab.set_in_front(ON)
    assert told == []
    tab.set_in_front(OFF)
    tab.set_in_front(OFF)
    assert (tab.off, told) == (True, [TabMemoryChanged(off=True)])
    tab.set_in_front(ON)
    assert (tab.off, told[1:]) == (False, [TabMemoryChanged(off=False)])


def test_a_switch_in_the_open_tab_counts_and_in_another_does_not() -> None:
    tab, told = opened()
    tab.set_in_front(ON)
    tab.on_event(MemorySwitched(conversation=OFF, memory=False, at="2026-11-20T10:00:00Z"))
    assert told == []
    tab.on_event(MemorySwitched(conversation=ON, memory=False, at="2026-11-20T10:00:00Z"))
    assert told == [TabMemoryChanged(off=True)]


def test_a_hidden_chat_keeps_its_tab_and_a_deleted_one_has_none() -> None:
    tab, _told = opened()
    tab.set_in_front(OFF)
    tab.set_in_front(None)
    assert tab.off
    tab.on_event(ConversationDeleted(conversation=OFF))
    assert not tab.off


def test_a_conversation_that_cannot_be_opened_counts_as_on() -> None:
    tab, told = opened()
    tab.set_in_front("c-gone")
    assert (tab.off, told) == (False, [])
