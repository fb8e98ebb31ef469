"""Confirm a change in the terminal: the whole diff, then allow, edit or refuse.

Enter, end of input and a missing terminal never count as consent.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pet.cli.format import diff_rows
from pet.cli.terminal import Terminal, interruptible, revealed
from pet.errors import EmptyContent
from pet.i18n import Texts
from pet.model import Allowed, Decision, Proposal, Refused
from pet.workspace.text.encoded_text import normalize_newlines
from pet.workspace.text.merge import diff_lines

Answer = Literal["yes", "no"] | None
"""``--yes``, ``--no``, or None: then the owner is prompted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmation:
    terminal: Terminal
    texts: Texts
    answer: Answer = None

    def decide(self, proposal: Proposal) -> Decision:
        if self.answer == "yes" and proposal.reason != "forget":  # irreversible: always shown first
            return Allowed(text=proposal.after, edited=False)
        if self.answer == "no":
            return Refused(why="owner")
        if not self.terminal.can_ask:
            key = "cli.confirm.nobody_forgets" if proposal.reason == "forget" else "cli.confirm.nobody"
            self.terminal.complain(self.texts(key, file=proposal.file))
            return Refused(why="no_terminal")
        try:
            with interruptible():
                return self._confirm_forgetting(proposal) if proposal.reason == "forget" else self._review(proposal)
        except KeyboardInterrupt:
            self.terminal.say()
            return Refused(why="stopped")

    def _review(self, proposal: Proposal) -> Decision:
        text = proposal.after
        self._show(proposal, text)
        while True:
            word = self.terminal.ask(self.texts("cli.confirm.question"))
            match self._meaning(word):
                case "allow":
                    return Allowed(text=text, edited=text != proposal.after)
                case "refuse":
                    return Refused(why="owner")
                case "edit":
                    text = self._edited(proposal.file, text)
                    self._show(proposal, text)
                case _:
                    self.terminal.say(self.texts("cli.confirm.again"))

    def _confirm_forgetting(self, proposal: Proposal) -> Decision:
        """Require a whole word: there is no undo."""
        self.terminal.say()
        for line in proposal.before.splitlines():
            self.terminal.say(revealed(line))
        self.terminal.say()
        word = self.terminal.ask(self.texts("cli.forget.question"))
        if word is not None and word.strip().casefold() in self.texts("cli.forget.words.yes").split():
            return Allowed(text=proposal.after, edited=False)
        return Refused(why="owner")

    def _meaning(self, word: str | None) -> str:
        if word is None:  # end of input is a refusal
            return "refuse"
        for meaning in ("allow", "edit", "refuse"):
            if word.strip().casefold() in self.texts(f"cli.confirm.words.{meaning}").split():
                return meaning
        return ""

    def _show(self, proposal: Proposal, text: str) -> None:
        self.terminal.say()
        self.terminal.say(self.texts(f"cli.confirm.{proposal.reason}", file=proposal.file))
        for row in diff_rows(diff_lines(proposal.before, text), self.terminal):
            self.terminal.say(row)

    def _edited(self, file: str, text: str) -> str:
        """Return the text from the owner's editor; unchanged if editing failed."""
        try:
            edited = edit_text(file, text)
        except (OSError, UnicodeError, ValueError, subprocess.CalledProcessError):
            self.terminal.say(self.texts("cli.confirm.editor_failed", editor=editor()))
            return text
        if not edited.strip():
            self.terminal.say(self.texts(f"error.{EmptyContent.code}", file=file))
            return text
        return edited


def editor() -> str:
    return os.environ.get("VISUAL") or os.environ.get("EDITOR") or ("notepad" if os.name == "nt" else "vi")


def edit_text(file: str, text: str) -> str:
    """Open the editor on a file in a private temporary folder, and return its text."""
    with tempfile.TemporaryDirectory(prefix="soulpet-") as folder:
        path = Path(folder, file)
        path.write_text(text, encoding="utf-8", newline="\n")
        subprocess.run([*shlex.split(editor()), str(path)], check=True)  # noqa: S603  the owner's editor
        return normalize_newlines(path.read_text(encoding="utf-8-sig"))
