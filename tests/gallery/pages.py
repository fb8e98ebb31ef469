"""The two pages of docs/ the gallery writes: one from the table of scenes alone, one from what axe said."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from tests.gallery.scenes.films import FILMS
from tests.gallery.scenes.table import Scene, all_scenes
from tests.gallery.studio.checks import Checked, Finding
from tests.gallery.variants import DOUBLE, Variant, kept

PICTURES = "images/gallery"
_TITLES = {
    "en-light": "English, light",
    "zh-dark": "Chinese, dark",
    "en-dark": "English, dark",
    "zh-light": "Chinese, light",
}

_GALLERY = """\
# What it looks like

Every picture is regenerated from the real app: a script (`make gallery`) walks through the windows on a real desktop
as an owner would; the replies come from a prepared server. A test keeps the list below and the pictures together.

**Ten to begin with**, each of them a way into the part it is from. All parts: {parts}.

"""
_BEGIN = (
    "pet-and-chat",
    "acts",
    "receipts",
    "memory",
    "brain-off",
    "bubble-promise",
    "proposal",
    "files",
    "skins",
    "first-soul",
)
"""The scenes shown first, by name."""
_MOTION = "In motion"
_ACCESS = """\
# Can everybody use it?

Written by `make gallery`. Every scene of [the gallery](gallery.md) is checked in the real program with
[axe](https://github.com/dequelabs/axe-core) {version}, all rules on, contrast included: once in English and light,
once in Chinese and dark. (Of the pet's own window and its bubble, which hold one thing each, no page structure is
asked.) The same walk is a test (`tests/window/settings/test_gallery.py`), which fails on any violation; another goes
through chat, settings and first start with the Tab key: each stop has a name, is in sight, and shows a ring.

**{scenes} scenes, {checks} checks, {passed} rules passed, {violations} violations.**

"""


def gallery_page() -> str:
    parts = [_MOTION, *dict.fromkeys(scene.part for scene in all_scenes())]
    lines = [_GALLERY.format(parts=", ".join(f"[{part}]({_anchor(part)})" for part in parts))]
    lines += [*_first_ones(), f"## {_MOTION}\n\n"]
    lines += [f"![{film.caption}]({PICTURES}/{film.name}.webp)\n\n*{film.caption}*\n\n" for film in FILMS]
    for part, scenes in groupby(all_scenes(), key=lambda scene: scene.part):
        lines.append(f"## {part}\n\n")
        lines += [_shown(scene) for scene in scenes]
    return "".join(lines).rstrip() + "\n"


def _first_ones() -> list[str]:
    """The table of the scenes shown first, two in a row; each picture links to its part."""
    by_name = {scene.name: scene for scene in all_scenes()}
    rows = []
    for at in range(0, len(_BEGIN), 2):
        pair = [by_name[name] for name in _BEGIN[at : at + 2]]
        rows.append(_row(f"[{_image(scene, kept(scene)[0])}]({_anchor(scene.part)})" for scene in pair))
        if at == 0:
            rows.append(_row(":-:" for _ in pair))
        rows.append(_row(scene.caption for scene in pair))
    return ["\n".join(rows) + "\n\n"]


def _anchor(heading: str) -> str:
    """The fragment that GitHub gives a heading."""
    return "#" + re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _shown(scene: Scene) -> str:
    singles = [variant for variant in kept(scene) if variant.scale == 1]
    rows = [f"### {scene.caption}\n"]
    for at in range(0, len(singles), 2):
        pair = singles[at : at + 2]
        rows.append(_row(_TITLES[variant.name] for variant in pair))
        if at == 0:
            rows.append(_row(":-:" for _ in pair))
        rows.append(_row(_image(scene, variant) for variant in pair))
    if scene.hero:
        rows.append(f"\n[At double size]({PICTURES}/{DOUBLE.file(scene)})")
    return "\n".join(rows) + "\n\n"


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _image(scene: Scene, variant: Variant) -> str:
    return f"![{scene.name}, {_TITLES[variant.name]}]({PICTURES}/{variant.file(scene)})"


def accessibility_page(found: Mapping[tuple[str, str], Checked], scenes: Sequence[Scene]) -> str:
    """``found``: by scene and variant."""
    every = list(found.values())
    head = _ACCESS.format(
        version=every[0].version,
        scenes=len(scenes),
        checks=len(every),
        passed=sum(len(each.passed) for each in every),
        violations=sum(len(each.violations) for each in every),
    )
    variants = sorted({variant for _scene, variant in found})
    lines = [head, "Rules that passed, in each scene:\n\n", _row(["Scene", *variants, "left to the eye"]) + "\n"]
    lines.append(_row(["---", *("--:" for _ in variants), "---"]) + "\n")
    for scene in scenes:
        here = [found[scene.name, variant] for variant in variants]
        open_rules = sorted({finding.rule for each in here for finding in each.incomplete})
        counts = [str(len(each.passed)) for each in here]
        lines.append(_row([scene.name, *counts, ", ".join(open_rules) or "nothing"]) + "\n")
    lines.append("\n## Violations\n\n")
    lines.append(_listed([finding for each in every for finding in each.violations]) or "None.\n")
    lines.append("\n## Left to the eye\n\nWhat axe can't decide by itself, and says so:\n\n")
    lines.append(_listed([finding for each in every for finding in each.incomplete]) or "Nothing.\n")
    return "".join(lines)


def _listed(findings: Sequence[Finding]) -> str:
    """Each rule once, with why and how often."""
    counted = Counter((finding.rule, _reason(place)) for finding in findings for place in finding.places)
    return "".join(f"- `{rule}`: {why} ({count} places)\n" for (rule, why), count in sorted(counted.items()))


def _reason(place: str) -> str:
    return place.partition(": ")[2] or "to be looked at"
