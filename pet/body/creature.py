"""Poses of our own bodies: transforms and kinds of their parts. Pure text processing, from SVG to SVG.

A drawing of ``assets/bodies`` marks its parts with ``data-part`` (moved as a whole) and ``data-is`` (shown for these
kinds); shared parts come by ``use``, which ``assemble`` resolves, since QtSvg and nested pictures lack it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyPose:
    """A pose of frames.json. ``x``, ``y``, ``sx``, ``sy``, ``turn``: the whole figure, moved, stretched from the
    ground, rotated around the ground or (``hung``) around the head. ``gaze``: from -1 to 1. ``ears``,
    ``sprout``, ``tail``, ``wave``: degrees. ``feet``, ``bob``: shifts. ``alone``: nothing is next to it;
    ``air``: it is above the ground as well. ``kinds``: part to kind, "" hides."""

    ms: int = 0
    x: float = 0
    y: float = 0
    sx: float = 1
    sy: float = 1
    turn: float = 0
    hung: bool = False
    lies: bool = False
    alone: bool = False
    air: bool = False
    gaze: tuple[float, float] = (0, 0)
    ears: tuple[float, float] = (0, 0)
    sprout: float = 0
    tail: float = 0
    wave: float = 0
    feet: tuple[float, float] = (0, 0)
    bob: float = 0
    kinds: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wear:
    """State shown on every pose: ``bud``, memory is off or paused; ``drowsy``, everything is paused; ``hush``, do not
    disturb; ``holds``, a reminder is due; ``wears``, what belongs to the day, "" for nothing; ``near``, a hard day;
    ``leans``, asleep beside another pet, -1 for one on the left; ``mouth``, left behind by a passing mood;
    ``keeps`` and ``souvenir``, things beside it (``THINGS``), "" for none: of this month, and brought from a trip."""

    bud: bool = False
    drowsy: bool = False
    hush: bool = False
    holds: bool = False
    wears: str = ""
    near: bool = False
    leans: int = 0
    mouth: str = ""
    keeps: str = ""
    souvenir: str = ""


BARE = Wear()
THINGS = (
    *("shell", "acorn", "feather", "clover", "star", "marble"),
    *("key", "mushroom", "snail", "button", "daisy", "bell"),
)
"""Small things of ``parts.svg``."""
WIDTH, HEIGHT = 192, 208
_RESTING: Mapping[str, str] = {
    "feet": "stand",
    "eyes": "open",
    "mouth": "smile",
    "arm-left": "down",
    "arm-right": "down",
    "stem": "tall",
    "leaf": "rest",
}
_HEAD, _GROUND = (96, 60), (96, 194)
# Margin around the figure for lifted ears and leaps.
_SMALLER, _NEAR = "translate(9.6 19.4) scale(0.9)", "translate(4.8 9.7) scale(0.95)"
_LEANING_X, _LEANING_TURN = 6, 5


def shown_kinds(pose: BodyPose, wear: Wear = BARE) -> dict[str, str]:
    """Return the kind shown of each part."""
    shown = {**_RESTING, **pose.kinds}
    if wear.mouth and shown["mouth"] == "smile" and shown["eyes"] == "open":
        shown["mouth"] = wear.mouth
    if wear.bud and shown["leaf"] != "droop":
        shown["leaf"] = "bud"
    if wear.drowsy and shown["eyes"] == "open":
        shown["eyes"] = "half"
    if wear.hush:
        shown["hush"] = "on"
    if wear.wears and wear.wears != "lantern":
        shown["wears"] = wear.wears
    held = shown.get("carries") or shown.get("gift") or shown.get("raised") == "both"
    free = not held and shown["feet"] != "hang"
    if wear.wears == "lantern" and free and shown["arm-right"] == "down":
        shown["carries"] = "lantern"
    if shown["feet"] in ("stand", "dangle") and not (pose.alone or pose.air) and (wear.keeps or wear.souvenir):
        shown |= {"beside": "there", "keeps": wear.keeps, "souvenir": wear.souvenir}
    if shown.get("carries") == "find":
        shown |= {"find": wear.souvenir, "souvenir": ""}
    if wear.holds and free:
        shown["holds"] = "note"
        if shown["arm-left"] == "down":
            shown["arm-left"] = "tummy"
        if shown["arm-right"] == "down" and not shown.get("carries"):
            shown["arm-right"] = "tummy"
    return shown


def _rounded(value: float) -> float:
    return math.floor(value * 100 + 0.5) / 100


def _text(value: float) -> str:
    """Return a number as SVG has it: without a fraction of zero."""
    return str(int(value)) if value == int(value) else repr(float(value))


def _transform(part: str, pose: BodyPose, pivot: str, gain: float, wear: Wear) -> str:
    """Return the transform of one part. ``pivot`` and ``gain`` are the body's."""

    def turned(degrees: float, around: str) -> str:
        return f"rotate({_text(degrees)} {around})"

    def moved(x: float, y: float) -> str:
        return f"translate({_text(x)} {_text(y)})"

    gaze_x, gaze_y = pose.gaze
    x, turn = pose.x + wear.leans * _LEANING_X, pose.turn + wear.leans * _LEANING_TURN
    match part:
        case "figure":
            px, py = _HEAD if pose.hung else _GROUND
            size = _NEAR if wear.near else _SMALLER
            stretched = f"translate({px} {py}) scale({_text(pose.sx)} {_text(pose.sy)}) translate(-{px} -{py})"
            return f"{moved(x, pose.y)} {size} {turned(turn, f'{px} {py}')} {stretched}"
        case "shadow":
            if pose.air:
                return "scale(0)"
            if pose.lies:
                return "translate(96 196) scale(1.35 1) translate(-96 -196)"
            share = _rounded(max(0.45, 1 - max(0, -pose.y) / 60) * pose.sx)
            return f"{moved(_rounded(96 + x * 0.6), 196)} scale({_text(share)}) translate(-96 -196)"
        case "face":
            return moved(_rounded(gaze_x * 9), _rounded(gaze_y * 7))
        case "eyes":
            return moved(_rounded(gaze_x * 2.5), _rounded(gaze_y * 2))
        case "ear-left":
            return turned(_rounded(pose.ears[0] * gain), pivot)
        case "ear-right":
            return turned(_rounded(-pose.ears[1] * gain), pivot)
        case "tail":
            return turned(_rounded(pose.tail * gain), pivot)
        case "sprout":
            return turned(_rounded(pose.sprout - gaze_x * 5), "96 62")
        case "raised-right":
            return turned(pose.wave - 12, "146 152")
        case "foot-left":
            return moved(0, pose.feet[0])
        case "foot-right":
            return moved(0, pose.feet[1])
        case "sign":
            return moved(0, -pose.bob)
        case _:
            return ""


