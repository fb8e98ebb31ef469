"""Command line grammar and parser. Pure.

Replaces argparse, whose messages are English only: errors are catalogue keys with arguments. An option's value is
always the next argument, so that a message may begin with a hyphen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from pet.access.policy import Brain
from pet.prompt.inputs import MODES

OPEN = ""
"""The command name of a bare ``pet``."""


@dataclass(frozen=True, slots=True)
class Option:
    """``value``: the value's name in the help; "" makes it a flag. ``several``: may be repeated."""

    name: str
    value: str = ""
    choices: tuple[str, ...] = ()
    several: bool = False

    @property
    def shown(self) -> str:
        return f"{self.name} {self.value}" if self.value else self.name


@dataclass(frozen=True, slots=True)
class Subcommand:
    """``words``: positional arguments; optional ones in brackets. ``actions``: what the first of them may be, and the
    words that each takes; without any word it is the first. ``not_together``: options, or an option and an action."""

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
        """The word at this place, counted from 0; None where there are fewer."""
        return self.words[place] if place < len(self.words) else None

    def brain(self, option: str) -> Brain | None:
        value = self.values.get(option)
        return None if value is None else Brain(value)


class UsageProblem(Exception):
    """An invalid command line; ``key`` and ``args_`` are for the catalogue."""

    def __init__(self, problem: str, *, command: str = OPEN, **args: str) -> None:
        super().__init__(problem)
        self.key = f"cli.usage.{problem}"
        self.command = command
        self.args_ = args


_ON_OFF = ("on", "off")
MEMORY = Option("--memory", "on|read|off", tuple(Brain))
JSON = Option("--json")

_PETS = {
    "list": (),
    "create": ("NAME",),
    "rename": ("ID", "NAME"),
    "duplicate": ("ID", "NAME"),
    "delete": ("ID",),
    "switch": ("ID",),
}
_ONLY_OF_PETS = {"--copy-profile": "create", "--yes": "delete"}
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
        not_together=tuple((each, act) for each, own in _ONLY_OF_PETS.items() for act in _PETS if act != own),
        actions=_PETS,
    ),
    Subcommand(
        "mind",
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
_SHORT = {"-h": "--help", "-V": "--version"}


def read_arguments(arguments: Sequence[str]) -> Given:
    """Parse the arguments. Raises UsageProblem. ``--help`` and ``--version`` take precedence over any error."""
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
        act = _action(command, words[1:])
        _check_together(command, {*values, *switches, act})
    except UsageProblem as problem:
        asked = frozenset(_SHORT.get(argument, argument) for argument in arguments) & {"--help", "--version"}
        if not asked:
            raise
        return Given(command=problem.command, switches=asked)
    return Given(
        command=command.name, words=tuple(words[1:]), values=values, switches=frozenset(switches), lists=lists
    )


def named_home(arguments: Sequence[str]) -> str | None:
    """Return the value of ``--home``, even if the rest is invalid: the error is shown in that home's language."""
    for argument, following in zip_longest(arguments, arguments[1:], fillvalue=""):
        name, equals, value = argument.partition("=")
        if name == "--home":
            return value if equals else following or None
    return None


def _command_of(arguments: Sequence[str]) -> Subcommand:
    """Return the first argument that is neither an option nor its value; only global options may precede it."""
    values_of = {option.name for option in EVERYWHERE if option.value}
    rest = iter(arguments)
    for argument in rest:
        if argument in values_of:
            next(rest, None)
        elif not argument.startswith("-"):
            if argument not in BY_NAME or not argument:
                raise UsageProblem("unknown_command", word=argument)
            return BY_NAME[argument]
        elif owner := _only_owner(name := argument.partition("=")[0]):
            raise UsageProblem("option_of", command=owner.name, option=name, name=owner.name)
    return BY_NAME[OPEN]


def _only_owner(option: str) -> Subcommand | None:
    """The command to which this option belongs and no other, if there is one."""
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
    """The action asked for, with as many words as it needs; "" for a command that has none."""
    if not command.actions:
        return ""
    act = words[0] if words else next(iter(command.actions))
    if act not in command.actions:
        choices = ", ".join(command.actions)
        raise UsageProblem("not_a_choice", command=command.name, option=command.name, choices=choices)
    _check_words(command.name, command.actions[act], words[1:])
    return act


def _check_together(command: Subcommand, given: set[str]) -> None:
    for one, other in command.not_together:
        if one in given and other in given:
            raise UsageProblem("together", command=command.name, one=one, other=other)
