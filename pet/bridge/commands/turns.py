"""Turns of a conversation: send, stop, replace, remove; their attachments, pictures, receipts and proposals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pet.bridge.command import Client, command
from pet.bridge.reply_links import LoadedPicture
from pet.engine.conversation import LiveConversation
from pet.engine.document_pages import with_owners_pages
from pet.engine.masked_secrets import CallArgs, keep_secret
from pet.engine.receipts import Receipts
from pet.errors import AttachmentRefused, EmptyContent, UnknownProposal
from pet.model import Allowed, Attachment, Decision, Lasting, Receipt, Refused
from pet.services.core_files import WriteReply, write_reply
from pet.services.file_transfer import GivenFile, data_address, decode_chunks, plain_name
from pet.workspace.attachments import MAX_FILE, MOST_IN_A_MESSAGE, described

if TYPE_CHECKING:
    from pet.app.pet import Pet


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptReply:
    """None: nothing had to be changed."""

    receipt: Receipt | None


@dataclass(frozen=True, slots=True)
class ReceiptCommands:
    """The actor is the owner."""

    app: Pet

    @command(Client.CHAT)
    def undo_receipt(self, args: CallArgs) -> WriteReply:
        """Undo the change of this call, byte for byte."""
        receipts = self._of(args)
        return self._written(receipts.file_of(args.turn, args.call), receipts.undo(args.turn, args.call))

    @command(Client.CHAT)
    def redo_receipt(self, args: CallArgs) -> WriteReply:
        """Redo a change that was undone."""
        receipts = self._of(args)
        return self._written(receipts.file_of(args.turn, args.call), receipts.redo(args.turn, args.call))

    @command(Client.CHAT)
    def replace_earlier(self, args: CallArgs) -> ReceiptReply:
        """Replace the older line that the note of this call names, by the note."""
        return ReceiptReply(receipt=self._of(args).replace_earlier(args.turn, args.call))

    @command(Client.CHAT)
    def keep_secret(self, args: CallArgs) -> ReceiptReply:
        """Restore what was masked in the change of this call."""
        return ReceiptReply(receipt=keep_secret(self.app.store, self.app.conversations, args))

    def _written(self, file: str, receipt: Receipt | None) -> WriteReply:
        limit = self.app.effective.current().prompt_file_characters
        return write_reply(self.app.store.read(file), limit, receipt)

    def _of(self, args: CallArgs) -> Receipts:
        return self.app.conversations.open(args.conversation).receipts


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachmentView:
    """``image``: a data address, "" for a text file; ``text``: the text of a text file."""

    attachment: Attachment
    image: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedFile:
    """``fitting``: pages of a text that one message can take, from the first."""

    attachment: Attachment
    fitting: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedFiles:
    """A document's text comes before the pictures of its pages."""

    files: list[AddedFile]


_MOST_BASE64 = (MAX_FILE + 2) // 3 * 4


