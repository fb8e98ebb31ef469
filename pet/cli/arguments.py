"""Command line grammar and help, on ``argparse``.

Errors are catalogue keys with arguments. Only parsers of commands that occur in the arguments are built.

>>> given = read_arguments(["pets", "create", "--json", "Momo"])
>>> given.action, given.name, given.json
('create', 'Momo', True)
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Literal

from pet.extra import exports, extras
from pet.i18n import Texts, catalogue

if TYPE_CHECKING:
    from pet.access import MemoryMode

OPEN = ""
"""The command name of a bare ``pet``."""


class Given:
    """The parsed command line. argparse sets what is given; the others keep the defaults of the class."""

    command: str = OPEN
    action: str = ""
    # Words
    address: str = ""
    client: str = ""
    file: str | None = None
    id: str = ""
    name: str | None = None
    number: str = ""
    pages: str | None = None
    query: str = ""
    text: str | None = None
    value: str | None = None
    version: str = ""
    when: str = ""
    # Options
    all: bool = False
    attach: list[str] | None = None
    card: bool = False
    conversation: str | None = None
    copy_profile: str | None = None
    count: int = 6  # as in the pet's own search
    delete: bool = False
    folder: list[str] | None = None
    diff: str | None = None
    env: list[str] | None = None
    format: str | None = None
    help: bool = False
    home: str | None = None
    instructions: bool = False
    into: str | None = None
    json: bool = False
    keep: str | None = None
    learned: bool = False
    memory: MemoryMode | None = None
    mode: str | None = None
    mood: Literal["neutral", "happy", "sad", "surprised"] | None = None
    sender: str | None = None
    model: str | None = None
    new: str | None = None
    no: bool = False
    once: str | None = None
    pet: str | None = None
    program_version: bool = False
    protocol: str | None = None
    show: bool = False
    temporary: bool = False
    this_pet: bool = False
    undo: bool = False
    yes: bool = False

    def has(self, name: str) -> bool:
        """Return whether the option or word, as ``--home`` or ``FILE``, was given."""
        return name.lstrip("-").replace("-", "_").lower() in vars(self)


class UsageProblem(Exception):
    """An invalid command line, as a catalogue key and its arguments."""

    def __init__(self, problem: str, **args: str) -> None:
        super().__init__(problem)
        self.key = f"cli.usage.{problem}"
        self.args_ = args


@dataclass(frozen=True, slots=True)
class Option:
    """``value``: name of the value in the help, in brackets if it may be left out, "" for a flag. ``several``:
    repeatable. ``read``: converts the value, may raise UsageProblem. ``dest``: attribute of ``Given`` if it isn't the
    name."""

    name: str
    value: str = ""
    choices: tuple[str, ...] = ()
    several: bool = False
    read: Callable[[str], Any] = str
    dest: str = ""
    short: str = ""

    @property
    def shown(self) -> str:
        if self.short:
            return f"{self.name}, {self.short}"
        return f"{self.name} {self.value}" if self.value else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Subcommand:
    """``words``: positional arguments, optional ones in brackets. ``actions``: by name, the first for none; they take
    the command's options too. ``not_together``: pairs of options or words. ``check``: raises UsageProblem.
    ``run``: of an extra's command, the path of its function, which takes ``Given``, ``Home`` and ``Texts`` and
    returns the exit code."""

    words: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    actions: Mapping[str, Subcommand] = field(default_factory=dict)
    not_together: tuple[tuple[str, str], ...] = ()
    check: Callable[[Given], None] | None = None
    run: str = ""


def _count(text: str, most: int = 100) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= most:
        raise UsageProblem("count", most=str(most))
    return int(text)


def _message(text: str) -> str:
    if not text.strip():
        raise UsageProblem("empty_text")
    return text


def read_memory_mode(text: str) -> MemoryMode:
    from pet.access import MemoryMode  # late: a bare ``pet`` shows its window first

    return MemoryMode(text)


def _check_chat(given: Given) -> None:
    if given.temporary and given.memory not in (None, "off"):
        raise UsageProblem("together", one="--temporary", other=f"--memory {given.memory}")
    if given.pages is not None and not given.attach:
        raise UsageProblem("pages_of_what")


def _check_forget(given: Given) -> None:
    if given.has("TEXT") == given.has("--conversation") or (given.learned and given.has("TEXT")):
        raise UsageProblem("forget_what")


def _check_export(given: Given) -> None:
    if given.all and given.file == "-":
        raise UsageProblem("together", one="--all", other="-")
    whats = ("--conversation", *(f"--{each}" for each in exports()), "--all")
    if not any(given.has(each) for each in whats):
        raise UsageProblem("export_what", options=" / ".join(whats))


def _check_connection(given: Given) -> None:
    if given.has("ID") and not given.id:  # an empty id means the default connection
        raise UsageProblem("missing_word", word="ID")


def _check_settings(given: Given) -> None:
    if given.name == "key" and given.has("VALUE"):  # it would be in the shell's history and the process list
        raise UsageProblem("key_on_command_line")
    if given.name != "key" and (given.delete or given.keep):
        raise UsageProblem("only_with_key", option="--delete" if given.delete else "--keep")


JSON, YES = Option("--json"), Option("--yes")
_MEMORY = Option("--memory", "on|read|off", ("on", "read", "off"), read=read_memory_mode)
_CONVERSATION = Option("--conversation", "ID")
_MODEL = Option("--model", "MODEL")
_KEEP = Option("--keep", "keyring|file", ("keyring", "file"))
_DELETE = Option("--delete")
_BARE, _ID, _ID_NAME = Subcommand(), Subcommand(words=("ID",)), Subcommand(words=("ID", "NAME"))
EVERYWHERE = (
    Option("--home", "DIR"),
    Option("--pet", "PET"),
    Option("--version", dest="program_version", short="-V"),
    Option("--help", short="-h"),
)

_CORE: Mapping[str, Subcommand] = {
    "chat": Subcommand(
        options=(
            _MEMORY,
            _CONVERSATION,
            Option("--once", "TEXT", read=_message),
            Option("--attach", "FILE", several=True),
            Option("--pages", "RANGES"),
            YES,
            Option("--no"),
            Option("--temporary"),
        ),
        not_together=(("--yes", "--no"), ("--temporary", "--conversation")),
        check=_check_chat,
    ),
    "prompt": Subcommand(options=(_MEMORY, Option("--mode", "full|minimal|none", ("full", "minimal", "none")), JSON)),
    "search": Subcommand(words=("QUERY",), options=(Option("-k", "N", read=_count, dest="count"), JSON)),
    "why": Subcommand(words=("TEXT",), options=(JSON,)),
    "forget": Subcommand(
        words=("[TEXT]",), options=(_CONVERSATION, Option("--learned"), YES, JSON), check=_check_forget
    ),
    "remind": Subcommand(
        options=(JSON,),
        actions={
            "list": _BARE,
            "add": Subcommand(words=("TEXT", "[WHEN]")),
            "done": Subcommand(words=("NUMBER",)),
            "later": Subcommand(words=("NUMBER", "WHEN")),
        },
    ),
    "history": Subcommand(words=("FILE",), options=(Option("--diff", "VERSION"), JSON)),
    "restore": Subcommand(words=("FILE", "VERSION")),
    "export": Subcommand(
        words=("[FILE]",),
        options=(
            _CONVERSATION,
            Option("--format", "markdown|json", ("markdown", "json")),
            *(Option(f"--{each}") for each in exports()),
            Option("--all"),
        ),
        not_together=(
            *((f"--{each}", other) for each in exports() for other in ("--conversation", "--format")),
            *(("--all", other) for other in (*(f"--{each}" for each in exports()), "--conversation", "--format")),
        ),
        check=_check_export,
    ),
    "pets": Subcommand(
        options=(JSON,),
        actions={
            "list": _BARE,
            "create": Subcommand(words=("NAME",), options=(Option("--copy-profile", "PET"),)),
            "rename": _ID_NAME,
            "duplicate": _ID_NAME,
            "delete": Subcommand(words=("ID",), options=(YES,)),
            "switch": _ID,
        },
    ),
    "connection": Subcommand(
        options=(JSON,),
        actions={
            "list": _BARE,
            "add": Subcommand(
                words=("ADDRESS", "[NAME]"),
                options=(
                    Option("--name", "NAME"),
                    _MODEL,
                    Option("--protocol", "PROTOCOL", ("auto", "anthropic", "openai", "responses")),
                    _KEEP,
                ),
            ),
            "use": Subcommand(words=("ID",), options=(_MODEL, Option("--this-pet"))),
            "rename": _ID_NAME,
            "key": Subcommand(words=("ID",), options=(_KEEP, _DELETE), not_together=(("--keep", "--delete"),)),
            "header": Subcommand(
                words=("ID", "NAME"), options=(_KEEP, _DELETE), not_together=(("--keep", "--delete"),)
            ),
            "test": _ID,
            "remove": _ID,
        },
        check=_check_connection,
    ),
    "pause": Subcommand(options=(JSON,), actions={"on": _BARE, "off": _BARE}),
    "settings": Subcommand(
        words=("[NAME]", "[VALUE]"),
        options=(_KEEP, _DELETE, JSON),
        not_together=(("--keep", "--delete"),),
        check=_check_settings,
    ),
}


@cache
def commands() -> Mapping[str, Subcommand]:
    """Return every command by its name, those of the extras that are there too."""
    return {**_CORE, **{name: each for extra in extras() for name, each in extra.subcommands().items()}}


_FORMER_NAMES = {"mind": "model"}
_VARIABLES = ("PET_HOME", "PET_MODEL", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY")
_COLUMN = 26


def read_arguments(arguments: Sequence[str], given: Given | None = None) -> Given:
    """Parse into ``given``, which names the command even after an error. Raises UsageProblem."""
    given = given or Given()
    named = {_FORMER_NAMES.get(argument, argument) for argument in arguments}
    meant = {name: command for name, command in commands().items() if name in named}
    try:
        _, unknown = _Parser(Subcommand(actions=meant), EVERYWHERE, dest="command").parse_known_args(arguments, given)
    except argparse.ArgumentError as error:
        raise _problem(error, arguments, given) from error
    finally:
        given.command = _FORMER_NAMES.get(given.command, given.command)
    if given.help or given.program_version:
        return given
    if unknown:
        raise _unknown(unknown[0], given)
    command = _command(given)
    for level in (command, command.actions.get(given.action, Subcommand())):
        for word in level.words:
            if not given.has(word) and not word.startswith("["):
                raise UsageProblem("missing_word", word=word)
        for one, other in level.not_together:
            if given.has(one) and given.has(other):
                raise UsageProblem("together", one=one, other=other)
        if level.check:
            level.check(given)
    return given


def named_home(arguments: Sequence[str]) -> str | None:
    """Return the value of ``--home`` even if the rest is invalid: errors are shown in that home's language."""
    for argument, following in zip_longest(arguments, arguments[1:], fillvalue=""):
        name, equals, value = argument.partition("=")
        if name == "--home":
            return value if equals else following or None
    return None


