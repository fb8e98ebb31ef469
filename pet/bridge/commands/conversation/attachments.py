"""Attachments of new and sent messages, and remote pictures that a reply names."""

from __future__ import annotations

from dataclasses import dataclass

from pet.bridge.command import Client, command
from pet.engine.conversations import Conversations
from pet.errors import AttachmentRefused
from pet.model import Attachment
from pet.services.conversation.remote_pictures import LoadedPicture, RemotePictures
from pet.services.file_transfer import GivenFile, data_address, decode_chunks, plain_name
from pet.workspace.attachments import MAX_FILE, Attachments, described


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachmentView:
    """``image``: a data address, "" for a text file; ``text``: the text of a text file."""

    attachment: Attachment
    image: str
    text: str


_MOST_BASE64 = (MAX_FILE + 2) // 3 * 4


@dataclass(frozen=True, slots=True)
class AttachmentCommands:
    attachments: Attachments
    conversations: Conversations
    pictures: RemotePictures

    @command(Client.CHAT)
    def add_attachment(self, conversation: str, file: GivenFile) -> Attachment:
        """Store a picture or a text file for a message. Raises AttachmentRefused.

        ``conversation``: where it will be sent; attachments of a temporary one are never written to disk.
        """
        name = plain_name(file.name)
        live = self.conversations.open(conversation)
        if sum(map(len, file.data)) > _MOST_BASE64:
            raise AttachmentRefused("too_large", name=name, limit=MAX_FILE // 1024 // 1024)
        content = decode_chunks(file.data, "file.data")
        return self.attachments.add(name, content, temporary=live.id if live.gate.temporary else None)

    @command(Client.CHAT)
    def discard_attachment(self, attachment: str) -> None:
        """Discard an attachment that the owner removed from the message."""
        self.attachments.discard(attachment)

    @command(Client.CHAT)
    def read_attachment(self, attachment: str, whole: bool = False) -> AttachmentView:
        """Return a sent picture or text file. Raises AttachmentRefused.

        ``whole``: the original; else a small copy of a picture.
        """
        data = self.attachments.read(attachment)
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
        return self.pictures.load(conversation, turn, address)
