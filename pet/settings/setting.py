"""The record of one setting: its type and default, and in its annotation its group, its check and its row.

A setting whose values nothing checks can't be imported. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from ipaddress import ip_address
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints
from urllib.parse import parse_qsl, urlsplit

from pet.errors import SettingsInvalid

SettingValue = str | int | float | bool
Check = Callable[[str, object], SettingValue]
"""Returns the value of the setting of this name as it is stored. Raises SettingsInvalid."""


@dataclass(frozen=True, slots=True)
class Shown:
    """The row of a setting. ``at``: its place among the settings, as a pane names it; ``order``: rank in that place;
    ``usual``: numbers to choose from; ``percent``: a slider; ``step``: of a number; ``needs``: an ability of the
    desktop; ``when``: another setting that must be on (True) or off.

    Its words are the texts settings.row.NAME, and where they are there NAME_note, NAME_unit, and NAME_VALUE of each
    value; of other numbers NAME_some.
    """

    at: str
    order: int = 100
    usual: tuple[int, ...] = ()
    percent: bool = False
    step: float = 1
    needs: Literal["", "opacity", "fullscreen", "shortcuts", "speech"] = ""
    when: tuple[str, bool] | None = None


@dataclass(frozen=True, slots=True)
class Spec:
    """The annotation of a setting. ``group``: its heading; ``check`` None: of a switch and of a Literal, whose type
    says what is allowed; ``row`` None: no pane has it, or a part of a pane draws it.

    >>> class Example:
    ...     count: Annotated[int, Spec("memory", Number(0, 10))] = 5
    """

    group: str
    check: Check | None = None
    row: Shown | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    default: SettingValue
    group: str
    check: Check
    row: Shown | None


def settings_of(kind: type) -> dict[str, Setting]:
    """Return the settings of a dataclass by name. Raises TypeError for one without a group or a check.

    A field without a default is no setting.
    """
    hints = get_type_hints(kind, include_extras=True)
    return {
        each.name: _setting(each.name, hints[each.name], each.default)
        for each in fields(kind)
        if each.default is not MISSING
    }


def shipped(settings: Mapping[str, Setting]) -> dict[str, SettingValue]:
    return {name: each.default for name, each in settings.items()}


def _setting(name: str, hint: Any, default: SettingValue) -> Setting:
    annotated, *specs = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    spec = specs[0] if specs else None
    check: Check | None = spec.check if isinstance(spec, Spec) else None
    if check is None and annotated is bool:
        check = boolean
    elif check is None and get_origin(annotated) is Literal:
        check = OneOf(get_args(annotated))
    if not isinstance(spec, Spec) or check is None:
        raise TypeError(f"the setting {name} has no {'check' if isinstance(spec, Spec) else 'Spec'}")
    if check(name, default) != default:
        raise TypeError(f"the setting {name} refuses its default")
    return Setting(default=default, group=spec.group, check=check, row=spec.row)


# --- checks -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Number:
    """A number within these limits, whole if they are."""

    low: float
    high: float

    def __call__(self, name: str, value: object) -> int | float:
        kind = type(self.low)
        if isinstance(value, bool) or not isinstance(value, int | kind):
            raise SettingsInvalid(problem="not_a_number", setting=name)
        if not self.low <= value <= self.high:  # NaN is in no range
            raise SettingsInvalid(problem="out_of_range", setting=name, low=self.low, high=self.high)
        return kind(value)


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of some words. ``former``: words for what earlier versions wrote."""

    words: tuple[str, ...]
    former: Mapping[object, str] | None = None

    def __call__(self, name: str, value: object) -> str:
        word = self.former[value] if self.former and isinstance(value, bool) else value
        if not isinstance(word, str) or word not in self.words:
            choices = ", ".join(f'"{choice}"' for choice in self.words)
            raise SettingsInvalid(problem="not_a_choice", setting=name, choices=choices)
        return str(word)


_SHORTCUT = re.compile(r"((Ctrl|Alt|Shift|Meta|Cmd)\+){1,4}([A-Z0-9]|F([1-9]|1[0-2]))")
_HOLDING = frozenset({"Ctrl", "Alt", "Meta", "Cmd"})
"""Every shortcut has one of these: a letter alone, or with Shift, is for typing."""
MOST_SUGGESTIONS = 3
_TIME = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]")
_CONNECTION = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def boolean(name: str, value: object) -> bool:
    """Return true or false. Raises SettingsInvalid."""
    if not isinstance(value, bool):
        raise SettingsInvalid(problem="not_true_or_false", setting=name)
    return value


