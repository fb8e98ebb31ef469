"""Standard streams: UTF-8 regardless of the locale, terminal control sequences neutralised, prompts.

Text from a model or a file is printed with escape sequences and bidi overrides replaced by visible markers.
"""

from __future__ import annotations

import json
import os
import select
import signal
import stat
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import TextIO

from pet.i18n import HAN, Texts
from pet.text.lazy_pattern import lazy_pattern

_SHOWN_CONTROLS = {code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\n\t\r"}
_SAFE = {
    **_SHOWN_CONTROLS,
    0x0D: "",  # alone it would allow overwriting a line
    0x7F: "\u2421",
    **{code: f"<U+{code:04X}>" for code in (*range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))},
}
_ESCAPED = {
    code: f"\\u{code:04x}"
    for code in (*range(0x7F, 0xA0), 0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
}

_SOON_SECONDS = 3.0
_BYTES_OF_CHARACTER = 4  # at most

_APART = lazy_pattern(r"( {0,2}\S.*? {2,})(\S.*)")
_PIECES = lazy_pattern(rf"\[[^\]]*\] *|[（“《]*[{HAN}][^\w\s（“《]* *|[^\s{HAN}]+ *| +")
_NARROW = 60

_PAINT = lazy_pattern("(\033\\[(?:0|1|2|31|32)m)")

MARK = "\u258c "
"""Start of the lines that the program prints around a reply. Replies have no such character and none like it."""
_UNMARKED = dict.fromkeys((*range(0x2589, 0x2591), 0x275A), "|")


def safe(text: str) -> str:
    """Return the text without control sequences and direction overrides."""
    return text.translate(_SAFE)


def _plain(text: str) -> str:
    """Return the text without control sequences but those of ``Terminal.painted``."""
    return "".join(piece if at % 2 else safe(piece) for at, piece in enumerate(_PAINT.split(text)))


def revealed(line: str) -> str:
    """Return the text with characters that can't be seen as code points: the owner sees everything they agree to."""
    from pet.text.unseen import reveal

    return safe(reveal(line, "<U+{:04X}>"))


def padded(texts: Sequence[str]) -> list[str]:
    """Return the texts, each with spaces up to the columns of the widest; a Chinese character takes two."""
    columns = [_width(text) for text in texts]
    return [text + " " * (max(columns) - taken) for text, taken in zip(texts, columns, strict=True)]


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def wrapped(text: str, width: int) -> str:
    """Return the text in lines of at most ``width`` columns, broken between words or Chinese characters.

    Continuations are aligned with a description that two spaces set apart, or in a narrow terminal indented.
    """
    return "\n".join(row for line in text.split("\n") for row in _wrapped(line, width))


def _wrapped(line: str, width: int) -> Iterator[str]:
    if _width(line) <= width:
        yield line
        return
    apart = _APART.match(line)
    if apart and width < _NARROW:
        yield from _wrapped(apart[1].rstrip(), width)
        indent, row, line = 6, "", apart[2]
    else:
        indent, row, line = (_width(apart[1]), apart[1], apart[2]) if apart else (4 * ("[" in line), "", line)
    row = row or " " * (indent if apart else 0)
    begins = True
    for piece in _PIECES.findall(line):
        if not begins and _width((row + piece).rstrip()) > width:
            yield row.rstrip()
            row = " " * indent
        row, begins = row + piece, False
    yield row.rstrip()


def _width(text: str) -> int:
    return sum(_columns(character) for character in text)


def use_utf8() -> None:
    """Switch all three streams to UTF-8, whatever the locale; replace closed ones by the null device."""
    for name, way in (("stdin", os.O_RDONLY), ("stdout", os.O_WRONLY), ("stderr", os.O_WRONLY)):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, way), "r" if way == os.O_RDONLY else "w"))
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace" if stream is sys.stdin else "backslashreplace")


def argument_text(argument: str) -> str:
    """Decode an argument as UTF-8, undoing another locale's decoding."""
    try:
        return os.fsencode(argument).decode("utf-8")
    except UnicodeError:
        return argument.encode("utf-8", "replace").decode("utf-8")


