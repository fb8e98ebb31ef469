"""Keys for everywhere: which are wanted, which another program has, and when they are tried again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from pet.desktop.input.hotkeys import GlobalHotkeys
from pet.desktop.platforms.base import Platform


class Server:
    """The part of a platform that has the keys; others hold some of them."""

    def __init__(self, held: set[str]) -> None:
        self.held = held
        self.asked: list[list[str]] = []

    def register_hotkeys(
        self, shortcuts: Mapping[str, Callable[[], None]], refused: Callable[[frozenset[str]], None]
    ) -> None:
        self.asked.append(list(shortcuts))
        refused(frozenset(self.held.intersection(shortcuts)))


def nothing() -> None:
    return


def test_refused_hotkey_is_reported_once_and_again_when_free() -> None:
    server, told = Server({"Ctrl+Alt+K"}), list[tuple[str, ...]]()
    keys = GlobalHotkeys(cast(Platform, server), lambda: told.append(keys.taken))
    keys.set({"Ctrl+Alt+K": nothing, "Ctrl+Alt+P": nothing, "": nothing})
    assert server.asked == [["Ctrl+Alt+K", "Ctrl+Alt+P"]]
    assert told == [("Ctrl+Alt+K",)]
    keys.set({"Ctrl+Alt+K": nothing, "Ctrl+Alt+P": nothing})  # another setting changed
    assert len(server.asked) == 1
    keys.retry()
    assert told == [("Ctrl+Alt+K",)]
    server.held.clear()
    keys.retry()
    assert told == [("Ctrl+Alt+K",), ()]


def test_other_keys_are_tried_at_once_and_none_are_given_back() -> None:
    server = Server({"Ctrl+Alt+K"})
    keys = GlobalHotkeys(cast(Platform, server), nothing)
    keys.set({"Ctrl+Alt+K": nothing})
    keys.set({"Ctrl+Alt+J": nothing})
    assert keys.taken == ()
    keys.set({"": nothing})
    assert server.asked == [["Ctrl+Alt+K"], ["Ctrl+Alt+J"], []]
