"""``pet chat``: choose the conversation, attach files, ask for a missing key, and ``--once``.

Attachments pass the same checks as in the window; only regular files are read.
"""

from __future__ import annotations

import shlex
import stat
from collections.abc import Iterable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from pet.access import MemoryMode
from pet.app import Pet
from pet.bridge.commands.terminal import named_or_new, open_named
from pet.cli.arguments import Given
from pet.cli.chat_turn import Confirmation, follow_own
from pet.cli.commands.connection import key_missing
from pet.cli.format import command_for, complain_of_files, error_text, paused_note, unreadable_notes
from pet.cli.found import ways_to_a_model
from pet.cli.terminal import Terminal
from pet.engine.conversation import LiveConversation
from pet.engine.document_pages import with_owners_pages
from pet.errors import AttachmentRefused, KeyStoreFailed, PetError, WriteFailed
from pet.i18n import Texts
from pet.model import Attachment, TurnEnd
from pet.services.file_transfer import plain_name
from pet.settings.connections import key_slot
from pet.workspace.attachments import MAX_FILE, MOST_IN_A_MESSAGE


@dataclass(slots=True)
class PendingAttachments:
    """Attachments for the next message of one conversation."""

    app: Pet
    live: LiveConversation
    files: list[Attachment] = field(default_factory=list)

    def add(self, path: Path) -> Attachment:
        """Store the file, a document also as pictures of its pages without text, and return the first of these.

        Raises AttachmentRefused, WriteFailed.
        """
        if len(self.files) >= MOST_IN_A_MESSAGE:
            raise AttachmentRefused("too_many", limit=MOST_IN_A_MESSAGE)
        name = plain_name(path.name)
        owner = self.live.id if self.live.gate.temporary else None
        added = self.app.attachments.add_file(name, _content(path, name), temporary=owner)
        known = {each.id for each in self.files}
        self.files.extend(each for each in added[: MOST_IN_A_MESSAGE - len(known)] if each.id not in known)
        return added[0]

    def choose_pages(self, ranges: str) -> Attachment | None:
        """Set the pages that go along, such as "10-20, 280", of the document attached last; None without one.

        Raises AttachmentRefused for ranges that name no page of it.
        """
        for place, each in reversed([*enumerate(self.files)]):
            if each.pages > 1:
                self.files[place] = with_owners_pages(each, ranges)
                return self.files[place]
        return None

    def add_given(self, given: Given) -> None:
        """Attach the files of the command line, with the chosen pages. Raises AttachmentRefused, WriteFailed."""
        for path in given.attach or ():
            self.add(path_of(path))
        if given.pages is not None and self.choose_pages(given.pages) is None:
            raise AttachmentRefused("no_such_pages", name=self.files[-1].name, limit=1)

    def take(self) -> tuple[Attachment, ...]:
        """Return and clear them; see ``give_back``."""
        files, self.files = tuple(self.files), []
        return files

    def give_back(self, files: Iterable[Attachment]) -> None:
        """Restore them after sending failed."""
        self.files = [*files]

    def discard(self) -> int:
        """Drop them; return how many there were."""
        files = self.take()
        drafted = self.app.tabs.drafted()  # the window's drafts may refer to the same file
        for each in files:
            if drafted is not None and each.id not in drafted:
                with suppress(WriteFailed):  # unreferenced: daily maintenance removes it
                    self.app.attachments.discard(each.id)
        return len(files)


def path_of(typed: str) -> Path:
    """Parse a path as typed, or as a terminal inserts a dragged file: quoted or escaped."""
    plain = Path(typed).expanduser()
    if plain.exists():
        return plain
    try:
        words = shlex.split(typed)
    except ValueError:
        return plain
    return Path(words[0]).expanduser() if len(words) == 1 else plain


def _content(path: Path, name: str) -> bytes:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise AttachmentRefused("unreadable", name=name)
        if status.st_size > MAX_FILE:
            raise AttachmentRefused("too_large", name=name, limit=MAX_FILE // 1024 // 1024)
        return path.read_bytes()
    except (OSError, ValueError):
        raise AttachmentRefused("unreadable", name=name) from None


def choose_conversation(app: Pet, given: Given) -> LiveConversation:
    """Return the named conversation with the requested memory mode, or a new one. Raises UnknownConversation."""
    return named_or_new(app, given.conversation, given.memory, temporary=given.temporary)


def find_conversation(app: Pet, named: str) -> LiveConversation:
    """Look up by id, or by number in the list. Raises UnknownConversation."""
    live = open_named(app.conversations, named)
    follow_memory_mode(live)
    return live


def follow_memory_mode(live: LiveConversation) -> None:
    """Apply a change of the memory mode by the pet's window, which writes the same transcript."""
    live.gate.switch(live.folded().memory_mode)


def ask_for_key(app: Pet, live: LiveConversation, terminal: Terminal, texts: Texts) -> None:
    """Ask for a key for this session, if the endpoint requires one, none is stored, and stdin is a terminal."""
    if not terminal.can_ask or not key_missing(app, live.model):
        return
    settings = app.effective.in_use(live.model).settings
    origin = key_slot(settings.connection, settings.base_url)
    for line in ways_to_a_model(app.local_models, urlsplit(settings.base_url).netloc, texts):
        terminal.say(line)
    if app.keys.status(origin).locked:
        terminal.complain(texts("error.key_store_locked"))
    while True:
        key = terminal.ask_hidden(texts("cli.key.ask_session", host=origin.partition("://")[2].partition("#")[0]))
        if not key:
            return
        try:
            app.keys.set(origin, key, "session")
        except KeyStoreFailed as failed:
            terminal.complain(error_text(texts, failed))
        else:
            return


def prepare_recall(app: Pet, live: LiveConversation, *, index_after_seconds: float | None = None) -> None:
    """Keep the memory index current, and load the index for recall in the background."""
    app.maintain_index(*(() if index_after_seconds is None else (index_after_seconds,)))
    if live.gate.access().recalls:
        app.index.warm_up()


def warm_local_model(app: Pet, live: LiveConversation) -> Future[None]:
    """Let a local model compute the beginning of its prompts, or restore what was saved of them for this file."""
    return app.loop.submit(app.warm_local_model(app.effective.in_use(live.model)))


def once(app: Pet, given: Given, text: str) -> int:
    """Send one message; only the answer goes to standard output."""
    terminal, texts = Terminal.standard(answer_only=True), app.texts()
    live = choose_conversation(app, given)
    ask_for_key(app, live, terminal, texts)
    prepare_recall(app, live, index_after_seconds=0.0)
    if live.gate.memory_mode is not MemoryMode.OFF and app.conversations.paused:
        terminal.complain(paused_note(app))
    for note in unreadable_notes(live.folded(), texts):
        terminal.complain(note)
    complain_of_files(app.store, terminal, texts, command_for(app))
    waiting = PendingAttachments(app, live)
    try:
        waiting.add_given(given)
    except PetError:
        waiting.discard()
        raise
    confirmation = Confirmation.of(given, terminal, texts)
    ended = follow_own(app, live, text, waiting.take(), confirmation, in_chat=False)
    return 0 if ended.end is TurnEnd.DONE else 1
