"""The disk is full from any call on, while a reminder is noted or settled or a text is forgotten: it is said, nothing
is lost, and the same again finishes it once there is room.

Here one point in some; each with ``--nightly``.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest

from pet.errors import PetError
from pet.memory.store.forget_plan import ForgetOutcome
from pet.paths import find_home
from pet.services.reminders import ReminderBook
from pet.workspace.store import WorkspaceStore
from tests.memory.forget_desk import Pet
from tests.support.clocks import StandingClock
from tests.support.examples import at_night

_CLOCK = StandingClock(datetime(2026, 11, 21, 14, 30, 15, tzinfo=UTC))
_LOG = """# Memory Log: 2026-11-01

## [09:00:00] todo @2026-11-20

Call the plumber.
"""
_TAKING_ROOM = ("write", "fsync", "mkdir", "link")


@contextmanager
def full_from(call: int) -> Iterator[Callable[[], int]]:
    """The disk is full from the ``call``-th call that takes room on; what is yielded counts them."""
    calls = count()
    made = [0]
    with pytest.MonkeyPatch.context() as patched:

        def full(real: Callable[..., object]) -> Callable[..., object]:
            def act(*args: object, **kwargs: object) -> object:
                made[0] = next(calls) + 1
                if made[0] > call:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                return real(*args, **kwargs)

            return act

        for name in _TAKING_ROOM:
            patched.setattr(os, name, full(getattr(os, name)))
        yield lambda: made[0]


def points(tmp_path: Path) -> Iterator[tuple[int, Path]]:
    for call in count(step=1 if at_night() else 3):
        folder = tmp_path / str(call)
        folder.mkdir()
        yield call, folder


def opened(folder: Path) -> WorkspaceStore:
    return WorkspaceStore(folder / "pet", locks=folder / "locks", clock=_CLOCK)


def logs(folder: Path) -> dict[str, str]:
    return {file.name: file.read_text(encoding="utf-8") for file in (folder / "pet" / "memory").glob("*.md")}


@pytest.mark.parametrize("act", ["done", "put_off", "add"])
def test_a_reminder_is_settled_or_as_it_was(tmp_path: Path, act: str) -> None:
    def settle(folder: Path) -> None:
        book = ReminderBook(opened(folder), _CLOCK)
        match act:
            case "done":
                book.done(book.snapshot().due[0])
            case "put_off":
                book.put_off(book.snapshot().due[0], "in two weeks")
            case _:
                book.add("Buy stamps", "tomorrow at 9")

    after: dict[str, str] | None = None
    for call, folder in points(tmp_path):
        (folder / "pet" / "memory").mkdir(parents=True)
        (folder / "pet" / "memory" / "2026-11-01.md").write_text(_LOG, encoding="utf-8")
        before = logs(folder)
        if after is None:
            whole = tmp_path / "whole" / "pet"
            whole.mkdir(parents=True)
            (whole / "memory").mkdir()
            (whole / "memory" / "2026-11-01.md").write_text(_LOG, encoding="utf-8")
            settle(whole.parent)
            after = logs(whole.parent)
        refused = False
        with full_from(call) as made:
            try:
                settle(folder)
            except PetError:
                refused = True
        assert logs(folder) == (before if refused else after)
        if refused:
            settle(folder)
        assert logs(folder) == after
        if made() <= call:
            break
    assert call > 3


def test_a_wish_to_forget_says_what_is_left_and_is_finished_later(tmp_path: Path) -> None:
    kept = "- tea\n- 猫\n"
    for call, folder in points(tmp_path):
        pet = Pet(find_home(folder / "home"))
        pet.save("MEMORY.md", "- tea\n- Zanzibar\n")
        pet.save("MEMORY.md", "- tea\n- Zanzibar\n- 猫\n")
        pet.talk().said("one")
        pet.index.refresh_words()
        plan = pet.forgetting.find("Zanzibar")
        report: ForgetOutcome | None = None
        with full_from(call) as made, suppress(PetError):
            report = pet.forgetting.forget(plan)
        assert pet.text("MEMORY.md") in ("- tea\n- Zanzibar\n- 猫\n", kept)
        for version in pet.store.history("MEMORY.md"):
            assert pet.store.version_bytes("MEMORY.md", version.id).startswith(b"- tea\n")
        if report is None or report.left:
            report = pet.forgetting.forget(pet.forgetting.find("Zanzibar"))
        assert report.left == ()
        assert pet.where("Zanzibar") == []
        assert pet.text("MEMORY.md") == kept
        assert pet.said_aloud() == ["one"]
        pet.index.close()
        if made() <= call:
            break
    assert call > 3