_SHARED = re.compile(r'^<g id="([^"]+)">\n(.*?)^</g>', re.MULTILINE | re.DOTALL)
_COLOURS = ("ink", "brow", "line", "paw")


def assemble(body: str, parts: str) -> str:
    """Return a body's drawing with the shared parts, in the body's colours."""
    for name in _COLOURS:
        own = re.search(f' data-{name}="([^"]+)"', body)
        parts = parts.replace(f'"{name.upper()}"', f'"{own[1] if own else "#000"}"')
    shared = {match[1]: match[2] for match in _SHARED.finditer(parts)}
    things = shared.get("things", "")
    for place in ("find", "keeps", "souvenir"):
        here = things.replace("THING:", f"{place}:")
        shared = {name: part.replace(place.upper(), here) for name, part in shared.items()}
    body = re.sub(r' data-(?:ink|brow|line|paw)="[^"]*"', "", body)
    body = re.sub(r"<!--.*?-->\s*", "", body, flags=re.DOTALL)
    body = re.sub(r'<use href="#([^"]+)"/>', lambda use: shared.get(use[1], ""), body)
    return re.sub(r"\n\s*", "\n", body)


_PART = re.compile(r' data-part="([^"]+)"([^>]*?)(/?)>')
_IS = re.compile(r' data-is="([^":]+):([^"]+)"')
_OWN, _PIVOT, _GAIN = (re.compile(f' {name}="([^"]*)"') for name in ("transform", "data-pivot", "data-gain"))
_MOVED = re.compile(r' (?:transform|data-pivot|data-gain)="[^"]*"')


