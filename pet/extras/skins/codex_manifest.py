"""Parse and validate pet.json of a Codex pet (format versions 1 and 2). Pure.

Unknown fields are kept for the export. Refuses path traversal, frames outside the sheet and invalid numbers, naming
the field.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import islice

from pet.errors import SkinRefused
from pet.skins.model import CELL, COLUMNS, Frame, SkinAnimation
from pet.untrusted.parsers import read_json

ROWS = {1: 9, 2: 11}
MAX_CELLS = 256
MAX_ZOOM = 3
MANIFEST_BYTES = 64 * 1024
SHEET_BYTES = 32 * 1024 * 1024


def size_words(count: int) -> str:
    """Format a byte limit for display: ``64 KB``, ``32 MB``."""
    return f"{count // 2**20} MB" if count >= 2**20 else f"{count // 1024} KB"


STATES: Mapping[str, tuple[int, ...]] = {
    "idle": (1680, 660, 660, 840, 840, 1920),  # the calm loop
    "running-right": (120,) * 7 + (220,),
    "running-left": (120,) * 7 + (220,),
    "waving": (140,) * 3 + (280,),
    "jumping": (140,) * 4 + (280,),
    "failed": (140,) * 7 + (240,),
    "waiting": (150,) * 5 + (260,),
    "running": (120,) * 5 + (220,),
    "review": (150,) * 5 + (280,),
}
"""The rows of the format, with the milliseconds of their frames."""
LOOK_ROWS = (9, 10)

OTHER_NAMES = {
    "move_right": "running-right",
    "move_left": "running-left",
    "wave": "waving",
    "bounce": "jumping",
    "sad": "failed",
}
"""Aliases of row names. ``sad`` is an alias only if the pet lacks a ``sad`` animation."""

_NAME_LENGTH = 60
_TEXT_LENGTH = 500
_DRIVE = re.compile(r"[A-Za-z]:")
_FPS = 8.0
_MAX_FPS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """``frame`` and ``animations`` as declared; their meaning depends on the sheet (``layout``,
    ``animations_of``).
    """

    id: str
    name: str
    description: str
    author: str
    licence: str
    sheet: str
    version: int
    frame: Frame | None
    animations: dict[str, object] = field(default_factory=dict)
    raw: dict[str, object] = field(default_factory=dict)


def read_manifest(data: bytes, *, folder: str) -> Manifest:
    """Raises SkinRefused: file_too_large, manifest_broken, field, path."""
    if len(data) > MANIFEST_BYTES:
        raise SkinRefused("file_too_large", file="pet.json", limit=size_words(MANIFEST_BYTES))
    try:
        raw = read_json(data)
    except ValueError:
        raise SkinRefused("manifest_broken") from None
    if not isinstance(raw, dict):
        raise SkinRefused("manifest_broken")
    own_id = _text(raw, "id", folder, _NAME_LENGTH).strip() or folder
    animations = raw.get("animations")
    if animations is not None and not isinstance(animations, dict):
        raise SkinRefused("field", field="animations")
    return Manifest(
        id=own_id,
        name=_text(raw, "displayName", own_id, _NAME_LENGTH).strip() or own_id,
        description=_text(raw, "description", "", _TEXT_LENGTH).strip(),
        author=_text(raw, "author", "", _NAME_LENGTH, strict=False).strip(),
        licence=_text(raw, "license", "", _NAME_LENGTH, strict=False).strip(),
        sheet=check_sheet_path(_text(raw, "spritesheetPath", "spritesheet.webp", 255)),
        version=_version(raw.get("spriteVersionNumber")),
        frame=_frame(raw.get("frame")),
        animations=animations or {},
        raw=raw,
    )


def check_sheet_path(path: str) -> str:
    """Validate a path inside the skin's folder, with ``/``. Raises SkinRefused."""
    parts = path.split("/")
    bad = "\\" in path or "\0" in path or path.startswith("/") or _DRIVE.match(path)
    if bad or any(part in ("", ".", "..") or part != part.strip(" .") for part in parts):
        raise SkinRefused("path", path=path[:80])
    return path


def layout(manifest: Manifest, size: tuple[int, int]) -> Frame:
    """Return the grid of a sheet of this size. The size decides the version: manifests are unreliable."""
    width, height = size
    if manifest.frame is not None:
        for zoom in range(1, MAX_ZOOM + 1):
            cut = replace(manifest.frame, width=manifest.frame.width * zoom, height=manifest.frame.height * zoom)
            if (cut.width * cut.columns, cut.height * cut.rows) == size:
                return cut
        declared = manifest.frame
        wants = f"{declared.width * declared.columns} × {declared.height * declared.rows}"
        raise SkinRefused("sheet_size", width=width, height=height, wants=wants)
    for zoom in range(1, MAX_ZOOM + 1):
        for rows in ROWS.values():
            if size == (CELL[0] * COLUMNS * zoom, CELL[1] * rows * zoom):
                return Frame(width=CELL[0] * zoom, height=CELL[1] * zoom, columns=COLUMNS, rows=rows)
    wants = " / ".join(f"{CELL[0] * COLUMNS} × {CELL[1] * rows}" for rows in ROWS.values())
    raise SkinRefused("sheet_size", width=width, height=height, wants=wants)


