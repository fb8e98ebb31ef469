"""The page "What I know about you": what the memory files say, as sentences; read at every call, no copy is kept.

The actor is the owner: nothing of it enters a request, and it works while memory is off or paused.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from pet.bridge.command import Client, command
from pet.errors import BadArguments, EmptyContent, FileConflict, WorkspaceError
from pet.memory.store.about_owner import GROUPS, Group, Statement, differing_part, grouped, replaced, statements
from pet.memory.store.daily_log import fact_key
from pet.memory.store.provenance import Origin, Past, is_changed, pasts
from pet.memory.store.set_aside import Aside, added, asides, statement_of, taken_out, used_again, without_aside
from pet.model import Author, CoreFile, Present, Version
from pet.workspace.file_names import ASIDE, is_note
from pet.workspace.text_encoding import normalize_newlines

if TYPE_CHECKING:
    from pet.services.pet_files import PetFiles

PageGroup = Literal[Group, "aside"]
_MOST = 5_000  # sentences of a group in one reply
_LONGEST_TEXT = 4_000  # characters of an entry that can be corrected here


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierView:
    """An earlier text of an entry. ``part``: what differs from the sentence that replaced it; ``until``: ISO time of
    the change."""

    sentence: str
    part: str
    until: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementView:
    """``text``: the entry as written, to be corrected; "" for one that is too long for that. ``day`` and ``due``: ""
    without one. ``ended``: whether it held until ``day`` only. ``earlier``: what it replaced, newest first, and
    ``since``: ISO time at which it did, "" without any; of core files only."""

    file: str
    start_line: int
    end_line: int
    text: str
    sentence: str
    day: str
    due: str
    ended: bool
    since: str
    earlier: list[EarlierView]


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementGroup:
    """The first statements of a group, and how many there are. ``aside``: those that are not used."""

    name: PageGroup
    total: int
    statements: list[StatementView]


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutOwner:
    """``total``: statements of all groups, whatever was searched; groups without one are left out."""

    total: int
    groups: list[StatementGroup]


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectArgs:
    """``text``: the entry as it was shown."""

    file: str
    start_line: int
    end_line: int
    text: str
    new_text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundStatement:
    """The statement at a place; None for no statement."""

    statement: StatementView | None


@dataclass(frozen=True, slots=True)
class AboutOwnerCommands:
    app: PetFiles
    _read: dict[str, tuple[Version, list[Statement]]] = field(init=False, default_factory=dict)
    _pasts: dict[str, tuple[Version, dict[int, tuple[str, list[EarlierView]]]]] = field(
        init=False, default_factory=dict
    )

    @command(Client.CHAT, Client.TERMINAL)
    def list_statements(self, words: str = "", group: str = "", count: int = 6) -> AboutOwner:
        """Return what the memory says of the owner, of each group the first ``count``; of ``group`` as many as one
        reply takes. ``words``: only statements that contain all of them."""
        if not 1 <= count <= _MOST or (group and group not in GROUPS):
            raise BadArguments(where="count", why="value")
        all_statements = self.statements()
        aside = [
            replace(shown, file=ASIDE, start_line=each.start_line, end_line=each.end_line)
            for each, shown in self._asides()
        ]
        groups: list[tuple[PageGroup, list[Statement]]] = [
            *grouped(all_statements, words).items(),
            ("aside", [each for those in grouped(aside, words).values() for each in those]),
        ]
        return AboutOwner(
            total=len(all_statements),
            groups=[
                StatementGroup(
                    name=name,
                    total=len(those),
                    statements=[self.view(each) for each in those[: _MOST if name == group else count]],
                )
                for name, those in groups
                if those
            ],
        )

    @command(Client.CHAT)
    def correct_statement(self, args: CorrectArgs) -> None:
        """Replace an entry as the owner's change. Raises FileConflict if it is no longer as it was shown."""
        if not args.new_text.strip():
            raise EmptyContent(file=args.file)
        wanted = next((each for each in self.statements(args.file) if _is(each, args)), None)
        if wanted is None:
            raise FileConflict(file=args.file)

        def change(current: str | None) -> str:
            try:
                return replaced(current or "", wanted, args.new_text)
            except ValueError:
                raise FileConflict(file=args.file) from None

        self.app.store.rewrite(args.file, change, author=Author.OWNER)

    @command(Client.CHAT)
    def set_aside(self, file: str, line: int, sentence: str) -> None:
        """Move an entry, and others that say the same, to ASIDE.md, where no request and no search of the pet reads
        it. Raises FileConflict if it is no longer there."""
        meant = [each for each in self.statements(file) if each.sentence == sentence]
        if not any(each.file == file and _has(each, line) for each in meant):
            raise FileConflict(file=file)
        for each in sorted(meant, key=lambda one: (one.file, -one.start_line)):
            self._move_out(each)

    def _move_out(self, statement: Statement) -> None:
        text = self.text(statement.file)
        rest, section = taken_out(text, statement)
        # First added, so that an interruption leaves it twice.
        self.app.store.rewrite(ASIDE, lambda now: added(now or "", section), author=Author.OWNER)
        self._rewrite(statement.file, text, rest)

    @command(Client.CHAT)
    def use_again(self, line: int, sentence: str) -> None:
        """Move an entry of ASIDE.md back to its former place. Raises FileConflict if it is no longer there."""
        aside = next(
            (each for each, shown in self._asides() if each.start_line == line and shown.sentence == sentence), None
        )
        if aside is None:
            raise FileConflict(file=ASIDE)
        self.app.store.rewrite(aside.file, lambda now: used_again(now or "", aside), author=Author.OWNER)
        text = self.text(ASIDE)
        self._rewrite(ASIDE, text, without_aside(text, aside))

    def _asides(self) -> list[tuple[Aside, Statement]]:
        return [(each, shown) for each in asides(self.text(ASIDE)) if (shown := statement_of(each)) is not None]

    def text(self, name: str) -> str:
        """Return a file's text with ``\\n`` line ends; "" if it is missing or broken."""
        state = self.app.store.read(name)
        return normalize_newlines(state.text) if isinstance(state, Present) else ""

    def _rewrite(self, name: str, before: str, after: str) -> None:
        """Replace a file's text unless it changed meanwhile. Raises FileConflict."""

        def change(current: str | None) -> str:
            if (current or "") != before:
                raise FileConflict(file=name)
            return after

        self.app.store.rewrite(name, change, author=Author.OWNER)

    @command(Client.CHAT)
    def find_statement(self, file: str, line: int, text: str = "") -> FoundStatement:
        """Return the statement at a line of a file. ``text``: the former text, or a part of it; then the statement
        that has it now, in any file, or that was written in its place."""
        all_statements = self.statements(file)
        here = [each for each in all_statements if each.file == file]
        at = [each for each in here if _has(each, line)]
        if key := fact_key(text.strip("…")):
            same = (each for each in (*at, *here, *all_statements) if key in fact_key(each.text))
            hit = next(same, None) or next((each for each in at if is_changed(each.text, text)), None)
        else:
            hit = at[0] if at else None
        return FoundStatement(statement=self.view(hit) if hit else None)

    @command(Client.CHAT, Client.TERMINAL)
    def explain_statement(self, file: str, line: int) -> Origin:
        """Return where the entry at a line comes from; ``unknown`` for one that is no longer there."""
        all_statements = self.statements(file)
        hit = next((each for each in all_statements if each.file == file and _has(each, line)), None)
        return self.app.provenance.origin(hit, all_statements) if hit else Origin(kind="unknown")

    def statements(self, note: str = "") -> list[Statement]:
        """Return all statements; a file is parsed again only when it changed. ``note``: also what this one says, if
        it is a note, of which most are not about the owner."""
        logs = self.app.store.log_names()
        names = (CoreFile.USER.value, CoreFile.MEMORY.value, *logs, *([note] if is_note(note) else []))
        read: dict[str, tuple[Version, list[Statement]]] = {}
        for name in names:
            state = self.app.store.read(name)
            if isinstance(state, Present):
                last = self._read.get(name)
                if last is None or last[0] != state.version:
                    last = state.version, statements(name, normalize_newlines(state.text))
                read[name] = last
        self._read.clear()
        self._read.update(read)
        return [each for _, those in read.values() for each in those]

    def view(self, statement: Statement) -> StatementView:
        """Return a statement as the page shows it."""
        since, earlier = self._past(statement)
        return StatementView(
            file=statement.file,
            start_line=statement.start_line,
            end_line=statement.end_line,
            text=statement.text if len(statement.text) <= _LONGEST_TEXT else "",
            sentence=statement.sentence,
            day=statement.day.isoformat() if statement.day else "",
            due=statement.due.isoformat() if statement.due else "",
            ended=statement.ended is not None,
            since=since,
            earlier=earlier,
        )

    def _past(self, statement: Statement) -> tuple[str, list[EarlierView]]:
        """Return since when a core file's entry is as it is and what it replaced; each file's history is read again
        only when it changed."""
        version, those = self._read.get(statement.file, ("", []))
        if statement.file not in tuple(CoreFile) or not those:
            return "", []
        known = self._pasts.get(statement.file)
        if known is None or known[0] != version:
            try:
                hit = pasts(statement.file, self.app.store, those)
            except WorkspaceError:  # the history can't be read now
                return "", []
            views = {each.start_line: _past_view(each, past) for each, past in zip(those, hit, strict=True)}
            self._pasts[statement.file] = known = version, views
        return known[1].get(statement.start_line, ("", []))


def _past_view(statement: Statement, past: Past) -> tuple[str, list[EarlierView]]:
    views: list[EarlierView] = []
    sentence, seen = statement.sentence, {fact_key(statement.sentence)}
    for one in past.earlier:
        if (key := fact_key(one.sentence)) not in seen:  # after a circle, each text once
            seen.add(key)
            part = differing_part(sentence, one.sentence)
            views.append(EarlierView(sentence=one.sentence, part=part, until=one.until))
    return (past.earlier[0].until if views else ""), views


def _is(statement: Statement, args: CorrectArgs) -> bool:
    return (statement.file, statement.start_line, statement.end_line, statement.text) == (
        args.file,
        args.start_line,
        args.end_line,
        args.text,
    )


def _has(statement: Statement, line: int) -> bool:
    return statement.start_line <= line <= statement.end_line
