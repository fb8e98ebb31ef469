"""Killed at any point while forgetting: nothing else is lost, and the same wish again finishes it (PRODUCT §4.7)."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from pet.paths import find_home
from tests.forget.conftest import Pet

_CALLS = ("open", "write", "fsync", "replace", "rename", "link", "unlink", "mkdir", "fchmod", "ftruncate")
WORD = "Zanzibar"
KEPT = "- tea\n- 猫\n"


def _armed(deadly: int, *, half: bool) -> None:
    """In a child only: its ``deadly``-th call to the system kills it, before the call or half-way through a write."""
    calls = count()
    write = os.write

    def wrap(real: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **kwargs: object) -> object:
            if next(calls) == deadly:
                if half and real is write:
                    descriptor, data = args
                    assert isinstance(descriptor, int)
                    assert isinstance(data, bytes | memoryview)
                    write(descriptor, bytes(data)[: len(data) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*args, **kwargs)

        return call

    for name in _CALLS:
        setattr(os, name, wrap(getattr(os, name)))


def _in_child(act: Callable[[], object]) -> bool:
    """True if it came to its end."""
    child = os.fork()
    if child == 0:
        try:
            act()
            os._exit(0)
        finally:
            os._exit(1)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, -signal.SIGKILL)
    return code == 0


def _home(folder: Path) -> Pet:
    pet = Pet(find_home(folder / "home"))
    pet.save("MEMORY.md", "- tea\n- Zanzibar\n")
    pet.save("MEMORY.md", "- tea\n- Zanzibar\n- 猫\n")
    pet.put("MEMORY.md~", "- Zanzibar\n- 猫\n")
    talk = pet.talk()
    turn = talk.said("one")
    talk.found(turn, WORD)
    talk.said("two")
    pet.index.refresh_words()
    pet.index.close()
    return pet


def _deaths(tmp_path: Path, *, half: bool) -> Iterator[Path]:
    """One folder per point of death, until forgetting outlives the number."""
    for deadly in count():
        folder = tmp_path / f"{deadly}"
        folder.mkdir()
        _home(folder)

        def forget(folder: Path = folder, deadly: int = deadly) -> None:
            pet = Pet(find_home(folder / "home"))
            plan = pet.forgetting.find(WORD)
            _armed(deadly, half=half)
            pet.forgetting.forget(plan)

        if _in_child(forget):
            return
        yield folder


@pytest.mark.parametrize("half", [False, True], ids=["before_a_call", "inside_a_write"])
def test_what_was_to_stay_is_there_and_the_same_again_finishes_it(tmp_path: Path, half: bool) -> None:
    deaths = 0
    for folder in _deaths(tmp_path, half=half):
        deaths += 1
        pet = Pet(find_home(folder / "home"))
        assert pet.text("MEMORY.md") in ("- tea\n- Zanzibar\n- 猫\n", KEPT)
        for kept in pet.store.history("MEMORY.md"):
            assert pet.store.version_bytes("MEMORY.md", kept.id).startswith(b"- tea\n")
        plan = pet.forgetting.find(WORD)
        assert plan.begun or plan.goes
        report = pet.forgetting.forget(plan)
        assert report.left == ()
        assert pet.where(WORD) == []
        assert pet.text("MEMORY.md") == KEPT
        assert pet.text("MEMORY.md~") == "- 猫\n"
        assert pet.said_aloud() == ["one", "two"]
        strays = [path for path in pet.root.rglob("*.tmp") if ".history" not in path.parts]  # there, in a day
        assert strays == []
        pet.index.close()
    assert deaths > 40