def pose_drawing(drawing: str, pose: BodyPose, wear: Wear = BARE) -> str:
    """Return the drawing in a pose, as text without the hidden parts."""
    shown = shown_kinds(pose, wear)

    def part(match: re.Match[str]) -> str:
        name, rest, end = match.groups()
        own, pivot, gain = _OWN.search(rest), _PIVOT.search(rest), _GAIN.search(rest)
        moved = _transform(name, pose, pivot[1] if pivot else "96 130", float(gain[1]) if gain else 1, wear)
        transform = f"{moved} {own[1] if own else ''}".strip()
        kept = _MOVED.sub("", rest)
        return f'{kept} transform="{transform}"{end}>' if transform else f"{kept}{end}>"

    def kind(match: re.Match[str]) -> str:
        return "" if shown.get(match[1], "") in match[2].split(" ") else ' display="none"'

    return _PART.sub(part, visible(_IS.sub(kind, drawing)))


def visible(svg: str) -> str:
    """Return the drawing without elements of display="none"."""
    hidden = 0
    kept: list[str] = []
    for piece in re.split(r"(<[^>]+>)", svg):
        if not piece.startswith("<"):
            if not hidden:
                kept.append(piece)
            continue
        hides = hidden > 0 or 'display="none"' in piece
        if hides and not piece.startswith("</") and not piece.endswith("/>"):
            hidden += 1
        elif hides and piece.startswith("</"):
            hidden -= 1
        if not hides:
            kept.append(piece)
    return re.sub(r"\n\s*(?=\n)", "", "".join(kept))


_DEFINITIONS = re.compile(r"<defs>.*</defs>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Cell:
    """A body in a pose, at a place of a grid. ``mirrored``: left and right."""

    pose: BodyPose
    column: int
    row: int
    mirrored: bool = False


def definitions(drawing: str) -> str:
    """Return the gradients of a drawing, for all of its cells."""
    match = _DEFINITIONS.search(drawing)
    return match[0] if match else ""


def drawn_cell(drawing: str, cell: Cell) -> str:
    """Return a cell as a nested picture, without the definitions."""
    body = re.sub(r"<svg[^>]*>", "", pose_drawing(drawing, cell.pose), count=1)
    body = _DEFINITIONS.sub("", re.sub(r"</svg>\s*$", "", body))
    flip = f' transform="translate({WIDTH} 0) scale(-1 1)"' if cell.mirrored else ""
    at = f'x="{cell.column * WIDTH}" y="{cell.row * HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    return f"<svg {at}><g{flip}>{body}</g></svg>"


def drawn_sheet(drawing: str, cells: Sequence[Cell]) -> str:
    """Return cells as one drawing: nested pictures, since parts have the same names in each."""
    columns, rows = max(cell.column for cell in cells) + 1, max(cell.row for cell in cells) + 1
    size = f'width="{WIDTH * columns}" height="{HEIGHT * rows}"'
    art = "".join(drawn_cell(drawing, cell) for cell in cells)
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{definitions(drawing)}{art}</svg>'


def looking(direction: int) -> BodyPose:
    """Return the pose that looks in one of 16 directions, clockwise from up."""
    angle = direction * math.pi / 8
    return BodyPose(gaze=(_rounded(math.sin(angle)), _rounded(-math.cos(angle))), ears=(2, 2))


def thing_alone(parts: str, name: str) -> str:
    """Return a small thing as a drawing; an empty one for an unknown name."""
    place = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-20 -21 40 42" stroke-linecap="round" \
stroke-linejoin="round">\n<use href="#things"/></svg>'
    return visible(_IS.sub(lambda kind: "" if kind[2] == name else ' display="none"', assemble(place, parts)))


# A note on the right, and on the left what belongs to the day.
_THINGS = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 192 208" width="192" height="208" data-paw="#fff">
<g stroke-linecap="round" stroke-linejoin="round">
<g transform="translate(72 18) scale(0.92)"><use href="#holds"/></g>
<g transform="translate(-110 112) scale(0.98)"><use href="#wears"/></g>
<g transform="translate(-136 32)"><use href="#carries"/></g></g></svg>"""


def besides(parts: str, wear: Wear) -> str:
    """Return the things beside a skin that isn't ours, as a drawing; "" for nothing."""
    return pose_drawing(assemble(_THINGS, parts), BodyPose(), wear) if wear.holds or wear.wears else ""
