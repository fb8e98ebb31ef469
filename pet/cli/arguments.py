"""Command line grammar, parser and help. Pure.

Not argparse: errors are catalogue keys with arguments, where argparse's are English sentences; an option's value is
always the next argument, so that a message may begin with a hyphen; options may come between the words of a command.

>>> read_arguments(["chat", "--once", "- milk", "--memory=off"]).value("--once")
'- milk'
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from pet.access import MemoryMode
from pet.i18n import Texts
from pet.prompt.build import MODES

OPEN = ""
"""The command name of a bare ``pet``."""


@dataclass(frozen=True, slots=True)
class Option:
    """``value``: name of the value in the help, "" for a flag. ``several``: repeatable."""

    name: str
    value: str = ""
    choices: tuple[str, ...] = ()
    several: bool = False

    @property
    def shown(self) -> str:
        return f"{self.name} {self.value}" if self.value else self.name


@dataclass(frozen=True, slots=True)
class Subcommand:
    """``words``: positional arguments, optional ones in brackets. ``actions``: the values of the first word with the
    words that each takes; the first one is the default. ``not_together``: pairs of options, or option and action."""

    name: str
    words: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    not_together: tuple[tuple[str, str], ...] = ()
    actions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The parsed command line."""

    command: str
    words: tuple[str, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict)
    switches: frozenset[str] = frozenset()
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def all(self, option: str) -> tuple[str, ...]:
        return self.lists.get(option, ())

    def value(self, option: str) -> str | None:
        return self.values.get(option)

    def has(self, switch: str) -> bool:
        return switch in self.switches

    def word(self, place: int) -> str | None:
        """Return the word at this 0-based place, or None."""
        return self.words[place] if place < len(self.words) else None

    def memory_mode(self, option: str) -> MemoryMode | None:
        value = self.values.get(option)
        return None if value is None else MemoryMode(value)


class UsageProblem(Exception):
    """An invalid command line, as a catalogue key and its arguments."""

    def __init__(self, problem: str, *, command: str = OPEN, **args: str) -> None:
        super().__init__(problem)
        self.key = f"cli.usage.{problem}"
        self.command = command
        self.args_ = args


_ON_OFF = ("on", "off")
MEMORY = Option("--memory", "on|read|off", tuple(MemoryMode))
JSON = Option("--json")

_PETS = {
    "list": (),
    "create": ("NAME",),
    "rename": ("ID", "NAME"),
    "duplicate": ("ID", "NAME"),
    "delete": ("ID",),
    "switch": ("ID",),
}
_PETS_ONLY_WITH = {"--copy-profile": "create", "--yes": "delete"}
_CONNECTION = {
    "list": (),
    "add": ("ID", "[NAME]"),
    "use": ("ID",),
    "rename": ("ID", "NAME"),
    "key": ("ID",),
    "test": ("ID",),
    "remove": ("ID",),
}
EVERYWHERE = (Option("--home", "DIR"), Option("--pet", "ID"), Option("--version"), Option("--help"))

