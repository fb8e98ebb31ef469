"""Keys for everywhere: which are wanted, which another program has, and when they are tried again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from pet.desktop.global_hotkeys import GlobalHotkeys
from pet.desktop.platform import Hotkey
from pet.desktop.qt_desktop import QtDesktop


class Server:
    """The part of a platform that has the keys; others hold some of them."""

    def __init__(self, held: set[str]) -> None:
        self.held = held
        self.asked: list[list[str]] = []

    def post(self, work: Callable[[], object]) -> None:
        work()

    def register_hotkeys(self, hotkeys: Sequence[Hotkey], refused: Callable[[frozenset[str]], None]) -> None:
        self.asked.append([each.keys for each in hotkeys])
        refused(frozenset(self.held.intersection(self.asked[-1])))


def nothing() -> None:
    return


def wanted(*keys: str) -> list[Hotkey]:
    return [Hotkey(keys=each, name=str(number), label="", act=nothing) for number, each in enumerate(keys)]


def test_refused_hotkey_is_reported_once_and_again_when_free() -> None:
    server, told = Server({"Ctrl+Alt+K"}), list[tuple[str, ...]]()
    keys = GlobalHotkeys(cast(QtDesktop, server), lambda: told.append(keys.taken))
    keys.set(wanted("Ctrl+Alt+K", "Ctrl+Alt+P", ""))
    assert server.asked == [["Ctrl+Alt+K", "Ctrl+Alt+P"]]
    assert told == [("Ctrl+Alt+K",)]
    keys.set(wanted("Ctrl+Alt+K", "Ctrl+Alt+P"))  # another setting changed
    assert len(server.asked) == 1
    keys.retry()
    assert told == [("Ctrl+Alt+K",)]
    server.held.clear()
    keys.retry()
    assert told == [("Ctrl+Alt+K",), ()]


def test_other_keys_are_tried_at_once_and_none_are_given_back() -> None:
    server = Server({"Ctrl+Alt+K"})
    keys = GlobalHotkeys(cast(QtDesktop, server), nothing)
    keys.set(wanted("Ctrl+Alt+K"))
    keys.set(wanted("Ctrl+Alt+J"))
    assert keys.taken == ()
    keys.set(wanted(""))
    assert server.asked == [["Ctrl+Alt+K"], ["Ctrl+Alt+J"], []]
