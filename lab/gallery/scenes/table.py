"""The table of scenes. A scene sets the stage, yields when the picture can be taken, and tidies up after itself."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from playwright.sync_api import Page

from lab.gallery.studio.stage import Stage

Home = Literal["furnished", "first"]
Played = Iterator[Page | None]
"""What a scene yields: the page that is to be checked, where it is not the chat's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """``hero``: taken in both languages, both lights, and at double size as well; ``lights``: without the last.
    Not ``stored``: checked, and taken by ``--all`` only."""

    name: str
    part: str
    caption: str
    play: Callable[[Stage], contextlib.AbstractContextManager[Page | None]]
    hero: bool = False
    lights: bool = False
    stored: bool = True
    home: Home = "furnished"


SCENES: list[Scene] = []


def scene(
    name: str,
    part: str,
    caption: str,
    *,
    hero: bool = False,
    lights: bool = False,
    stored: bool = True,
    home: Home = "furnished",
) -> Callable[[Callable[[Stage], Played]], Callable[[Stage], Played]]:
    """Puts a scene at the end of the table. They are played in this order."""

    def put(play: Callable[[Stage], Played]) -> Callable[[Stage], Played]:
        play_once = contextlib.contextmanager(play)
        SCENES.append(
            Scene(
                name=name,
                part=part,
                caption=caption,
                play=play_once,
                hero=hero,
                lights=lights,
                stored=stored,
                home=home,
            )
        )
        return play

    return put


def all_scenes() -> tuple[Scene, ...]:
    """In the order of the gallery: the modules put theirs in when they are first imported."""
    from lab.gallery.scenes import desktop, acts, chat, settings, about, moving, trouble, first  # noqa: F401, I001

    return tuple(SCENES)
