"""Handlers for attachments: those of a new message, and sent ones for display."""

from __future__ import annotations

from pet.bridge.api import AddAttachmentArgs, AttachmentArgs, AttachmentView, DiscardArgs
from pet.engine.conversation.conversations import Conversations
from pet.errors import AttachmentRefused
from pet.model import Attachment
from pet.services.file_transfer import data_address, decode_chunks, plain_name
from pet.workspace.attachments import MAX_FILE, Attachments, described

_MOST_BASE64 = (MAX_FILE + 2) // 3 * 4


class AttachmentCommands:
    """Every public method is the handler of the row of its name."""

    def __init__(self, attachments: Attachments, conversations: Conversations) -> None:
        self._attachments = attachments
        self._conversations = conversations

    def add_attachment(self, args: AddAttachmentArgs) -> Attachment:
        name = plain_name(args.file.name)
        live = self._conversations.open(args.conversation)
        if sum(map(len, args.file.data)) > _MOST_BASE64:
            raise AttachmentRefused("too_large", name=name, limit=MAX_FILE // 1024 // 1024)
        content = decode_chunks(args.file.data, "file.data")
        return self._attachments.add(name, content, temporary=live.id if live.gate.temporary else None)

    def discard_attachment(self, args: DiscardArgs) -> None:
        self._attachments.discard(args.attachment)

    def read_attachment(self, args: AttachmentArgs) -> AttachmentView:
        data = self._attachments.read(args.attachment)
        if data is None:
            raise AttachmentRefused("gone")
        found = described(args.attachment, data)
        if found.kind == "text/plain":
            return AttachmentView(attachment=found, image="", text=data.decode("utf-8", "replace"))
        kind = found.kind
        if not args.whole:
            from pet.workspace.images import thumbnail  # lazy: importing Pillow is slow

            small = thumbnail(data, found.name)
            kind, data = small.kind, small.data
        return AttachmentView(attachment=found, image=data_address(kind, data), text="")