def text(name: str, value: object) -> str:
    """Return a text without the spaces around it. Raises SettingsInvalid."""
    if not isinstance(value, str):
        raise SettingsInvalid(problem="not_a_text", setting=name)
    return str(value).strip()


def name_of_model(name: str, value: object) -> str:
    """Return a model's name. Raises SettingsInvalid."""
    model = text(name, value)  # "": none was chosen yet
    if len(model) > 200 or _CONTROL.search(model):
        raise SettingsInvalid(problem="not_a_model", setting=name)
    return model


def suggestions(name: str, value: object) -> str:
    """Return up to three questions, one a line. Raises SettingsInvalid."""
    lines = [line.strip() for line in text(name, value).splitlines() if line.strip()]
    if len(lines) > MOST_SUGGESTIONS or any(len(line) > 100 or _CONTROL.search(line) for line in lines):
        raise SettingsInvalid(problem="not_a_text", setting=name)
    return "\n".join(lines)


def line(name: str, value: object) -> str:
    """Return one line of text. Raises SettingsInvalid."""
    words = text(name, value)
    if len(words) > 4_000 or _CONTROL.search(words):
        raise SettingsInvalid(problem="not_a_text", setting=name)
    return words


def connection_id(name: str, value: object) -> str:
    """Return the value as a connection's id. Raises SettingsInvalid."""
    id_ = text(name, value)
    if not _CONNECTION.fullmatch(id_):
        raise SettingsInvalid(problem="not_a_connection", setting=name)
    return id_


_BARE_HOST = re.compile(r"(\[[0-9a-fA-F:]+\]|[A-Za-z0-9][A-Za-z0-9.-]*)(?::\d{1,5})?(?:[/?].*)?")
_SECRET = re.compile(r"key|token|secret|pass|auth|credential|^sig", re.I)


def is_near_host(host: str) -> bool:
    """Whether a host is this computer or in its network."""
    try:
        return ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith((".local", ".localhost", ".lan"))


def _with_scheme(url: str) -> str:
    """Return the URL; a host without a scheme gets http within this network, else https."""
    match = None if "://" in url else _BARE_HOST.fullmatch(url)
    if match is None:
        return url
    return f"{'http' if is_near_host(match[1].strip('[]')) else 'https'}://{url}"


def address(name: str, value: object) -> str:
    """Return a URL without user, fragment or key. Raises SettingsInvalid."""
    url = _with_scheme(text(name, value))
    try:
        parts = urlsplit(url)
        is_valid = (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and parts.port != 0
            and parts.username is None
            and parts.password is None
            and not parts.fragment
        )
        names = [key for key, _ in parse_qsl(parts.query, keep_blank_values=True)]
    except ValueError:  # a port that is no number, a bracket left open
        is_valid, names = False, []
    if not is_valid or _CONTROL.search(url) or " " in url or len(url) > 500:
        raise SettingsInvalid(problem="not_an_address", setting=name)
    if any(map(_SECRET.search, names)):
        raise SettingsInvalid(problem="key_in_address", setting=name)
    return url


def shortcut(name: str, value: object) -> str:
    """Return a shortcut with a key that holds. Raises SettingsInvalid."""
    keys = text(name, value)
    if not keys:  # switched off
        return ""
    *modifiers, _key = keys.split("+")
    if not _SHORTCUT.fullmatch(keys) or len(set(modifiers)) < len(modifiers):
        raise SettingsInvalid(problem="not_a_shortcut", setting=name)
    if not _HOLDING.intersection(modifiers):
        raise SettingsInvalid(problem="shortcut_bare", setting=name)
    return keys


def time_of_day(name: str, value: object) -> str:
    """Return a time, HH:MM, or "". Raises SettingsInvalid."""
    time = text(name, value)
    if time and not _TIME.fullmatch(time):  # "" for none
        raise SettingsInvalid(problem="not_a_time", setting=name)
    return time
