"""Text of ``--help``, generated from the grammar and the catalogue."""

from __future__ import annotations

from collections.abc import Iterable

from pet.cli.arguments import BY_NAME, COMMANDS, EVERYWHERE, OPEN, Option, Subcommand
from pet.i18n import Texts

_COLUMN = 26


def usage_line(command: Subcommand) -> str:
    options = " ".join(f"[{option.shown}]" for option in command.options)
    return " ".join(part for part in ("pet", command.name, *command.words, options) if part)


def help_text(name: str, texts: Texts) -> str:
    """Return the help of one command, or with ``OPEN`` of the whole program."""
    return _overview(texts) if name == OPEN else _of_command(BY_NAME[name], texts)


def _overview(texts: Texts) -> str:
    commands = ((command.name or "pet", texts(_summary(command))) for command in COMMANDS)
    lines = [
        texts("cli.help.title"),
        "",
        "  pet [--home DIR] [--pet ID] [...]",
        "",
        texts("cli.help.commands"),
        *_table(commands),
        "",
        *_options("all", EVERYWHERE, texts),
        "",
        texts("cli.help.environment"),
        *_table((name, texts(f"cli.help.environment.{name}")) for name in _VARIABLES),
        "",
        texts("cli.help.exit_codes"),
        texts("cli.help.more"),
    ]
    return "\n".join(lines)


_VARIABLES = ("PET_HOME", "PET_MODEL", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY")


def _of_command(command: Subcommand, texts: Texts) -> str:
    lines = [usage_line(command), "", texts(_summary(command))]
    if command.options:
        lines += ["", *_options(command.name, command.options, texts)]
    return "\n".join(lines)


def _options(area: str, options: Iterable[Option], texts: Texts) -> list[str]:
    rows = ((option.shown, texts(f"cli.option.{area}.{option.name.removeprefix('--')}")) for option in options)
    return [texts("cli.help.options"), *_table(rows)]


def _table(rows: Iterable[tuple[str, str]]) -> list[str]:
    return [f"  {left:<{_COLUMN}}{right}" for left, right in rows]


def _summary(command: Subcommand) -> str:
    return f"cli.help.{command.name or 'open'}"
