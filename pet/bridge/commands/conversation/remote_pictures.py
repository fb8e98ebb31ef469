"""Pictures on the internet that a reply points to, loaded on the owner's click."""

from __future__ import annotations

from pet.bridge.command import Client, command
from pet.services.conversation.remote_pictures import LoadedPicture, RemotePictures


class RemotePictureCommands:
    def __init__(self, pictures: RemotePictures) -> None:
        self._pictures = pictures

    @command(Client.CHAT)
    def load_picture(self, conversation: str, turn: str, address: str) -> LoadedPicture:
        """Fetch a picture that a reply points to: a click.

        ``address``: of a picture that this turn's reply names; any other is refused.
        """
        return self._pictures.load(conversation, turn, address)
