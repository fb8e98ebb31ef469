"""The settings: names, defaults, allowed values. Pure; a bad value becomes a named problem, never a crash."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from ipaddress import ip_address
from typing import TYPE_CHECKING, Literal, get_args, get_origin, get_type_hints
from urllib.parse import parse_qsl, urlsplit

from pet.errors import SettingsInvalid
from pet.i18n import Language

if TYPE_CHECKING:
    from pet.access import MemoryMode

SettingValue = str | int | float | bool
LanguageSetting = Literal["system", Language]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every setting with its shipped value."""

    connection: str = "main"  # id of the default connection; "main": the address below
    base_url: str = "https://api.anthropic.com"
    model: str = "claude-haiku-5-5"
    demo: bool = False  # prepared answers instead of a model
    protocol: Literal["auto", "anthropic", "openai"] = "auto"
    local_model: str = ""  # a model on this computer in place of the address: an id, or file: and a path
    notebook: Literal["auto", "on", "off"] = "auto"  # how small models take notes
    effort: str = ""  # "" leaves the model's own
    max_tokens: int = 8096
    thinking: Literal["default", "off"] = "default"
    memory_default: bool = True
    memory_read_only: bool = False  # applies if memory_default is false
    language: LanguageSetting = "system"
    theme: Literal["system", "light", "dark"] = "system"
    reduced_motion: Literal["system", "on", "off"] = "system"
    prompt_mode: Literal["full", "minimal", "none"] = "full"
    prompt_file_characters: int = 20_000
    context_window: int = 0  # 0: unknown
    daily_tokens: int = 0  # 0: no limit
    price_input: float = 0.0  # of a million tokens, in the owner's currency; 0: not known
    price_output: float = 0.0
    history_days: int = 30
    notes_when_asked: bool = False  # notes only what the owner asks for; anything else is proposed
    notes_at_rest: bool = True  # notes what is worth keeping once a conversation is closed or has rested
    recall: bool = True
    recall_count: int = 5  # maximum number of notes with a message
    recall_seconds: float = 1.5  # longest wait of a message for recall
    recall_threshold: float = 0.5  # minimum probability that a message concerns anything remembered
    upkeep: bool = True
    shortcut_memory: str = "Ctrl+Shift+M"
    pet_size: int = 100  # per cent
    pet_opacity: int = 100  # per cent
    fade_on_hover: bool = False  # more transparent while the pointer rests on the pet
    pet_stays_put: bool = False  # neither falls when it is let go, nor walks
    hide_fullscreen: bool = True  # hide while another program fills the screen
    read_aloud: bool = False  # every reply, as it comes
    reading_speed: int = 100  # per cent
    reading_voice_en: str = ""  # name of a voice of the system; "" for its first
    reading_voice_zh: str = ""
    reading_voice_es: str = ""
    quick_replies: bool = True  # suggested answers under a reply that asks
    bubbles: bool = True  # show replies while the chat is hidden
    bubble_seconds: int = 0  # how long a bubble stays; 0: by its length
    reminder_bubbles: bool = True  # a todo with a date comes back on its day
    greetings: Literal["off", "daily", "twice"] = "daily"  # greet the owner
    ask_after: bool = True  # ask after something it remembers, once a day
    heartbeat_daily_tokens: int = 10_000  # for deciding, with HEARTBEAT.md, whether to speak first; 0: never
    agents_shown: Literal["reactions", "states", "silence"] = "reactions"  # what other agents do
    do_not_disturb: bool = False
    quiet_from: str = ""  # HH:MM; no unprompted bubbles between the two
    quiet_until: str = ""
    shortcut_chat: str = ""  # global; "" for none
    shortcut_pet: str = ""
    shortcut_say: str = ""
    shortcut_ask: str = ""
    shortcut_screenshot: str = ""
    ask_suggestions: str = ""  # up to three, one a line; "" for the shipped ones
    ask_memory: Literal["read", "off"] = "read"  # of questions about what is selected

    @property
    def default_memory_mode(self) -> MemoryMode:
        """Memory mode of a new conversation, out of ``memory_default`` and ``memory_read_only``."""
        from pet.access import MemoryMode  # late: settings are read before the first window

        return MemoryMode.of(self.memory_default, read_only=self.memory_read_only)


CLOSED: Mapping[str, SettingValue] = {"memory_default": False, "memory_read_only": False, "ask_memory": "off"}
"""What these settings count as while the file can't be read: nothing that was closed may open by that."""
NAMES = tuple(field.name for field in fields(Settings))
FORMER_NAMES = {"local_model": "mind", "reminder_bubbles": "promise_bubbles"}
"""Settings that older files have under another name; a file keeps it until the setting is changed."""