@dataclass(frozen=True, slots=True, kw_only=True)
class Terminal:
    """The standard streams. ``talk``: for everything but the answer."""

    out: TextIO
    err: TextIO
    stdin: TextIO
    talk: TextIO

    @staticmethod
    def standard(*, answer_only: bool = False) -> Terminal:
        """``answer_only``: notes and prompts go to standard error."""
        talk = sys.stderr if answer_only else sys.stdout
        return Terminal(out=sys.stdout, err=sys.stderr, stdin=sys.stdin, talk=talk)

    @property
    def can_ask(self) -> bool:
        """Whether a person can see and answer a prompt."""
        return self.stdin is not None and self.stdin.isatty() and self.talk.isatty()

    @property
    def colours(self) -> bool:
        plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or os.name == "nt"
        return self.talk.isatty() and not plain

    def answer(self, text: str) -> None:
        """Print a chunk of the pet's reply."""
        self.out.write(safe(text).translate(_UNMARKED))
        self.out.flush()

    def note(self, text: str) -> None:
        """Print lines of the program, marked as such."""
        self.say("\n".join(self.painted(MARK + line, "dim") for line in text.split("\n")))

    def say(self, text: str = "") -> None:
        print(_plain(text), file=self.talk, flush=True)

    def complain(self, text: str) -> None:
        print(_plain(text), file=self.err, flush=True)

    def painted(self, text: str, colour: str) -> str:
        """Return the text in green, red, dim or bold; unchanged without colour support. Raises KeyError."""
        code = {"green": 32, "red": 31, "dim": 2, "bold": 1}[colour]
        return f"\033[{code}m{text}\033[0m" if self.colours else text

    def say_fitting(self, text: str) -> None:
        """Print a text of several lines, broken to the width of the terminal."""
        from shutil import get_terminal_size

        self.say(wrapped(text, get_terminal_size().columns) if self.talk.isatty() else text)

    def ask(self, question: str) -> str | None:
        """Prompt for a line; return None at the end of input. Raises KeyboardInterrupt on Ctrl+C."""
        if self.talk is sys.stdout and self.stdin.isatty() and self.talk.isatty():
            try:
                return input(_plain(question))
            except EOFError:
                self.say()
                return None
        if self.stdin.isatty():
            self.talk.write(_plain(question))
            self.talk.flush()
        line = self.stdin.readline()
        return line.rstrip("\r\n") if line else None

    def agrees(self, question: str, words: str) -> bool:
        """Prompt, and return whether the answer is one of the words; never for Enter, end of input and Ctrl+C."""
        try:
            with interruptible():
                word = self.ask(question)
        except KeyboardInterrupt:
            self.say()
            return False
        return word is not None and word.strip().casefold() in words.split()

    def ask_hidden(self, question: str) -> str | None:
        import getpass

        try:
            return getpass.getpass(_plain(question))
        except EOFError:
            return None


def print_json(terminal: Terminal, data: object) -> None:
    """Print the data as JSON; control and direction characters are escaped."""
    terminal.say(json.dumps(data, ensure_ascii=False, indent=1).translate(_ESCAPED))


def piped_text(texts: Texts, *, most: int, needed: bool) -> str:
    """Return what is piped into the program until its end, or a little over ``most`` characters of it.

    Unless it is ``needed``: "" without a pipe or file, or if nothing comes soon. Raises ValueError if it isn't text.
    """
    is_pipe = _is_pipe(sys.stdin)
    if not (is_pipe or needed):
        return ""
    # Some programs leave a pipe open and never write to it. On Windows ``select`` takes sockets only.
    if is_pipe and os.name != "nt" and not select.select([sys.stdin], [], [], _SOON_SECONDS)[0]:
        Terminal.standard().complain(texts("cli.chat.waits_for_pipe" if needed else "cli.chat.empty_pipe"))
        if not needed:
            return ""
    if sys.stdin.isatty():
        Terminal.standard().complain(texts("cli.type_then_end"))
    from pet.untrusted.parsers import decode_foreign_text

    text = decode_foreign_text(sys.stdin.buffer.read(_BYTES_OF_CHARACTER * (most + 1)))
    if "\0" in text:
        raise ValueError("no text")
    return text.strip("\r\n")


def _is_pipe(stream: TextIO) -> bool:
    """Whether it is a pipe or a file: neither a terminal nor the null device."""
    try:
        mode = os.fstat(stream.fileno()).st_mode
    except (OSError, ValueError):  # closed
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stat.S_ISREG(mode)


@contextmanager
def on_interrupt(act: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    """Within the block, call ``act`` on Ctrl+C instead of raising KeyboardInterrupt."""
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, act)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def interruptible() -> Iterator[None]:
    """Within the block, raise KeyboardInterrupt on Ctrl+C, so that a prompt can be cancelled."""
    with on_interrupt(signal.default_int_handler):
        yield
