"""The settings: names, defaults, allowed values. Pure; a bad value becomes a named problem, never a crash."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

from pet.errors import SettingsInvalid
from pet.extra import extras
from pet.i18n import DateOrder, Language
from pet.settings.setting import (
    Number,
    OneOf,
    Setting,
    SettingValue,
    Shown,
    Spec,
    address,
    connection_id,
    line,
    name_of_model,
    settings_of,
    shipped,
    shortcut,
    suggestions,
    time_of_day,
)

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from pet.access import MemoryMode

S = TypeVar("S", bound="DataclassInstance")
LanguageSetting = Literal["system", Language]
_LIFE = OneOf(("calm", "lively", "still"), former={False: "calm", True: "still"})
_GREETINGS = OneOf(("off", "daily", "twice"), former={False: "off", True: "daily"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every setting with its shipped value, its group, its check and its row (``setting.Spec``). What it does is said
    by the text ``settings.about.NAME``.
    """

    connection: Annotated[str, Spec("thinking", connection_id)] = "main"
    base_url: Annotated[str, Spec("thinking", address)] = "https://api.anthropic.com"
    protocol: Annotated[Literal["auto", "anthropic", "openai", "responses"], Spec("thinking")] = "auto"
    model: Annotated[str, Spec("thinking", name_of_model)] = "claude-haiku-5-5"
    local_model: Annotated[str, Spec("thinking", line)] = ""
    notebook: Annotated[Literal["auto", "on", "off"], Spec("thinking")] = "auto"
    demo: Annotated[bool, Spec("thinking")] = False
    # "" leaves the model's own
    effort: Annotated[
        str,
        Spec("thinking", OneOf(("", "low", "medium", "high", "xhigh", "max")), row=Shown("advanced_model", 1)),
    ] = ""
    thinking: Annotated[Literal["default", "off"], Spec("thinking", row=Shown("advanced_model", 2))] = "default"
    max_tokens: Annotated[int, Spec("thinking", Number(1, 1_000_000), row=Shown("advanced_model", 4))] = 8096
    context_window: Annotated[int, Spec("thinking", Number(0, 100_000_000))] = 0
    memory_default: Annotated[bool, Spec("memory")] = True
    memory_read_only: Annotated[bool, Spec("memory")] = False
    notes_when_asked: Annotated[bool, Spec("memory")] = False
    notes_at_rest: Annotated[
        bool, Spec("memory", row=Shown("advanced_memory", 1, when=("notes_when_asked", False)))
    ] = True
    recall: Annotated[bool, Spec("memory", row=Shown("memory"))] = True
    recall_count: Annotated[
        int,
        Spec(
            "memory",
            Number(0, 10),
            row=Shown("advanced_memory", 4, usual=(1, 2, 3, 5, 8), when=("recall", True)),
        ),
    ] = 5
    recall_seconds: Annotated[float, Spec("memory", Number(0.1, 30.0))] = 1.5
    recall_threshold: Annotated[float, Spec("memory", Number(0.0, 1.0))] = 0.5
    upkeep: Annotated[bool, Spec("memory", row=Shown("advanced_memory", 2))] = True
    history_days: Annotated[int, Spec("memory", Number(1, 3_650))] = 30
    language: Annotated[LanguageSetting, Spec("look", row=Shown("desktop", 1))] = "system"
    date_order: Annotated[DateOrder, Spec("look", row=Shown("advanced_desktop", 4))] = "system"
    theme: Annotated[Literal["system", "light", "dark"], Spec("look", row=Shown("desktop", 2))] = "system"
    reduced_motion: Annotated[Literal["system", "on", "off"], Spec("look", row=Shown("moves", 6))] = "system"
    show_usage: Annotated[bool, Spec("look", row=Shown("advanced_model", 3))] = False
    pet_size: Annotated[int, Spec("look", Number(50, 200), row=Shown("looks", percent=True))] = 100
    pet_opacity: Annotated[
        int, Spec("desktop", Number(30, 100), row=Shown("advanced_desktop", 5, percent=True, needs="opacity"))
    ] = 100
    fade_on_hover: Annotated[bool, Spec("desktop", row=Shown("moves", 4, needs="opacity"))] = False
    pet_life: Annotated[Literal["calm", "lively", "still"], Spec("desktop", _LIFE, row=Shown("moves", 1))] = "calm"
    hide_fullscreen: Annotated[bool, Spec("desktop", row=Shown("moves", 5, needs="fullscreen"))] = True
    shortcut_memory: Annotated[str, Spec("keys", shortcut)] = "Ctrl+Shift+M"
    shortcut_chat: Annotated[str, Spec("keys", shortcut)] = ""
    shortcut_pet: Annotated[str, Spec("keys", shortcut)] = ""
    shortcut_say: Annotated[str, Spec("keys", shortcut)] = ""
    shortcut_ask: Annotated[str, Spec("keys", shortcut)] = ""
    shortcut_screenshot: Annotated[str, Spec("keys", shortcut)] = ""
    ask_suggestions: Annotated[
        str,
        Spec("keys", suggestions, row=Shown("advanced_desktop", 6, needs="shortcuts", when=("shortcut_ask", True))),
    ] = ""
    ask_memory: Annotated[
        Literal["read", "off"],
        Spec("keys", row=Shown("advanced_desktop", 7, needs="shortcuts", when=("shortcut_ask", True))),
    ] = "read"
    bubbles: Annotated[bool, Spec("company", row=Shown("quiet", 2))] = True
    bubble_seconds: Annotated[
        int, Spec("company", Number(0, 120), row=Shown("advanced_desktop", 2, usual=(0, 5, 10, 20)))
    ] = 0
    reminder_bubbles: Annotated[bool, Spec("company", row=Shown("quiet", 3))] = True
    greetings: Annotated[Literal["off", "daily", "twice"], Spec("company", _GREETINGS, row=Shown("quiet", 4))] = (
        "daily"
    )
    ask_after: Annotated[bool, Spec("company", row=Shown("quiet", 5))] = True
    do_not_disturb: Annotated[bool, Spec("company", row=Shown("quiet", 1))] = False
    quiet_from: Annotated[str, Spec("company", time_of_day)] = ""
    quiet_until: Annotated[str, Spec("company", time_of_day)] = ""
    daily_tokens: Annotated[int, Spec("usage", Number(0, 1_000_000_000), row=Shown("usage", 1, step=1_000))] = 0
    price_input: Annotated[float, Spec("usage", Number(0.0, 100_000.0), row=Shown("usage", 2, step=0.01))] = 0.0
    price_output: Annotated[float, Spec("usage", Number(0.0, 100_000.0), row=Shown("usage", 3, step=0.01))] = 0.0
    prompt_mode: Annotated[Literal["full", "minimal", "none"], Spec("prompt", row=Shown("advanced_memory", 3))] = (
        "full"
    )
    prompt_file_characters: Annotated[int, Spec("prompt", Number(1_000, 1_000_000))] = 20_000

    # those of the extras that are there, by name
    extras: dict[str, SettingValue] = field(default_factory=lambda: shipped(OF_EXTRAS), hash=False)

    def of(self, kind: type[S]) -> S:
        """Return the settings of an extra, typed."""
        return kind(**{name: self.extras[name] for name in kind.__dataclass_fields__})

    @property
    def default_memory_mode(self) -> MemoryMode:
        """Memory mode of a new conversation, out of ``memory_default`` and ``memory_read_only``."""
        from pet.access import MemoryMode  # late: settings are read before the first window

        return MemoryMode.of(self.memory_default, read_only=self.memory_read_only)


