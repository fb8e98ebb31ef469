"""The pages about the settings are what schema and catalogues say, in both languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.settings_page import DOCS, FILES, main, page
from pet.i18n import LANGUAGES, Language, Texts
from pet.settings.schema import NAMES, SETTINGS, allowed


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_committed_page_is_fresh(language: Language) -> None:
    written = (DOCS / FILES[language]).read_text(encoding="utf-8")
    assert written == page(language), "run python -m docs.settings_page --write"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_setting_stands_once_with_its_value_and_its_limits(language: Language) -> None:
    lines = page(language).splitlines()
    for name in NAMES:
        (line,) = (each for each in lines if each.startswith(f"- `{name}` ("))
        values, meaning = line.split("): ", 1)
        shipped, _, limits = values.partition("; ")
        value = SETTINGS[name].default
        assert value == "" or str(value).lower() in shipped.lower()
        bounds = allowed(name)
        if bounds is not None and not isinstance(bounds[0], str):
            low, high = (f"{each:g}" if each < 10_000 else Texts(language).number(each) for each in bounds)
            assert low in limits and high in limits
        assert len(meaning) > 5
        assert "{" not in line


def test_a_stale_page_is_named_and_written_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    docs = ["--docs", str(tmp_path)]
    assert main(["--check", *docs]) == 1
    assert main(["--write", *docs]) == 0
    assert main(["--check", *docs]) == 0
    (tmp_path / "settings.zh.md").write_text("old", encoding="utf-8")
    capsys.readouterr()
    assert main(["--check", *docs]) == 1
    assert capsys.readouterr().err.startswith("settings.zh.md: stale")