@dataclass(frozen=True, slots=True)
class AttachmentCommands:
    app: Pet

    @command(Client.CHAT)
    def add_attachment(self, conversation: str, file: GivenFile) -> AddedFiles:
        """Store a picture, a text or a document for a message. Raises AttachmentRefused.

        A document comes as its text, and as pictures of pages without text. ``conversation``: where it will be sent;
        attachments of a temporary one are never written to disk.
        """
        name = plain_name(file.name)
        live = self.app.conversations.open(conversation)
        if sum(map(len, file.data)) > _MOST_BASE64:
            raise AttachmentRefused("too_large", name=name, limit=MAX_FILE // 1024 // 1024)
        content = decode_chunks(file.data, "file.data")
        added = self.app.attachments.add_file(name, content, temporary=live.id if live.gate.temporary else None)
        return AddedFiles(files=[AddedFile(attachment=each, fitting=live.documents.fitting(each)) for each in added])

    @command(Client.CHAT)
    def fit_attachment(self, conversation: str, attachment: str) -> AddedFile:
        """Return an attachment of a restored message with the pages that fit now. Raises AttachmentRefused."""
        described = self.app.attachments.describe(attachment)
        fitting = self.app.conversations.open(conversation).documents.fitting(described)
        return AddedFile(attachment=described, fitting=fitting)

    @command(Client.CHAT)
    def discard_attachment(self, attachment: str) -> None:
        """Discard an attachment that the owner removed from the message."""
        self.app.attachments.discard(attachment)

    @command(Client.CHAT)
    def read_attachment(self, attachment: str, whole: bool = False) -> AttachmentView:
        """Return a sent picture or text file. Raises AttachmentRefused.

        ``whole``: the original; else a small copy of a picture.
        """
        data = self.app.attachments.read(attachment)
        if data is None:
            raise AttachmentRefused("gone")
        sent = described(attachment, data)
        if sent.kind == "text/plain":
            return AttachmentView(attachment=sent, image="", text=data.decode("utf-8", "replace"))
        kind = sent.kind
        if not whole:
            from pet.workspace.images import thumbnail  # lazy: importing Pillow is slow

            small = thumbnail(data, sent.name)
            kind, data = small.kind, small.data
        return AttachmentView(attachment=sent, image=data_address(kind, data), text="")

    @command(Client.CHAT)
    def load_picture(self, conversation: str, turn: str, address: str) -> LoadedPicture:
        """Fetch a remote picture of a reply, on the owner's click. Raises FetchRefused.

        ``address``: of a picture that this turn's reply names; any other is refused.
        """
        return self.app.remote_pictures.load(conversation, turn, address)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStartedReply:
    turn: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalArgs:
    """``text``: with ``edit``, the proposal as the owner changed it. ``lasting``: as in ``Allowed``."""

    conversation: str
    proposal: str
    answer: Literal["allow", "edit", "refuse"]
    text: str | None = None
    lasting: Lasting = "once"


@dataclass(frozen=True, slots=True)
class TurnCommands:
    app: Pet

    @command(Client.CHAT)
    def send_message(
        self, conversation: str, text: str, attachments: tuple[str, ...] = (), pages: tuple[str, ...] = ()
    ) -> TurnStartedReply:
        """Store the message, start a turn and return at once.

        ``attachments``: ids that ``add_attachment`` returned; with one the text may be empty. ``pages``: for each of
        them the pages that the owner chose, such as ``1-40``; "" for all, or those that answer the message.
        """
        sent = self._sent(attachments)
        chosen = dict(zip(attachments, pages, strict=False))
        sent = tuple(with_owners_pages(each, chosen.get(each.id, "")) for each in sent)
        return TurnStartedReply(turn=self.app.conversations.open(conversation).send(text, sent))

    @command(Client.CHAT)
    def prepare_draft(self, conversation: str, text: str) -> None:
        """Prepare recall for a message that is being typed; nothing of it is stored. Sent once a pause."""
        self.app.conversations.open(conversation).prepare(text)

    @command(Client.CHAT)
    def stop_turn(self, conversation: str) -> None:
        """Stop the running turn; its text so far is kept."""
        self.app.conversations.open(conversation).stop()

    @command(Client.CHAT)
    def resend(
        self, conversation: str, turn: str, text: str | None = None, attachments: list[str] | None = None
    ) -> TurnStartedReply:
        """Replace a turn: regenerate or retry it, or edit and resend its message.

        ``text`` None: the same message. ``attachments`` None: the same ones; an empty list: none.
        """
        sent = None if attachments is None else self._sent(attachments)
        return TurnStartedReply(turn=self.app.conversations.open(conversation).resend(turn, text, sent))

    @command(Client.CHAT)
    def continue_turn(self, conversation: str, turn: str) -> TurnStartedReply:
        """Continue a reply that was truncated or stopped."""
        return TurnStartedReply(turn=self.app.conversations.open(conversation).continue_turn(turn))

    @command(Client.CHAT)
    def get_acquainted(self, conversation: str) -> TurnStartedReply:
        """Start a turn in which the pet speaks first, to get to know its owner."""
        return TurnStartedReply(turn=self.app.conversations.open(conversation).get_acquainted())

    @command(Client.CHAT)
    def remove_turn(self, conversation: str, turn: str) -> None:
        """Remove a message and its reply from the conversation."""
        self.app.conversations.open(conversation).record.remove_turn(turn)

    @command(Client.CHAT)
    def restore_turns(self, conversation: str, turns: list[str]) -> None:
        """Restore removed turns at their places."""
        self.app.conversations.open(conversation).record.restore_turns(turns)

    @command(Client.CHAT)
    def choose_variant(self, conversation: str, turn: str) -> None:
        """Make another reply of a turn active again, with the turns after it."""
        self.app.conversations.open(conversation).record.choose_variant(turn)

    @command(Client.CHAT)
    def remember_turn(self, conversation: str, turn: str, switch_on: bool = False) -> ReceiptReply:
        """Save the owner's message in today's log. ``switch_on``: turn memory on first."""
        live = self.app.conversations.open(conversation)
        return ReceiptReply(receipt=live.remember_turn(turn, switch_on=switch_on))

    @command(Client.CHAT)
    def answer_proposal(self, args: ProposalArgs) -> None:
        """Allow, edit or refuse a proposed change. Raises UnknownProposal, EmptyContent."""
        live = self.app.conversations.open(args.conversation)
        live.answer(args.proposal, _decision(live, args))

    def _sent(self, ids: Sequence[str]) -> tuple[Attachment, ...]:
        """Return the attachments of these ids, each once. Raises AttachmentRefused."""
        wanted = list(dict.fromkeys(ids))
        if len(wanted) > MOST_IN_A_MESSAGE:
            raise AttachmentRefused("too_many", limit=MOST_IN_A_MESSAGE)
        return tuple(self.app.attachments.describe(each) for each in wanted)


def _decision(live: LiveConversation, args: ProposalArgs) -> Decision:
    if args.answer == "refuse":
        return Refused(why="owner")
    proposal = next((each for each in live.proposals.list_open() if each.id == args.proposal), None)
    if proposal is None:
        raise UnknownProposal()
    if args.answer == "allow":
        return Allowed(text=proposal.after, edited=False, lasting=args.lasting)
    if args.text is None or not args.text.strip():
        raise EmptyContent(file=proposal.file)
    return Allowed(text=args.text, edited=args.text != proposal.after)
