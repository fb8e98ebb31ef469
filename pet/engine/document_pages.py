"""Choose the pages of a document that are sent with a message: all if they fit, those that the owner chose, or those
that the message asks about.

Each message searches the text again. Vectors of passages are kept in memory only, while the conversation is open.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from threading import Lock

from pet.access import ConversationGate
from pet.engine.conversation_record import ConversationRecord
from pet.engine.services import EngineServices
from pet.errors import AttachmentRefused
from pet.language.asking import named_pages
from pet.memory.search.page_search import PassageSearch
from pet.model import Attachment
from pet.text.pages import first_fitting, format_ranges, parse_ranges, split_pages
from pet.text.token_estimate import estimate_tokens
from pet.transcripts.conversation import Turn

ReadText = Callable[[str], bytes | None]
Rank = Callable[[Sequence[str], str], list[tuple[float, int]]]

_SHARE = 0.5
"""Share of the context window that a message's documents may take together."""
_LEAST_BUDGET = 1_000  # tokens
_MOST_LATER = 6
"""Pages that are sent with a later message of the conversation."""
_LEAST_SCORE = 0.55
"""Share of a later question's words, by their weight, that a page must have."""


def with_owners_pages(attachment: Attachment, ranges: str) -> Attachment:
    """Return the attachment with the pages that the owner chose; "" for the program's choice. Raises
    AttachmentRefused for ranges that name no page of it.
    """
    if not ranges.strip():
        return attachment
    try:
        chosen = parse_ranges(ranges, attachment.pages)
    except ValueError:
        chosen = ()
    if not chosen:
        raise AttachmentRefused("no_such_pages", name=attachment.name, limit=attachment.pages)
    whole = len(chosen) == attachment.pages
    return replace(attachment, sent="" if whole else format_ranges(chosen))


class DocumentPages:
    """Chooses the pages for the messages of one conversation."""

    def __init__(self, record: ConversationRecord, gate: ConversationGate, services: EngineServices) -> None:
        self._record = record
        self._gate = gate
        self._services = services
        self._passages = PassageSearch(services.index.embed_quickly)
        self._lock = Lock()

    def fitting(self, attachment: Attachment) -> int:
        """Return how many pages of a text a message can take, from the first; all its pages if it can take them."""
        if attachment.pages < 2:
            return attachment.pages
        return first_fitting(_pages(attachment, self._services.attachments.read), self._budget(), estimate_tokens)

    def with_pages(
        self, question: str, attachments: Sequence[Attachment], turns: Sequence[Turn] = ()
    ) -> tuple[Attachment, ...]:
        """Return a message's attachments; of texts that don't fit, with the pages that go with it.

        ``turns``: earlier ones, whose documents are searched too.
        """
        sent_before = any(each.sent for turn in turns for each in turn.attachments)
        if not (attachments or sent_before):
            return ()
        read, budget = self._services.attachments.read, self._budget()
        chosen = _with_pages(attachments, question, read, budget, self._rank)
        if not sent_before:
            return chosen
        later = _later_pages(turns, question, read, budget, self._rank, without={each.id for each in attachments})
        if later and not self._gate.access().replays_gated:
            gated = {each.id for each in self._services.attachments.gated(later, marked=True)}
            later = tuple(each for each in later if each.id not in gated)
        return chosen + later

    def _rank(self, pages: Sequence[str], question: str) -> list[tuple[float, int]]:
        with self._lock:
            return self._passages.rank(pages, question)

    def _budget(self) -> int:
        """Return the tokens that a message's documents may take together."""
        used = self._services.effective.in_use(self._record.model)
        settings = self._services.models.limits(used).settings
        window = self._services.sizes[settings.model].window(settings.context_window)
        return max(_LEAST_BUDGET, round(window * _SHARE))


def _with_pages(
    attachments: Sequence[Attachment], question: str, read: ReadText, budget: int, rank: Rank
) -> tuple[Attachment, ...]:
    """Return the attachments of a message; of texts that don't fit together, with the pages to be sent."""
    texts = [each for each in attachments if each.pages > 1 and not each.sent]
    pages = {each.id: _pages(each, read) for each in texts}
    if sum(estimate_tokens(page) for each in pages.values() for page in each) <= budget:
        return tuple(attachments)
    share = budget // len(texts)
    return tuple(
        replace(each, sent=_best(pages[each.id], question, share, rank)) if each in texts else each
        for each in attachments
    )


def _later_pages(
    turns: Iterable[Turn], question: str, read: ReadText, budget: int, rank: Rank, *, without: Collection[str]
) -> tuple[Attachment, ...]:
    """Return documents of earlier messages with pages that this message names or asks about, and that were not sent.

    ``without``: ids of attachments that come with the message itself.
    """
    sent: dict[str, tuple[Attachment, set[int]]] = {}
    for turn in turns:
        for each in turn.attachments:
            if each.sent and each.id not in without:
                known = sent.setdefault(each.id, (each, set()))[1]
                known.update(_ranges(each))
    later: list[Attachment] = []
    for attachment, known in sent.values():
        pages = _pages(attachment, read)
        ranked = [page for score, page in rank(pages, question) if score >= _LEAST_SCORE]
        wanted = [*named_pages(question, len(pages)), *ranked[:1]]
        if new := _within(pages, [page for page in dict.fromkeys(wanted) if page not in known], budget // 2):
            later.append(replace(attachment, sent=format_ranges(new)))
    return tuple(later)


def _best(pages: Sequence[str], question: str, budget: int, rank: Rank) -> str:
    """Return the pages that answer the question best, then the first ones, as far as they fit."""
    ranked = [page for _, page in rank(pages, question)]
    order = dict.fromkeys([*named_pages(question, len(pages)), 1, *ranked, *range(1, len(pages) + 1)])
    return format_ranges(_within(pages, list(order), budget, most=len(pages)))


def _within(pages: Sequence[str], order: Sequence[int], budget: int, *, most: int = _MOST_LATER) -> list[int]:
    """Return pages in this order while they fit; the first one in any case."""
    chosen: list[int] = []
    for page in order[:most]:
        budget -= estimate_tokens(pages[page - 1])
        if budget < 0 and chosen:
            break
        chosen.append(page)
    return chosen


def _ranges(attachment: Attachment) -> tuple[int, ...]:
    try:
        return parse_ranges(attachment.sent, attachment.pages)
    except ValueError:  # of a transcript that was changed by hand
        return ()


def _pages(attachment: Attachment, read: ReadText) -> list[str]:
    return split_pages((read(attachment.id) or b"").decode("utf-8", "replace"))