CLOSED: Mapping[str, SettingValue] = {
    "memory_default": False,
    "memory_read_only": False,
    "ask_memory": "off",
    "notes_when_asked": True,
    "notes_at_rest": False,
    "recall": False,
    "upkeep": False,
}
"""Values of these settings while the file can't be read: nothing that was closed may open by that."""
OF_EXTRAS: Mapping[str, Setting] = {
    name: each for extra in extras() if extra.settings for name, each in settings_of(extra.settings).items()
}
SETTINGS: Mapping[str, Setting] = {**settings_of(Settings), **OF_EXTRAS}
NAMES = tuple(SETTINGS)
FORMER_NAMES = {"local_model": "mind", "pet_life": "pet_stays_put", "reminder_bubbles": "promise_bubbles"}
"""Settings that older files have under another name; a file keeps it until the setting is changed."""

SHORTCUTS = tuple(name for name, each in SETTINGS.items() if each.check is shortcut)


def check(name: str, value: object) -> SettingValue:
    """Return the value as stored. Raises SettingsInvalid."""
    if name not in NAMES:
        raise SettingsInvalid(problem="unknown", setting=name[:60])
    return SETTINGS[name].check(name, value)


def with_place(problem: SettingsInvalid, place: str) -> SettingsInvalid:
    """Return the same problem, reported for ``place`` instead of the setting's name."""
    return SettingsInvalid(problem=problem.problem, **{**problem.args_, "setting": place})


def allowed(name: str) -> tuple[int | float, int | float] | tuple[str, ...] | None:
    """Return a number's range or a word's choices; None for other values."""
    match SETTINGS[name].check:
        case Number(low=low, high=high):
            return low, high
        case OneOf(words=words):
            return words
        case _:
            return None


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
            values[name] = values_of(last)[name]
    for name in reversed(SHORTCUTS):
        try:
            check_shortcuts(changed(Settings(), values), (name,))
        except SettingsInvalid as problem:
            problems.append(problem)
            values[name] = ""  # the other one keeps the keys
    return changed(Settings(), values), tuple(problems)


def changed(settings: Settings, values: Mapping[str, SettingValue]) -> Settings:
    """Return the settings with these checked values."""
    own = {name: value for name, value in values.items() if name not in OF_EXTRAS}
    others = {**settings.extras, **{name: value for name, value in values.items() if name in OF_EXTRAS}}
    return replace(settings, **own, extras=others)  # type: ignore[arg-type]  # every value went through ``check``


def values_of(settings: Settings) -> dict[str, SettingValue]:
    """Return every setting by its name, those of the extras too."""
    return {name: getattr(settings, name) for name in NAMES if name not in OF_EXTRAS} | settings.extras


THIS_COMPUTER = "http://127.0.0.1"
"""Placeholder address of a model that this program runs itself: loopback, without a key."""


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
