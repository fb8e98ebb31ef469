"""Convert sets of single images to clips: mood sets (``happy.png``, ``skin.json``) and Shimeji (``shime1.png``).

Scripts in Shimeji XML are skipped, never evaluated; a document type, which allows entity expansion, is refused.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath

from pet.errors import SkinRefused
from pet.extras.skins.sprite_sheet import Clip
from pet.language import read_table
from pet.untrusted.parsers import read_json, walk_xml

PICTURE_KINDS = (".png", ".webp", ".gif", ".jpg", ".jpeg")
SKIN_JSON_BYTES = 64 * 1024

# Rows every pet has, with fallbacks for missing ones.
_INSTEAD: dict[str, tuple[str, ...]] = {
    "running-right": ("carried", "idle"),
    "running-left": ("carried", "idle"),
    "waving": ("jumping", "idle"),
    "jumping": ("idle",),
    "failed": ("sad", "idle"),
    "waiting": ("surprised", "idle"),
    "running": ("idle",),
    "review": ("jumping", "idle"),
}
_EVERY_MS = 1500


@cache
def _meanings() -> dict[str, str]:
    """Return the animations by the words that name them in files."""
    lines = (line.partition(": ") for line in read_table("words_of_poses.txt").splitlines())
    return {name: animation for animation, _, names in lines for name in names.split()}


def meaning_of(name: str) -> str | None:
    """Return the animation for a file name such as ``Bun_happy.png`` or ``idle-2.png``; or None."""
    words = re.split(r"[\s_\-.()]+", PurePosixPath(name).stem.lower())
    for word in [*reversed(words), re.sub(r"\d+$", "", words[-1])]:
        if word in _meanings():
            return _meanings()[word]
    return None


def find_moods(names: Iterable[str]) -> dict[str, list[str]]:
    """Return animation → files by name alone; empty if it is not a set."""
    moods: dict[str, list[str]] = {}
    for name in sorted(names):
        if name.lower().endswith(PICTURE_KINDS) and (meaning := meaning_of(name)):
            moods.setdefault(meaning, []).append(name)
    return moods


def read_skin_json(data: bytes) -> tuple[str, str, str, dict[str, list[str]]]:
    """Return name, author, description, and animation → files of a ``skin.json``. Raises SkinRefused."""
    try:
        raw = read_json(data)
    except ValueError:
        raise SkinRefused("manifest_broken") from None
    declared = raw.get("moods") if isinstance(raw, dict) else None
    if not isinstance(raw, dict) or not isinstance(declared, dict):
        raise SkinRefused("field", field="moods")
    moods: dict[str, list[str]] = {}
    for mood, file in declared.items():
        meaning = meaning_of(str(mood))
        if meaning and isinstance(file, str):
            moods.setdefault(meaning, []).append(file)
    about = [value if isinstance(value := raw.get(name), str) else "" for name in ("name", "author", "description")]
    return about[0][:60], about[1][:60], about[2][:500], moods


def mood_clips(moods: Mapping[str, list[str]], load: Callable[[str], Clip]) -> dict[str, Clip]:
    """Return clips of still images for every row of the format, with fallbacks. Raises SkinRefused."""
    if not moods:
        raise SkinRefused("no_pictures")
    resting = moods.get("idle") or next(iter(moods.values()))
    clips = {"idle": _clip(resting[:6], load)}
    for animation, files in moods.items():
        if animation != "idle":
            clips[animation] = _clip(files[:4], load)
    for row, others in _INSTEAD.items():
        if row not in clips:
            clips[row] = next(clips[other] for other in others if other in clips)
    return clips


def _clip(files: list[str], load: Callable[[str], Clip]) -> Clip:
    pictures = tuple(picture for file in files for picture in load(file).pictures)
    return Clip(pictures=pictures, milliseconds=_EVERY_MS)


TICK_MS = 40
XML_BYTES = 1024 * 1024
_PICTURE = re.compile(r"(?:(?P<folder>.*)/)?shime(?P<number>\d{1,3})\.png", re.IGNORECASE)
_UNUSED = re.compile(r"(^|/)unused(/|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Pose:
    number: int
    ticks: int


# Fallback by the images' conventional numbers.
_USUAL: dict[str, tuple[int, ...]] = {
    "idle": (1,),
    "running-left": (1, 2, 1, 3),
    "waving": (26, 15, 27, 16),
    "jumping": (22, 18, 19),
    "failed": (20, 21),
    "waiting": (26,),
    "running": (11, 15, 16, 17),
    "review": (31, 32, 33),
    "carried": (5, 6),
    "asleep": (21,),
}
# Action names of the original Shimeji program, in order of preference.
_ACTIONS: dict[str, tuple[str, ...]] = {
    "idle": ("Stand",),
    "running-left": ("Walk", "Run"),
    "jumping": ("Jumping", "Bouncing"),
    "waiting": ("SitAndLookUp", "Sit"),
    "carried": ("Resisting", "Pinched", "Dragged"),
}
_TICKS = {"idle": 40, "waiting": 20, "asleep": 40}
_USUAL_TICKS = 6
_MOST = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class ShimejiSet:
    """Location of a set in a zip. ``others``: number of further sets."""

    name: str
    pictures: dict[int, str]
    actions: str | None
    others: int


def find_set(names: Iterable[str]) -> ShimejiSet | None:
    """Return the first set with a ``shime1.png``, or None."""
    folders: dict[str, dict[int, str]] = defaultdict(dict)
    everything = list(names)
    for name in everything:
        match = _PICTURE.fullmatch(name)
        if match and not _UNUSED.search(match["folder"] or ""):
            folders[match["folder"] or ""][int(match["number"])] = name
    sets = sorted(folder for folder, pictures in folders.items() if 1 in pictures)
    if not sets:
        return None
    chosen = sets[0]
    title = chosen.rsplit("/", 1)[-1]
    if title.lower() in ("", "img"):
        title = "Shimeji"
    return ShimejiSet(
        name=title, pictures=folders[chosen], actions=_actions_of(chosen, everything), others=len(sets) - 1
    )


def shimeji_clips(
    pictures: Iterable[int], actions: bytes | None, load: Callable[[int], Clip | None]
) -> dict[str, Clip]:
    """Return the clips of a set. ``load`` returns one image as a clip of one, or None if it is broken."""
    there = set(pictures)
    declared = read_actions(actions) if actions else {}
    clips: dict[str, Clip] = {}
    for name, usual in _USUAL.items():
        poses = _poses(name, usual, declared, there)
        loaded = [clip for pose in poses if (clip := load(pose.number)) is not None]
        if loaded:
            mean = sum(pose.ticks for pose in poses) / len(poses)
            frames = tuple(clip.pictures[0] for clip in loaded)
            clips[name] = Clip(pictures=frames, milliseconds=max(40, min(4000, round(mean * TICK_MS))))
    if "running-left" in clips:  # source images face left
        clips["running-right"] = clips["running-left"].mirrored()
    return clips


def read_actions(data: bytes) -> dict[str, tuple[Pose, ...]]:
    """Return the poses of each action's first animation; none for an unreadable file."""
    if len(data) > XML_BYTES:
        return {}
    reader = _Reader()
    try:
        walk_xml([data], start=reader.start, end=reader.end, text=lambda _text: None)
    except ValueError:
        return {}
    return {name: tuple(poses) for name, poses in reader.poses.items() if poses}