COMMANDS = (
    Subcommand(OPEN),
    Subcommand(
        "chat",
        options=(
            MEMORY,
            Option("--conversation", "ID"),
            Option("--once", "TEXT"),
            Option("--attach", "FILE", several=True),
            Option("--yes"),
            Option("--no"),
            Option("--temporary"),
        ),
        not_together=(("--yes", "--no"), ("--temporary", "--conversation")),
    ),
    Subcommand("prompt", options=(MEMORY, Option("--mode", "|".join(MODES), MODES), JSON)),
    Subcommand("search", ("QUERY",), (Option("-k", "N"), JSON)),
    Subcommand(
        "forget",
        ("[TEXT]",),
        (Option("--conversation", "ID"), Option("--learned"), Option("--yes"), JSON),
    ),
    Subcommand(
        "remind",
        ("[list|done|later]", "[NUMBER]", "[WHEN]"),
        (JSON,),
        actions={"list": (), "done": ("NUMBER",), "later": ("NUMBER", "WHEN")},
    ),
    Subcommand("history", ("FILE",), (Option("--diff", "VERSION"), JSON)),
    Subcommand("restore", ("FILE", "VERSION")),
    Subcommand(
        "export",
        ("[FILE]",),
        (
            Option("--conversation", "ID"),
            Option("--format", "markdown|json", ("markdown", "json")),
            Option("--card"),
            Option("--all"),
        ),
        not_together=(
            ("--card", "--conversation"),
            ("--card", "--format"),
            ("--all", "--card"),
            ("--all", "--conversation"),
            ("--all", "--format"),
        ),
    ),
    Subcommand(
        "import",
        ("[FILE]",),
        (
            Option("--into", "PET"),
            Option("--new", "NAME"),
            Option("--memory", "on|off", _ON_OFF),
            Option("--instructions"),
            Option("--undo"),
            Option("--yes"),
            JSON,
        ),
        not_together=(("--into", "--new"), ("--into", "--pet")),
    ),
    Subcommand(
        "pets",
        ("[list|create|rename|duplicate|delete|switch]", "[ID]", "[NAME]"),
        (Option("--copy-profile", "ID"), Option("--yes"), JSON),
        not_together=tuple(
            (option, action) for option, own in _PETS_ONLY_WITH.items() for action in _PETS if action != own
        ),
        actions=_PETS,
    ),
    Subcommand(
        "model",
        ("[list|get|use|remove]", "[ID]"),
        (JSON,),
        actions={"list": (), "get": ("ID",), "use": ("ID",), "remove": ("ID",)},
    ),
    Subcommand(
        "connection",
        ("[list|add|use|rename|key|test|remove]", "[ID|ADDRESS]", "[NAME]"),
        (
            Option("--name", "NAME"),
            Option("--model", "MODEL"),
            Option("--protocol", "PROTOCOL", ("auto", "anthropic", "openai")),
            Option("--keep", "keyring|file", ("keyring", "file")),
            Option("--delete"),
            Option("--this-pet"),
            JSON,
        ),
        not_together=(("--keep", "--delete"),),
        actions=_CONNECTION,
    ),
    Subcommand("pause", ("[on|off]",), (JSON,), actions={"on": (), "off": ()}),
    Subcommand(
        "settings",
        ("[NAME]", "[VALUE]"),
        (Option("--keep", "keyring|file", ("keyring", "file")), Option("--delete"), JSON),
        not_together=(("--keep", "--delete"),),
    ),
    Subcommand("doctor", options=(JSON,)),
)
BY_NAME: Mapping[str, Subcommand] = {command.name: command for command in COMMANDS}
_FORMER_NAMES = {"mind": "model"}
_SHORT = {"-h": "--help", "-V": "--version"}
_VARIABLES = ("PET_HOME", "PET_MODEL", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY")
_COLUMN = 26


def read_arguments(arguments: Sequence[str]) -> Given:
    """Parse the arguments. ``--help`` and ``--version`` take precedence over errors. Raises UsageProblem."""
    values: dict[str, str] = {}
    switches: set[str] = set()
    lists: dict[str, tuple[str, ...]] = {}
    words: list[str] = []
    try:
        command = _command_of(arguments)
        known = {option.name: option for option in (*EVERYWHERE, *command.options)}
        for option, text in _tokens(arguments, known, command.name):
            if option is None:
                words.append(text)
            elif option.several:
                lists[option.name] = (*lists.get(option.name, ()), text)
            elif option.name in values or option.name in switches:
                raise UsageProblem("twice", command=command.name, option=option.name)
            elif option.value:
                values[option.name] = _checked(option, text, command.name)
            else:
                switches.add(option.name)
        _check_words(command.name, command.words, words[1:] if command.name else words)
        _check_together(command, {*values, *switches, _action(command, words[1:])})
    except UsageProblem as problem:
        requests = frozenset(_SHORT.get(argument, argument) for argument in arguments) & {"--help", "--version"}
        if not requests:
            raise
        return Given(command=problem.command, switches=requests)
    return Given(
        command=command.name, words=tuple(words[1:]), values=values, switches=frozenset(switches), lists=lists
    )


def named_home(arguments: Sequence[str]) -> str | None:
    """Return the value of ``--home`` even if the rest is invalid: errors are shown in that home's language."""
    for argument, following in zip_longest(arguments, arguments[1:], fillvalue=""):
        name, equals, value = argument.partition("=")
        if name == "--home":
            return value if equals else following or None
    return None


def _command_of(arguments: Sequence[str]) -> Subcommand:
    """Return the command; only global options may precede it. Raises UsageProblem."""
    values_of = {option.name for option in EVERYWHERE if option.value}
    rest = iter(arguments)
    for argument in rest:
        if argument in values_of:
            next(rest, None)
        elif not argument.startswith("-"):
            name = _FORMER_NAMES.get(argument, argument)
            if name not in BY_NAME or not name:
                raise UsageProblem("unknown_command", word=argument)
            return BY_NAME[name]
        elif owner := _only_owner(name := argument.partition("=")[0]):
            raise UsageProblem("option_of", command=owner.name, option=name, name=owner.name)
    return BY_NAME[OPEN]


def _only_owner(option: str) -> Subcommand | None:
    """Return the only command with this option, or None."""
    owners = [each for each in COMMANDS if option in {known.name for known in each.options}]
    return owners[0] if len(owners) == 1 and owners[0].name != OPEN else None


def _tokens(
    arguments: Sequence[str], known: Mapping[str, Option], command: str
) -> Iterator[tuple[Option | None, str]]:
    rest = iter(arguments)
    for argument in rest:
        if argument == "--":
            yield from ((None, word) for word in rest)
        elif not argument.startswith("-") or argument == "-":
            yield None, argument
        else:
            yield _option(argument, rest, known, command)


def _option(argument: str, rest: Iterator[str], known: Mapping[str, Option], command: str) -> tuple[Option, str]:
    name, equals, value = argument.partition("=")
    option = known.get(_SHORT.get(name, name))
    if option is None:
        raise UsageProblem("unknown_option", command=command, option=name)
    if not option.value:
        if equals:
            raise UsageProblem("takes_no_value", command=command, option=name)
        return option, ""
    if not equals:
        following = next(rest, None)
        if following is None:
            raise UsageProblem("needs_value", command=command, option=name, value=option.value)
        value = following
    return option, value


def _checked(option: Option, value: str, command: str) -> str:
    if option.choices and value not in option.choices:
        choices = ", ".join(option.choices)
        raise UsageProblem("not_a_choice", command=command, option=option.name, choices=choices)
    return value


def _check_words(command: str, known: Sequence[str], words: Sequence[str]) -> None:
    needed = [word for word in known if not word.startswith("[")]
    if len(words) < len(needed):
        raise UsageProblem("missing_word", command=command, word=needed[len(words)])
    if len(words) > len(known):
        raise UsageProblem("too_many", command=command, word=words[len(known)])


def _action(command: Subcommand, words: Sequence[str]) -> str:
    """Return the action, "" for a command without actions. Raises UsageProblem."""
    if not command.actions:
        return ""
    action = words[0] if words else next(iter(command.actions))
    if action not in command.actions:
        choices = ", ".join(command.actions)
        raise UsageProblem("not_a_choice", command=command.name, option=command.name, choices=choices)
    _check_words(command.name, command.actions[action], words[1:])
    return action


def _check_together(command: Subcommand, given: set[str]) -> None:
    for one, other in command.not_together:
        if one in given and other in given:
            raise UsageProblem("together", command=command.name, one=one, other=other)


def usage_line(name: str) -> str:
    command = BY_NAME[name]
    options = " ".join(f"[{option.shown}]" for option in command.options)
    return " ".join(part for part in ("pet", command.name, *command.words, options) if part)


def help_text(name: str, texts: Texts) -> str:
    """Return the help of one command, or with ``OPEN`` of the whole program."""
    if name == OPEN:
        return _overview(texts)
    options = BY_NAME[name].options
    lines = [usage_line(name), "", texts(f"cli.help.{name}")]
    return "\n".join([*lines, *(["", *_option_lines(name, options, texts)] if options else [])])


def _overview(texts: Texts) -> str:
    commands = ((command.name or "pet", texts(f"cli.help.{command.name or 'open'}")) for command in COMMANDS)
    lines = [
        texts("cli.help.title"),
        "",
        "  pet [--home DIR] [--pet ID] [...]",
        "",
        texts("cli.help.commands"),
        *_table(commands),
        "",
        *_option_lines("all", EVERYWHERE, texts),
        "",
        texts("cli.help.environment"),
        *_table((name, texts(f"cli.help.environment.{name}")) for name in _VARIABLES),
        "",
        texts("cli.help.exit_codes"),
        texts("cli.help.more"),
    ]
    return "\n".join(lines)


def _option_lines(area: str, options: Iterable[Option], texts: Texts) -> list[str]:
    rows = ((option.shown, texts(f"cli.option.{area}.{option.name.removeprefix('--')}")) for option in options)
    return [texts("cli.help.options"), *_table(rows)]


def _table(rows: Iterable[tuple[str, str]]) -> list[str]:
    return [f"  {left:<{_COLUMN}}{right}" for left, right in rows]
