"""Pictures on the internet that a reply points to, loaded on the owner's click."""

from __future__ import annotations

from dataclasses import dataclass

from pet.bridge.command import Client, command
from pet.services.conversation.remote_pictures import LoadedPicture, RemotePictures


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadPictureArgs:
    """``address``: of a picture that this turn's reply names; any other is refused."""

    conversation: str
    turn: str
    address: str


class RemotePictureCommands:
    def __init__(self, pictures: RemotePictures) -> None:
        self._pictures = pictures

    @command(Client.CHAT)
    def load_picture(self, args: LoadPictureArgs) -> LoadedPicture:
        """Fetch a picture that a reply points to: a click."""
        return self._pictures.load(args.conversation, args.turn, args.address)
