"""The two pages of docs/ the gallery writes: one from the table of scenes alone, one from what axe said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby

from lab.gallery.scenes.films import FILMS
from lab.gallery.scenes.table import Scene, all_scenes
from lab.gallery.studio.checks import Checked, Finding
from lab.gallery.variants import DOUBLE, kept

PICTURES = "images/gallery"
_GALLERY = """\
# Gallery

`make gallery` takes every picture from the real program on a real desktop; the replies come from a prepared server.
English in light is on the left, Chinese in dark on the right.

"""
_MOTION = "In motion"
_ACCESS = """\
# Accessibility

Written by `make gallery`: every scene of [the gallery](gallery.md) is checked in the real program with
[axe](https://github.com/dequelabs/axe-core) {version}, all rules on, contrast included, once in English and light and
once in Chinese and dark.
`tests/window/settings/test_gallery.py` fails on any violation; another test goes through chat, settings and first
start with the Tab key: each stop has a name, is visible and shows a ring.

**{scenes} scenes, {checks} checks, {passed} rules passed, {violations} violations.**

"""


def gallery_page() -> str:
    lines = [_GALLERY, f"## {_MOTION}\n\n"]
    lines += [f"![{film.name}]({PICTURES}/{film.name}.webp)\n\n*{film.caption}*\n\n" for film in FILMS]
    for part, scenes in groupby(all_scenes(), key=lambda scene: scene.part):
        lines.append(f"## {part}\n\n")
        lines += [_shown(scene) for scene in scenes if scene.stored]
    return "".join(lines).rstrip() + "\n"


def _shown(scene: Scene) -> str:
    singles = [f"![{each.name}]({PICTURES}/{each.file(scene)})" for each in kept(scene) if each.scale == 1]
    rows = [f"|{'|'.join(singles[start : start + 2])}|\n" for start in range(0, len(singles), 2)]
    columns = min(len(singles), 2)
    lines = [f"### {scene.caption}\n\n", rows[0], "|-" * columns + "|\n", *rows[1:]]
    if scene.hero:
        lines.append(f"\n[@2x]({PICTURES}/{DOUBLE.file(scene)})\n")
    return "".join(lines) + "\n"


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
    lines = [head, "## Violations\n\n"]
    lines.append(_listed([finding for each in every for finding in each.violations]) or "None.\n")
    lines.append("\n## Undecided\n\nWhat axe can't decide by itself:\n\n")
    lines.append(_listed([finding for each in every for finding in each.incomplete]) or "Nothing.\n")
    return "".join(lines)


def _listed(findings: Sequence[Finding]) -> str:
    """Each rule once, with why and how often."""
    counted = Counter((finding.rule, _reason(place)) for finding in findings for place in finding.places)
    return "".join(f"- `{rule}`: {why} ({count} places)\n" for (rule, why), count in sorted(counted.items()))


def _reason(place: str) -> str:
    return place.partition(": ")[2] or "to be looked at"
