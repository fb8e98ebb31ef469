"""The shipped bodies: their drawings, assembled once on demand, and their poses."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from pet.body.acts import Act
from pet.body.creature import BodyPose, Wear, assemble, besides, thing_alone
from pet.paths import assets_folder

BODIES = ("soulpet", "biscuit", "inkwell", "vesper", "moss")
"""The names of the drawings; the first is the fallback."""

# A body breathes in idle; mirrored acts are not drawn twice.
_DRAWN_AS: Mapping[Act, str] = {
    "carried-left": "carried-right",
    "walk-right": "walk",
    "walk-left": "walk",
    "spy-right": "spy",
    "spy-left": "spy",
    "thrown-right": "thrown",
    "thrown-left": "thrown",
    **{f"{act}-{way}": act for act in ("jump", "climb", "kick", "pounce") for way in ("left", "right")},
}
_MIRRORED = frozenset(
    {"carried-left", *(f"{act}-left" for act in ("walk", "thrown", "spy", "jump", "climb", "kick", "pounce"))}
)


@cache
def _read(name: str) -> str:
    return (assets_folder() / "bodies" / name).read_text(encoding="utf-8")


@cache
def _frames() -> dict[str, list[dict[str, Any]]]:
    frames: dict[str, list[dict[str, Any]]] = json.loads(_read("frames.json"))
    return frames


@cache
def _poses(name: str) -> tuple[BodyPose, ...] | None:
    """Return the poses of this name: the first frame needs two of some fifty."""
    poses = _frames().get(name)
    return None if poses is None else tuple(map(_pose, poses))


_PAIRS = {"look": "gaze", "ears": "ears", "feet": "feet"}


def _pose(fields: dict[str, Any]) -> BodyPose:
    names = {"is": "kinds", **_PAIRS}
    values: dict[str, Any] = {
        names.get(key, key): tuple(value) if key in _PAIRS else value for key, value in fields.items()
    }
    return BodyPose(**values)


def name_of(body: str) -> str:
    """Return the name of a body's drawing by its skin's id; the first body's for an unknown one."""
    name = body.removeprefix("soulpet/")
    return name if name in BODIES else BODIES[0]


@cache
def _assembled(name: str) -> str:
    return assemble(_read(f"{name}.svg"), _read("parts.svg"))


def drawing_of(body: str) -> str:
    """Return the drawing of a body by its skin's id; the first body for an unknown one."""
    return _assembled(name_of(body))


def things_of(wear: Wear) -> str:
    """Return the things beside a skin that isn't ours, as a drawing; "" for nothing."""
    return besides(_read("parts.svg"), wear)


def thing_drawing(name: str) -> str:
    """Return one of ``creature.THINGS`` as a separate drawing."""
    return thing_alone(_read("parts.svg"), name)


def poses_of(act: Act) -> Sequence[BodyPose] | None:
    """Return the poses of an act; None: no body has it."""
    return _poses(_DRAWN_AS.get(act, act))


def is_mirrored(act: Act) -> bool:
    return act in _MIRRORED


def own_timing(act: Act) -> Sequence[int] | None:
    """The timing of our own bodies."""
    poses = poses_of(act)
    return None if poses is None else tuple(pose.ms for pose in poses)
