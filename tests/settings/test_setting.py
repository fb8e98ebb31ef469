"""The record of a setting: what is forgotten is noticed when the module is imported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import pytest

from pet.errors import SettingsInvalid
from pet.i18n import LANGUAGES, Language, Texts
from pet.settings.schema import SETTINGS
from pet.settings.setting import Number, Spec, settings_of


@dataclass(frozen=True)
class _Unchecked:
    name: Annotated[str, Spec("memory")] = ""


@dataclass(frozen=True)
class _Unlimited:
    count: Annotated[int, Spec("memory")] = 1


@dataclass(frozen=True)
class _Ungrouped:
    switch: bool = False


@dataclass(frozen=True)
class _OutOfRange:
    count: Annotated[int, Spec("memory", Number(5, 10))] = 1


@pytest.mark.parametrize("kind", [_Unchecked, _Unlimited, _Ungrouped])
def test_a_setting_without_check_limits_or_group_is_refused(kind: type) -> None:
    with pytest.raises(TypeError, match="has no"):
        settings_of(kind)


def test_a_default_out_of_the_limits_is_refused() -> None:
    with pytest.raises(SettingsInvalid):
        settings_of(_OutOfRange)


@dataclass(frozen=True)
class _Typed:
    switch: Annotated[bool, Spec("memory")] = False
    way: Annotated[Literal["one", "two"], Spec("memory")] = "one"


def test_switches_and_literals_are_checked_by_their_type() -> None:
    switch, way = settings_of(_Typed).values()
    assert switch.check("switch", True) is True
    assert way.check("way", "two") == "two"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_setting_has_its_text_and_its_group_a_heading(language: Language) -> None:
    texts = Texts(language)
    for name, setting in SETTINGS.items():
        assert texts(f"settings.about.{name}")
        assert texts(f"settings.group.{setting.group}")
