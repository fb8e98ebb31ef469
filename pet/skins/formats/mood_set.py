"""Convert sets of still images named after moods to clips: ``happy.png``, ``skin.json``, a card's emotions.

Maps file names to moods, in English and Chinese. Refuses a set without an idle image.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePosixPath

from pet.errors import SkinRefused
from pet.skins.formats.sprite_sheet import Clip
from pet.untrusted.parsers import read_json

PICTURE_KINDS = (".png", ".webp", ".gif", ".jpg", ".jpeg")
SKIN_JSON_BYTES = 64 * 1024

# File names → the animation they show, the most specific name first.
_NAMES: dict[str, str] = {
    "idle": "normal neutral idle default base main rest 默认 普通 正常 待机 平静",
    "jumping": "happy smile joy laugh love excited 开心 高兴 微笑 笑 快乐",
    "failed": "error angry anger annoyed disgust 错误 生气 愤怒",
    "sad": "sad sadness cry grief 难过 伤心 哭",
    "surprised": "surprised surprise shocked shock 惊讶 吃惊",
    "running": "thinking think curious confusion 思考 想",
    "talking": "talking talk speaking speak 说话",
    "waiting": "waiting wait 等待",
    "asleep": "asleep sleep sleeping sleepy 睡觉 睡着",
    "waving": "wave waving hello greeting 招手 你好",
    "review": "ready review done 完成",
    "carried": "carried dragged drag pinched 拖动 拎起",
}
_MEANING = {name: animation for animation, names in _NAMES.items() for name in names.split()}
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


def meaning_of(name: str) -> str | None:
    """Return the animation for a file name such as ``Bun_happy.png`` or ``idle-2.png``; or None."""
    words = re.split(r"[\s_\-.()]+", PurePosixPath(name).stem.lower())
    for word in [*reversed(words), re.sub(r"\d+$", "", words[-1])]:
        if word in _MEANING:
            return _MEANING[word]
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
