"""Attachments: those of a new message, and sent ones for display."""

from __future__ import annotations

from dataclasses import dataclass

from pet.bridge.command import Client, command
from pet.engine.conversation.conversations import Conversations
from pet.errors import AttachmentRefused
from pet.model import Attachment
from pet.services.file_transfer import GivenFile, data_address, decode_chunks, plain_name
from pet.workspace.attachments import MAX_FILE, Attachments, described


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachmentView:
    """``image`` is a data address, "" for a text file; ``text`` is that file's text."""

    attachment: Attachment
    image: str
    text: str


_MOST_BASE64 = (MAX_FILE + 2) // 3 * 4


@dataclass(frozen=True, slots=True)
class AttachmentCommands:
    attachments: Attachments
    conversations: Conversations

    @command(Client.CHAT)
    def add_attachment(self, conversation: str, file: GivenFile) -> Attachment:
        """Take in a picture or a text file to be sent.

        ``conversation``: the one it will be sent in; a temporary one's attachments never touch the disk.
        """
        name = plain_name(file.name)
        live = self.conversations.open(conversation)
        if sum(map(len, file.data)) > _MOST_BASE64:
            raise AttachmentRefused("too_large", name=name, limit=MAX_FILE // 1024 // 1024)
        content = decode_chunks(file.data, "file.data")
        return self.attachments.add(name, content, temporary=live.id if live.gate.temporary else None)

    @command(Client.CHAT)
    def discard_attachment(self, attachment: str) -> None:
        """It was taken out of the message again."""
        self.attachments.discard(attachment)

    @command(Client.CHAT)
    def read_attachment(self, attachment: str, whole: bool = False) -> AttachmentView:
        """A picture or a text file that was sent.

        ``whole``: as it was sent; else a small copy for the message.
        """
        data = self.attachments.read(attachment)
        if data is None:
            raise AttachmentRefused("gone")
        found = described(attachment, data)
        if found.kind == "text/plain":
            return AttachmentView(attachment=found, image="", text=data.decode("utf-8", "replace"))
        kind = found.kind
        if not whole:
            from pet.workspace.images import thumbnail  # lazy: importing Pillow is slow

            small = thumbnail(data, found.name)
            kind, data = small.kind, small.data
        return AttachmentView(attachment=found, image=data_address(kind, data), text="")
