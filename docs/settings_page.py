"""Print docs/settings.md in each language: every setting with its meaning, default and limits.

Generated from the schema and the catalogues: ``python -m docs.settings_page --write``; CI fails if a page is stale.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from pet.i18n import LANGUAGES, Language, Texts
from pet.settings.schema import SETTINGS, allowed
from pet.settings.setting import SettingValue, time_of_day
from pet.settings.store import ENVIRONMENT

DOCS = Path(__file__).parent
FILES: dict[Language, str] = {each: "settings.md" if each == "en" else f"settings.{each}.md" for each in LANGUAGES}


def page(language: Language) -> str:
    """Return the page. Raises KeyError without a setting's text."""
    texts = Texts(language)
    groups: dict[str, list[str]] = {}
    for name, setting in SETTINGS.items():
        groups.setdefault(setting.group, []).append(name)
    lines = [f"# {texts('settings.page.title')}", "", texts("settings.page.intro"), ""]
    lines += [f"<!-- {texts('settings.page.generated')} -->", ""]
    for group, names in groups.items():
        lines += _group(group, names, texts)
    lines += [f"## {texts('settings.page.outside')}", ""]
    lines += [
        "- " + texts("settings.page.environment", variable=f"`{variable}`", name=f"`{name}`")
        for variable, name in ENVIRONMENT.items()
    ]
    lines += [f"- {texts('settings.page.pet')}", f"- {texts('settings.page.key')}"]
    return "\n".join(lines) + "\n"


def _group(group: str, names: Sequence[str], texts: Texts) -> list[str]:
    lines = [f"- `{name}` ({_values(name, texts)}): {texts(f'settings.about.{name}')}" for name in names]
    return [f"## {texts(f'settings.group.{group}')}", "", *lines, ""]


def _values(name: str, texts: Texts) -> str:
    """Return the default, and what is allowed where the default does not tell."""
    default, limits = _value(SETTINGS[name].default, texts), _allowed(name, texts)
    return f"{default}; {limits}" if limits else default


def _value(value: SettingValue, texts: Texts) -> str:
    if value == "":
        return texts("settings.page.empty")
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _allowed(name: str, texts: Texts) -> str:
    setting, limits = SETTINGS[name], allowed(name)
    if limits is None:
        return texts("settings.page.time") if setting.check is time_of_day else ""
    low, high = limits[0], limits[-1]
    if isinstance(low, str) or isinstance(high, str):
        return ", ".join(_value(choice, texts) for choice in limits if choice != setting.default)
    return texts("settings.page.range", low=_number(low, texts), high=_number(high, texts))


def _number(value: float, texts: Texts) -> str:
    return f"{value:g}" if abs(value) < 10_000 else texts.number(value)


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 if done, 1 if stale."""
    parser = argparse.ArgumentParser(prog="python -m docs.settings_page", description="Prints docs/settings.md.")
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("--check", action="store_true", help="fail when a page is not what would be printed")
    group.add_argument("--write", action="store_true", help="replace the pages")
    parser.add_argument("--docs", type=Path, default=DOCS)
    options = parser.parse_args(arguments)
    stale = []
    for language in LANGUAGES:
        file: Path = options.docs / FILES[language]
        if options.write:
            file.write_text(page(language), encoding="utf-8", newline="\n")
        elif not file.is_file() or file.read_text(encoding="utf-8") != page(language):
            stale.append(file.name)
    if stale:
        sys.stderr.write(f"{' and '.join(stale)}: stale, run python -m docs.settings_page --write\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
