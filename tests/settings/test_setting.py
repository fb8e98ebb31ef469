"""The record of a setting: what is forgotten is noticed when the module is imported."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import pytest

from pet.errors import SettingsInvalid
from pet.i18n import LANGUAGES, Language, Texts, catalogue
from pet.settings.schema import SETTINGS
from pet.settings.setting import Number, OneOf, Spec, settings_of

ROOT = Path(__file__).resolve().parents[2]


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


ROWS = {name: each for name, each in SETTINGS.items() if each.row is not None}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_row_has_its_words_and_every_such_text_a_row(language: Language) -> None:
    texts = catalogue(language)
    needed = {f"settings.row.{name}" for name in ROWS}
    optional = {f"settings.row.{name}_{part}" for name in ROWS for part in ("note", "unit", "some", "default")}
    for name, each in ROWS.items():
        words = each.check.words if isinstance(each.check, OneOf) else ()
        needed |= {f"settings.row.{name}_{word or 'default'}" for word in words if f"ui.look.{word}" not in texts}
        optional |= {f"settings.row.{name}_{number}" for number in each.row.usual} if each.row else set()
    assert needed - texts.keys() == set()
    assert {key for key in texts if key.startswith("settings.row.")} - needed - optional == set()


def test_every_row_is_in_a_pane_and_depends_on_a_setting_that_is_there() -> None:
    """A row whose place no pane names would be seen nowhere."""
    page = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "ui" / "src").rglob("*.tsx"))
    for each in ROWS.values():
        assert each.row is not None
        assert f'<Rows at="{each.row.at}"' in page
        assert each.row.when is None or each.row.when[0] in SETTINGS