class _Once(argparse.Action):
    """Store a value, or True for a flag. Raises UsageProblem the second time."""

    def __call__(self, _parser: object, namespace: object, values: object, option_string: str | None = None) -> None:
        if self.dest in vars(namespace):
            raise UsageProblem("twice", option=option_string or str(self.metavar))
        setattr(namespace, self.dest, True if self.nargs == 0 else values)


class _Parser(argparse.ArgumentParser):
    """Parser of ``pet``, a command or an action. ``more``: inherited options. ``dest``: of the next word."""

    def __init__(
        self, command: Subcommand, more: Sequence[Option], dest: str = "action", prog: str = "pet", **kwargs: Any
    ) -> None:
        off: dict[str, Any] = {"add_help": False, "allow_abbrev": False, "exit_on_error": False}
        super().__init__(prog=prog, argument_default=argparse.SUPPRESS, **off, **kwargs)
        options = (*more, *command.options)
        for option in options:
            names = [name for name in (option.short, option.name) if name]
            takes = {"type": option.read, "choices": option.choices or None, "metavar": option.value}
            about: dict[str, Any] = takes if option.value else {"nargs": 0}
            about |= {"nargs": "?", "const": ""} if option.value.startswith("[") else {}
            about |= {"dest": option.dest} if option.dest else {}
            self.add_argument(*names, action="append" if option.several else _Once, **about)
        for word in command.words:
            # Not required by argparse, whose error for a missing one is an English sentence.
            name = word.strip("[]")
            self.add_argument(name.lower(), metavar=name, action=_Once).required = False
        if command.actions or dest == "command":
            actions = self.add_subparsers(dest=dest, prog=prog)
            actions.default = argparse.SUPPRESS
            for name, action in command.actions.items():
                former = [each for each, now in _FORMER_NAMES.items() if now == name]
                actions.add_parser(name, aliases=former, command=action, more=options)