def is_standard(frame: Frame) -> bool:
    return frame.columns == COLUMNS and frame.rows in ROWS.values()


def animations_of(
    manifest: Manifest, frame: Frame, empty: frozenset[int]
) -> tuple[tuple[SkinAnimation, ...], tuple[SkinRefused, ...]]:
    """Return standard and custom animations, and notes on omitted rows. ``empty``: the blank cells.

    Raises SkinRefused: idle_empty, and any error in the manifest's own animations.
    """
    notes: list[SkinRefused] = []
    animations: dict[str, SkinAnimation] = {}
    for row, (state, usual) in enumerate(islice(STATES.items(), frame.rows)):
        count = min(len(usual), frame.columns)
        cells = [row * frame.columns + column for column in range(count)]
        while cells and cells[-1] in empty:
            cells.pop()
        if cells:
            times = (*usual[: len(cells) - 1], usual[-1])
            animations[state] = SkinAnimation(name=state, frames=tuple(cells), milliseconds=times)
        elif not any(_row_name(name) == state for name in manifest.animations):
            notes.append(SkinRefused("row_empty", row=state))
    for name, declared in manifest.animations.items():
        animations[_row_name(name)] = _animation(name, declared, frame)
    if "idle" not in animations or animations["idle"].frames[0] in empty:
        raise SkinRefused("idle_empty")
    return tuple(animations.values()), tuple(notes)


def looks_of(frame: Frame, empty: frozenset[int]) -> tuple[int, ...]:
    """Return the 16 look directions of version 2; empty if one of them is missing."""
    if not is_standard(frame) or frame.rows <= LOOK_ROWS[-1]:
        return ()
    cells = tuple(range(LOOK_ROWS[0] * frame.columns, (LOOK_ROWS[-1] + 1) * frame.columns))
    return () if empty & set(cells) else cells


def _row_name(name: str) -> str:
    return name if name == "sad" else OTHER_NAMES.get(name, name)


def _animation(name: str, declared: object, frame: Frame) -> SkinAnimation:
    name = _row_name(name)[:40]
    if not isinstance(declared, dict):
        raise SkinRefused("field", field=f"animations.{name}")
    frames = declared.get("frames")
    if not isinstance(frames, list) or not 0 < len(frames) <= MAX_CELLS or not all(_is_int(each) for each in frames):
        raise SkinRefused("field", field=f"animations.{name}.frames")
    if not all(0 <= each < frame.cells for each in frames):
        raise SkinRefused("frame_range", animation=name, cells=frame.cells)
    fps = declared.get("fps", _FPS)
    if isinstance(fps, bool) or not isinstance(fps, int | float) or not 0 < fps <= _MAX_FPS:
        raise SkinRefused("field", field=f"animations.{name}.fps")
    times = (round(min(60_000, 1000 / fps)),) * len(frames)
    return SkinAnimation(name=name, frames=tuple(frames), milliseconds=times)


def _text(raw: dict[str, object], name: str, default: str, limit: int, *, strict: bool = True) -> str:
    value = raw.get(name, default)
    if value is None or (not isinstance(value, str) and not strict):
        return default
    if not isinstance(value, str):
        raise SkinRefused("field", field=name)
    return "".join(each for each in value if each.isprintable())[:limit]


def _version(value: object) -> int:
    if value is None:
        return 1
    if not _is_int(value) or value not in ROWS:
        raise SkinRefused("field", field="spriteVersionNumber")
    return int(str(value))


def _frame(value: object) -> Frame | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise SkinRefused("field", field="frame")
    given = {name: value.get(name) for name in ("width", "height", "columns", "rows")}
    defaults = {"width": CELL[0], "height": CELL[1], "columns": COLUMNS, "rows": ROWS[1]}
    numbers: dict[str, int] = {}
    for name, value in given.items():
        number = defaults[name] if value is None else value
        if not _is_int(number) or not 0 < int(str(number)) <= 10_000:
            raise SkinRefused("field", field=f"frame.{name}")
        numbers[name] = int(str(number))
    frame = Frame(**numbers)
    if frame.cells > MAX_CELLS:
        raise SkinRefused("too_many_cells", cells=frame.cells, limit=MAX_CELLS)
    return frame


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
