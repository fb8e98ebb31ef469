"""Earlier messages of a conversation as its requests carry them."""

from __future__ import annotations

from collections.abc import Callable

from pet.access.policy import Access
from pet.engine.request.attachments import AttachmentRenderer
from pet.i18n import Texts
from pet.model import Message
from pet.prompt.context import summary_context
from pet.transcripts.conversation.model import Conversation
from pet.transcripts.conversation.request_messages import first_sent, to_messages
from pet.workspace.attachments import Attachments


class MessageHistory:
    """The conversation as requests carry it, up to and with the running turn's message; made once for each access."""

    def __init__(
        self,
        folded: Callable[[], Conversation],
        turn: str | None,
        texts: Texts,
        *,
        attachments: Attachments,
        blind: Callable[[], bool],
    ) -> None:
        self._folded = folded
        self._attachments = attachments
        self._blind = blind  # whether the model is known to take no pictures
        self._turn = turn
        self._texts = texts
        self._conversation: Conversation | None = None
        self._made: dict[bool, tuple[Message, ...]] = {}

    @property
    def conversation(self) -> Conversation:
        if self._conversation is None:
            self._conversation = self._folded()
        return self._conversation

    def messages(self, access: Access) -> tuple[Message, ...]:
        """Return the earlier turns as this access may see them; made once for each."""
        if access.replays_gated not in self._made:
            self._made[access.replays_gated] = to_messages(
                self.conversation,
                access,
                self._texts("tool.masked"),
                upto=self._turn,
                framed=lambda summary: summary_context(summary.text, self._texts, gated=summary.memory),
                shown=self._shown(access),
            )
        return self._made[access.replays_gated]

    def _shown(self, access: Access) -> AttachmentRenderer:
        turns = list(self.conversation.turns)
        upto = next((place for place, turn in enumerate(turns) if turn.id == self._turn), len(turns) - 1)
        sent = turns[first_sent(self.conversation, access) : upto + 1]
        gated: set[str] = set()
        if not access.replays_gated:
            gated = {each.id for each in self._attachments.gated(a for turn in sent for a in turn.attachments)}
            gated.update(each for turn in sent for each in turn.memory_files)
        return AttachmentRenderer(sent, self._attachments.read, self._texts, blind=self._blind(), withheld=gated)

    def renew(self) -> None:
        """Something was added that requests carry: context, a summary."""
        self._conversation = None
        self._made.clear()
