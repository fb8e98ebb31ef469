"""Files that come in from a page, those that are sent along with a message, and pictures that a reply points to."""

from __future__ import annotations

from dataclasses import dataclass

from pet.bridge.api.base import CHAT, Command, Nothing
from pet.model import Attachment


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachmentView:
    """``image`` is a data address, "" for a text file; ``text`` is that file's text."""

    attachment: Attachment
    image: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AddAttachmentArgs:
    """``conversation``: the one it will be sent in; a temporary one's attachments never touch the disk."""

    conversation: str
    file: GivenFile


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachmentArgs:
    """``whole``: as it was sent; else a small copy for the message."""

    attachment: str
    whole: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscardArgs:
    attachment: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenFile:
    """A file the owner picked, dropped or pasted: base64, in pieces of at most a million characters."""

    name: str
    data: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadPictureArgs:
    """``address``: of a picture that this turn's reply names; any other is refused."""

    conversation: str
    turn: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedPicture:
    """``image`` is a data address: the picture as the core has drawn it anew."""

    image: str
    width: int
    height: int


ROWS: tuple[Command, ...] = (
    Command("add_attachment", AddAttachmentArgs, Attachment, CHAT, "Take in a picture or a text file to be sent."),
    Command("discard_attachment", DiscardArgs, Nothing, CHAT, "It was taken out of the message again."),
    Command("read_attachment", AttachmentArgs, AttachmentView, CHAT, "A picture or a text file that was sent."),
    Command("load_picture", LoadPictureArgs, LoadedPicture, CHAT, "Fetch a picture that a reply points to: a click."),
)
