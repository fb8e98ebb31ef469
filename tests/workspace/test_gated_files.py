"""The files of a turn, read while the switch moves."""

from __future__ import annotations

import pytest

from pet.access import ConversationGate, PetGate
from pet.model import CoreFile, FileState, Source
from pet.workspace.gated_files import GatedFiles
from tests.workspace.conftest import Desk


def test_what_was_read_before_the_switch_went_off_is_dropped(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (CoreFile.SOUL, CoreFile.USER, CoreFile.MEMORY):
        desk.put(name, b"- text\n")
    switch = ConversationGate(PetGate(), memory=True)
    read = desk.store.read_for_prompt

    def reading(name: str) -> FileState:
        state = read(name)
        if name == CoreFile.USER:
            switch.switch(False)
        return state

    monkeypatch.setattr(desk.store, "read_for_prompt", reading)
    gate = switch.begin_turn()
    visible = GatedFiles(desk.store, gate, Source(conversation="c", turn="t")).snapshot().visible(gate.access())
    assert (visible.text(CoreFile.SOUL), visible.text(CoreFile.USER)) == ("- text\n", "")
    assert not {CoreFile.USER, CoreFile.MEMORY} & {state.name for state in visible.states}
