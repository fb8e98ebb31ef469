"""Compose the sprite sheets of our own bodies (Codex pets, version 2) and the documentation's pictures, as SVG.

``write_sheets`` is for the build, which makes PNG of them (``build/sheets.mjs``);
``python -m ui.sheets --write`` writes ``docs/images/bod*.svg``.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from pet.body.bodies import BODIES, drawing_of, poses_of
from pet.body.creature import HEIGHT, WIDTH, Cell, definitions, drawn_cell, drawn_sheet, looking

ROOT = Path(__file__).resolve().parent.parent
_COLUMNS = 8
# Rows 0 to 8 of the format, by our names.
_ROWS = ("idle", "carried-right", "carried-left", "wave", "happy", "failed", "waiting", "thinking", "ready")
_MIRRORED = "carried-left"
# Poses shown in the documentation.
_SHOWN = (
    ("breath", 0),
    ("wave", 1),
    ("happy", 2),
    ("talking", 2),
    ("thinking", 2),
    ("listening", 1),
    ("waiting", 3),
    ("ready", 2),
    ("remembered", 2),
    ("surprised", 0),
    ("sad", 1),
    ("failed", 3),
    ("asleep", 1),
    ("given", 2),
    ("carried", 0),
    ("poked", 2),
    ("stretch", 2),
    ("yawn", 2),
    ("hum", 1),
    ("scratch", 2),
    ("shy", 1),
    ("huff", 1),
    ("leap", 2),
    ("faint", 6),
)


def sheet(body: str) -> str:
    """Return all 88 cells as one drawing."""
    cells = [
        Cell(pose, column, row, mirrored=name == _MIRRORED)
        for row, name in enumerate(_ROWS)
        for column, pose in enumerate(poses_of(name) or ())
    ]
    cells += [Cell(looking(index), index % _COLUMNS, 9 + index // _COLUMNS) for index in range(16)]
    return drawn_sheet(drawing_of(body), cells)


def write_sheets(folder: Path) -> None:
    """Write every body's sheet and manifest, the first body's in the folder itself."""
    for body in BODIES:
        place = folder if body == BODIES[0] else folder / body
        place.mkdir(parents=True, exist_ok=True)
        (place / "spritesheet.svg").write_text(sheet(body), encoding="utf-8")
        shutil.copyfile(ROOT / "assets" / "bodies" / f"{body}.json", place / "pet.json")


def galleries() -> dict[str, str]:
    """Return the documentation's pictures by file name."""
    return {"bodies.svg": _family(), **{f"body-{body}.svg": _gallery(body) for body in BODIES}}


def _gallery(body: str) -> str:
    """Return one body in its acts, the left half on a light ground, the right half on a dark one."""
    art = drawing_of(body)
    cells = [
        drawn_cell(art, Cell((poses_of(act) or ())[frame], index % _COLUMNS, index // _COLUMNS))
        for index, (act, frame) in enumerate(_SHOWN)
    ]
    width, height = WIDTH * _COLUMNS, HEIGHT * -(-len(_SHOWN) // _COLUMNS)
    light = f'<rect width="{width // 2}" height="{height}" fill="#f4f0ea"/>'
    dark = f'<rect x="{width // 2}" width="{width // 2}" height="{height}" fill="#22242e"/>'
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">{definitions(art)}
{light}{dark}
{chr(10).join(cells)}
</svg>
"""


def _family() -> str:
    """Return all bodies side by side, with the gradients' names made unique."""
    cells = []
    for column, body in enumerate(BODIES):
        art = drawing_of(body)
        own = definitions(art) + drawn_cell(art, Cell((poses_of("breath") or ())[0], column, 0))
        own = re.sub(r'id="(\w+)"', rf'id="\g<1>{column}"', own)
        cells.append(re.sub(r"url\(#(\w+)\)", rf"url(#\g<1>{column})", own))
    width = WIDTH * len(BODIES)
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}">
<rect width="{width}" height="{HEIGHT}" rx="24" fill="#f4f0ea"/>
{chr(10).join(cells)}
</svg>
"""


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    for name, drawing in galleries().items():
        (ROOT / "docs" / "images" / name).write_text(drawing, encoding="utf-8")