class _Reader:
    def __init__(self) -> None:
        self.poses: dict[str, list[Pose]] = {}
        self._action: list[str] = []
        self._animations = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        match tag:
            case "Action":
                self._action.append(attributes.get("Name", ""))
                self._animations = 0
            case "Animation":
                self._animations += 1
            case "Pose" if self._action and self._action[-1] and self._animations <= 1:
                match = _PICTURE.fullmatch(attributes.get("Image", "").lstrip("/"))
                ticks = attributes.get("Duration", "")
                if match:
                    number = int(ticks) if ticks.isascii() and ticks.isdigit() and len(ticks) < 6 else _USUAL_TICKS
                    self.poses.setdefault(self._action[-1], []).append(Pose(int(match["number"]), max(1, number)))

    def end(self, tag: str) -> None:
        if tag == "Action" and self._action:
            self._action.pop()


def _poses(name: str, usual: tuple[int, ...], declared: dict[str, tuple[Pose, ...]], there: set[int]) -> list[Pose]:
    for action in _ACTIONS.get(name, ()):
        poses = [pose for pose in declared.get(action, ()) if pose.number in there][:_MOST]
        if poses:
            return poses
    ticks = _TICKS.get(name, _USUAL_TICKS)
    return [Pose(number, ticks) for number in usual if number in there]


def _actions_of(folder: str, names: list[str]) -> str | None:
    """Return the file of the set's own actions, else of the whole zip's."""
    lowered = {name.lower(): name for name in names}
    title = folder.rsplit("/", 1)[-1].lower()
    above = folder.lower().split("/img/")[0] if "/img/" in f"/{folder.lower()}" else ""
    prefix = f"{above}/" if above and above != folder.lower() else ""
    for place in (f"{folder.lower()}/conf/", f"{prefix}conf/{title}/", f"{prefix}conf/", "conf/"):
        name = lowered.get(f"{place.lstrip('/')}actions.xml")
        if name:
            return name
    return None
