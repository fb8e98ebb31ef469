"""A local model that crashes in the middle of a reply: the words stay, and the next message is answered."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from pet.app import Pet
from pet.events import TextDelta
from pet.extras.local_models.runtime import own_models
from pet.model import TurnEnd
from pet.paths import find_home
from tests.support.waiting import wait_for

pytestmark = pytest.mark.real_model


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Pet]:
    app = Pet(find_home(tmp_path), environ={}, channel="terminal")
    app.settings.change({"local_model": "tiny", "language": "en"})
    yield app
    app.close()


def test_words_of_a_reply_outlive_the_crash_of_its_model(app: Pet) -> None:
    def kill_at_the_first_words(event: object) -> None:
        pid = own_models(app).supervisor.pid
        if isinstance(event, TextDelta) and pid is not None and not killed:
            killed.append(pid)
            os.kill(pid, signal.SIGKILL)

    killed: list[int] = []
    app.emitter.subscribe(kill_at_the_first_words, name="test")
    chat = app.conversations.create(memory=False)
    chat.send("Tell me a long story about a fox.")
    chat.wait(120)
    first = chat.folded().turns[-1]
    assert killed
    assert first.reply.strip()
    assert first.end in (TurnEnd.CUT, TurnEnd.DONE)
    wait_for("the end of the child", lambda: own_models(app).supervisor.state.phase == "absent")
    chat.send("Hello again!")
    chat.wait(120)
    assert chat.folded().turns[-1].end is TurnEnd.DONE
    assert own_models(app).supervisor.pid not in (None, killed[0])


def test_child_does_not_outlive_the_program(app: Pet) -> None:
    own_models(app).supervisor.acquire("tiny")
    pid = own_models(app).supervisor.pid
    assert pid is not None
    app.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