def _problem(error: argparse.ArgumentError, arguments: Sequence[str], given: Given) -> UsageProblem:
    """Word argparse's error by the argument that it names."""
    name, command = (error.argument_name or "").rpartition("/")[2], _command(given)
    if name == "command":
        try:
            return _unknown(_Parser(Subcommand(), EVERYWHERE).parse_known_args(arguments)[1][0], given)
        except argparse.ArgumentError as other:
            return _problem(other, arguments, given)
    if name == "action":
        return UsageProblem("not_a_choice", option=given.command, choices=", ".join(command.actions))
    option = next(each for each in (*EVERYWHERE, *_options(command)) if each.name == name)
    if option.choices:
        return UsageProblem("not_a_choice", option=name, choices=", ".join(option.choices))
    return UsageProblem("needs_value" if option.value else "takes_no_value", option=name, value=option.value)


def _unknown(argument: str, given: Given) -> UsageProblem:
    """Word an argument that was not parsed: an option, perhaps of one other command or action, or a word."""
    option = argument.partition("=")[0]
    if not option.startswith("-") or option == "-":
        from difflib import get_close_matches

        near = get_close_matches(argument.casefold(), list(commands()), 1)
        if given.command or not near:
            return UsageProblem("too_many" if given.command else "unknown_command", word=argument)
        return UsageProblem("near_command", word=argument, near=near[0])
    command = _command(given)
    actions = {f"{given.command} {name}": action.options for name, action in command.actions.items()}
    others = {name: _options(each) for name, each in commands().items()}
    levels = {given.command: command.options, **actions} if given.command else others
    owners = [name for name, options in levels.items() if option in [each.name for each in options]]
    if len(owners) != 1:
        return UsageProblem("unknown_option", option=option)
    given.command, given.action = [*owners[0].split(), ""][:2]
    return UsageProblem("option_of", option=option, name=owners[0])


