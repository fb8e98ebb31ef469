"""Memory of the desktop program between turns."""

from __future__ import annotations

from functools import partial
from unittest.mock import MagicMock

import pytest

from pet.bridge.emitter import Emitter
from pet.desktop import controller, menu
from pet.desktop.controller import DesktopController
from pet.events import Event, IndexProgress, TurnEnded
from pet.model import TurnEnd, Usage
from tests.support.waiting import wait_for

ENDED = TurnEnded(conversation="c", turn="t", end=TurnEnd.DONE, error=None, usage=Usage(), claim=None)


@pytest.mark.parametrize("event", [ENDED, IndexProgress(done=2, total=2)])
def test_freed_memory_is_returned_after_a_turn_and_after_its_indexing(
    monkeypatch: pytest.MonkeyPatch, event: Event
) -> None:
    desk, emitter = MagicMock(), Emitter()
    returned: list[str] = []
    monkeypatch.setattr(menu, "MenuController", MagicMock())
    monkeypatch.setattr(controller, "return_freed_memory", lambda: returned.append("returned"))
    desk._on_event = partial(DesktopController._on_event, desk)
    DesktopController._core_ready(desk, MagicMock(emitter=emitter))
    emitter.emit(IndexProgress(done=1, total=2))
    emitter.emit(event)
    wait_for("the memory", lambda: returned)
    assert emitter.close()
    assert returned == ["returned"]
    assert not desk.menu.tray.on_event.called