_RANGES: dict[str, tuple[float, float]] = {
    "max_tokens": (1, 1_000_000),
    "prompt_file_characters": (1_000, 1_000_000),
    "context_window": (0, 100_000_000),
    "daily_tokens": (0, 1_000_000_000),
    "history_days": (1, 3_650),
    "recall_count": (0, 10),
    "pet_size": (50, 200),
    "pet_opacity": (30, 100),
    "reading_speed": (50, 200),
    "bubble_seconds": (0, 120),
    "heartbeat_daily_tokens": (0, 1_000_000),
    "recall_seconds": (0.1, 30.0),
    "recall_threshold": (0.0, 1.0),
    "price_input": (0.0, 100_000.0),
    "price_output": (0.0, 100_000.0),
}
_HINTS = get_type_hints(Settings)
_CHOICES = {name: get_args(hint) for name, hint in _HINTS.items() if get_origin(hint) is Literal}
_CHOICES["effort"] = ("", "low", "medium", "high", "xhigh", "max")
_SHORTCUT = re.compile(r"((Ctrl|Alt|Shift|Meta|Cmd)\+){1,4}([A-Z0-9]|F([1-9]|1[0-2]))")
_HOLDING = frozenset({"Ctrl", "Alt", "Meta", "Cmd"})
"""Every shortcut has one of these: a letter alone, or with Shift, is for typing."""
SHORTCUTS = (
    "shortcut_memory",
    "shortcut_chat",
    "shortcut_pet",
    "shortcut_say",
    "shortcut_ask",
    "shortcut_screenshot",
)
_VOICES = ("reading_voice_en", "reading_voice_zh", "reading_voice_es")
MOST_SUGGESTIONS = 3
_TIME = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]")
_CONNECTION = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def check(name: str, value: object) -> SettingValue:
    """Return the value as stored. Raises SettingsInvalid."""
    if name not in NAMES:
        raise SettingsInvalid(problem="unknown", setting=name[:60])
    return _CHECKS[name](name, value)


def with_place(problem: SettingsInvalid, place: str) -> SettingsInvalid:
    """Return the same problem, reported for ``place`` instead of the setting's name."""
    return SettingsInvalid(problem=problem.problem, **{**problem.args_, "setting": place})


def allowed(name: str) -> tuple[int | float, int | float] | tuple[str, ...] | None:
    """Return a number's range or a word's choices; None for other values."""
    return _RANGES.get(name) or _CHOICES.get(name)


def decode_settings(raw: Mapping[str, object], last: Settings) -> tuple[Settings, tuple[SettingsInvalid, ...]]:
    """Return the settings of a file's top level, and the problems in it. A bad value is replaced by that of ``last``;
    unknown names are ignored; missing ones get their shipped value.
    """
    problems: list[SettingsInvalid] = []
    values: dict[str, SettingValue] = {}
    for name in NAMES:
        written = name if name in raw else FORMER_NAMES.get(name, name)
        if written not in raw:
            continue
        try:
            values[name] = check(name, raw[written])
        except SettingsInvalid as problem:
            problems.append(problem)
            values[name] = getattr(last, name)
    for name in reversed(SHORTCUTS):
        try:
            check_shortcuts(changed(Settings(), values), (name,))
        except SettingsInvalid as problem:
            problems.append(problem)
            values[name] = ""  # the other one keeps the keys
    return changed(Settings(), values), tuple(problems)


def changed(settings: Settings, values: Mapping[str, SettingValue]) -> Settings:
    """Return the settings with these checked values."""
    return replace(settings, **values)  # type: ignore[arg-type]  # every value went through ``check``


THIS_COMPUTER = "http://127.0.0.1"
"""Placeholder address of a model that this program runs itself: loopback, without a key."""


def as_used(settings: Settings) -> Settings:
    """Return the settings with the local model in place of the address, if one is chosen."""
    if not settings.local_model:
        return settings
    return replace(settings, base_url=THIS_COMPUTER, model=settings.local_model, demo=False)


def _number(name: str, value: object) -> int | float:
    kind, (low, high) = _HINTS[name], _RANGES[name]
    if isinstance(value, bool) or not isinstance(value, int | kind):
        raise SettingsInvalid(problem="not_a_number", setting=name)
    if not low <= value <= high:  # NaN is in no range
        raise SettingsInvalid(problem="out_of_range", setting=name, low=low, high=high)
    return float(value) if kind is float else value