def _command(given: Given) -> Subcommand:
    return commands().get(given.command, Subcommand())


def _options(command: Subcommand) -> tuple[Option, ...]:
    """Return the options of the command and its actions."""
    own = dict.fromkeys(option for action in command.actions.values() for option in action.options)
    return (*own, *command.options)


def usage_lines(given: Given) -> str:
    """Return the words and options of a command, one line for each of its actions or for the named one."""
    command = _command(given)
    actions = {name: each for name, each in command.actions.items() if given.action in ("", name)} or {"": _BARE}
    return "\n".join(
        " ".join(
            (
                *filter(None, ("pet", given.command, name, *command.words, *action.words)),
                *(f"[{option.shown}]" for option in (*action.options, *command.options)),
            )
        )
        for name, action in actions.items()
    )


def help_text(given: Given, texts: Texts) -> str:
    """Return the help of the named command or action, or with ``OPEN`` of the whole program."""
    if given.command == OPEN:
        return _overview(texts)
    command = _command(given)
    options = (*command.actions[given.action].options, *command.options) if given.action else _options(command)
    lines = [usage_lines(given), "", texts(f"cli.help.{given.command}")]
    return "\n".join([*lines, *(["", *_option_lines(given.command, options, texts)] if options else [])])


def _overview(texts: Texts) -> str:
    rows = {"pet": texts("cli.help.open"), **{name: texts(f"cli.help.{name}") for name in commands()}}
    lines = [
        texts("cli.help.title"),
        "",
        "  pet [--home DIR] [--pet PET] [...]",
        "",
        texts("cli.help.commands"),
        *_table(rows.items()),
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
    rows = []
    for option in options:
        name = option.name.removeprefix("--")
        own = f"cli.option.{area}.{name}"
        rows.append((option.shown, texts(own if own in catalogue("en") else f"cli.option.all.{name}")))
    return [texts("cli.help.options"), *_table(rows)]


def _table(rows: Iterable[tuple[str, str]]) -> list[str]:
    return [f"  {left + ' ':<{_COLUMN}}{right}" for left, right in rows]