def _boolean(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise SettingsInvalid(problem="not_true_or_false", setting=name)
    return value


def _choice(name: str, value: object) -> str:
    allowed = _CHOICES[name]
    if not isinstance(value, str) or value not in allowed:
        choices = ", ".join(f'"{choice}"' for choice in allowed)
        raise SettingsInvalid(problem="not_a_choice", setting=name, choices=choices)
    return str(value)


def _greetings(name: str, value: object) -> str:
    """Accept the boolean of earlier versions too."""
    return _choice(name, ("off", "daily")[value] if isinstance(value, bool) else value)


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise SettingsInvalid(problem="not_a_text", setting=name)
    return str(value).strip()


def _model(name: str, value: object) -> str:
    model = _text(name, value)  # "": none was chosen yet
    if len(model) > 200 or _CONTROL.search(model):
        raise SettingsInvalid(problem="not_a_model", setting=name)
    return model


def _suggestions(name: str, value: object) -> str:
    lines = [line.strip() for line in _text(name, value).splitlines() if line.strip()]
    if len(lines) > MOST_SUGGESTIONS or any(len(line) > 100 or _CONTROL.search(line) for line in lines):
        raise SettingsInvalid(problem="not_a_text", setting=name)
    return "\n".join(lines)


def _line(name: str, value: object) -> str:
    line = _text(name, value)
    if len(line) > 4_000 or _CONTROL.search(line):
        raise SettingsInvalid(problem="not_a_text", setting=name)
    return line


def connection_id(name: str, value: object) -> str:
    """Return the value as a connection's id. Raises SettingsInvalid."""
    id_ = _text(name, value)
    if not _CONNECTION.fullmatch(id_):
        raise SettingsInvalid(problem="not_a_connection", setting=name)
    return id_


_BARE_HOST = re.compile(r"(\[[0-9a-fA-F:]+\]|[A-Za-z0-9][A-Za-z0-9.-]*)(?::\d{1,5})?(?:[/?].*)?")
_SECRET = re.compile(r"key|token|secret|pass|auth|credential|^sig", re.I)


def _with_scheme(url: str) -> str:
    """Return the URL; a host without a scheme gets http within this network, else https."""
    match = None if "://" in url else _BARE_HOST.fullmatch(url)
    if match is None:
        return url
    host = match[1].strip("[]")
    try:
        near = ip_address(host).is_private
    except ValueError:
        near = "." not in host or host.endswith((".local", ".localhost", ".lan"))
    return f"{'http' if near else 'https'}://{url}"


def _url(name: str, value: object) -> str:
    url = _with_scheme(_text(name, value))
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


def _shortcut(name: str, value: object) -> str:
    shortcut = _text(name, value)
    if not shortcut:  # switched off
        return ""
    *modifiers, _key = shortcut.split("+")
    if not _SHORTCUT.fullmatch(shortcut) or len(set(modifiers)) < len(modifiers):
        raise SettingsInvalid(problem="not_a_shortcut", setting=name)
    if not _HOLDING.intersection(modifiers):
        raise SettingsInvalid(problem="shortcut_bare", setting=name)
    return shortcut


def check_shortcuts(settings: Settings, names: Iterable[str] = SHORTCUTS) -> None:
    """Raises SettingsInvalid if one of ``names`` has the keys of another shortcut."""
    for name in names:
        keys = _same_keys(getattr(settings, name))
        for other in SHORTCUTS:
            if keys and other != name and keys == _same_keys(getattr(settings, other)):
                raise SettingsInvalid(
                    problem="shortcut_twice", setting=name, other=other, keys=getattr(settings, name)
                )


def _same_keys(shortcut: str) -> frozenset[str]:
    """Return the shortcut's keys, in any order, with Cmd as Meta."""
    return frozenset(shortcut.replace("Cmd", "Meta").split("+")) if shortcut else frozenset()


def _time(name: str, value: object) -> str:
    time = _text(name, value)
    if time and not _TIME.fullmatch(time):  # "" for none
        raise SettingsInvalid(problem="not_a_time", setting=name)
    return time


_CHECKS: dict[str, Callable[[str, object], SettingValue]] = {
    **{name: _boolean for name, hint in _HINTS.items() if hint is bool},
    **dict.fromkeys(_RANGES, _number),
    **dict.fromkeys(_CHOICES, _choice),
    **dict.fromkeys(SHORTCUTS, _shortcut),
    **dict.fromkeys(_VOICES, _line),
    "connection": connection_id,
    "base_url": _url,
    "model": _model,
    "ask_suggestions": _suggestions,
    "local_model": _line,
    "quiet_from": _time,
    "quiet_until": _time,
    "greetings": _greetings,
}
