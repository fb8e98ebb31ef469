"""``pet forget``, and what the chat shares of it.

Every match is listed first; Enter, end of input and a missing terminal are no consent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pet.app import Pet
from pet.bridge.commands.terminal import open_named
from pet.cli.arguments import Given
from pet.cli.running_pet import notify_deleted
from pet.cli.terminal import Terminal, print_json, revealed, safe
from pet.errors import UnknownConversation
from pet.i18n import Texts
from pet.memory.store.forget_plan import ForgetOutcome, ForgetPlan, format_plan
from pet.serde import to_data

if TYPE_CHECKING:
    from pet.transcripts.conversation import Conversation


def forget(app: Pet, given: Given) -> int:
    """Return 0 if forgotten, 1 if not found, not confirmed or not fully erased."""
    if given.conversation is not None:
        # With --yes only an id: after the next conversation a number refers to another one, and no question follows.
        listed = given.conversation.isdecimal() and not given.yes
        conversation = open_named(app.conversations, given.conversation).id if listed else given.conversation
        return _forget_conversation(app, given, conversation)
    as_json = given.json
    terminal = Terminal.standard(answer_only=as_json)
    plan, report = forget_text(app, terminal, given.text or "", ask=not given.yes)
    if as_json:
        data = {
            "pet": app.pet_id,
            "forgotten": report is not None,
            "goes": to_data(plan.goes),
            "stays": to_data(plan.stays),
        }
        print_json(Terminal.standard(), data | {"report": to_data(report)})
    elif report is not None:
        show_outcome(app, terminal, report)
    return 0 if report is not None and not report.unreached else 1


def _forget_conversation(app: Pet, given: Given, conversation: str) -> int:
    """Delete a conversation, and on request what was learned in it. Return 1 if not confirmed or incomplete.

    If killed in between, a second run completes it. Raises UnknownConversation.
    """
    texts, as_json, sure = app.texts(), given.json, given.yes
    terminal = Terminal.standard(answer_only=as_json)
    plan = app.forgetting.find_learned(conversation)
    may_learn = bool(plan.texts) and (given.learned or not sure)
    folded = _open_or_none(app, conversation, or_none=may_learn)
    title = (safe(folded.title) if folded else "") or texts("export.untitled")
    if folded is None:
        terminal.say(texts("cli.forget.deleted_before"))
    elif not sure:
        terminal.say(texts("cli.forget.conversation", title=title, turns=len(folded.turns), count=_entries(plan)))
    deleted = folded is None or sure or _says_yes(terminal, texts("cli.forget.delete_question"), texts)
    learned = deleted and may_learn and (sure or _confirmed(app, terminal, plan))
    if deleted:
        if folded is not None:
            app.conversations.delete(conversation)
        notify_deleted(app.home, app.pet_id, conversation)
    report = app.forgetting.forget(plan) if learned else None
    if as_json:
        data = {"pet": app.pet_id, "deleted": deleted, "goes": to_data(plan.goes), "stays": to_data(plan.stays)}
        print_json(Terminal.standard(), data | {"report": to_data(report)})
    elif deleted:
        if folded is not None:
            terminal.say(texts("cli.forget.deleted", title=title))
        if report is not None:
            show_outcome(app, terminal, report)
    done = learned if folded is None else deleted
    return 0 if done and not (report and report.unreached) else 1


def _open_or_none(app: Pet, conversation: str, *, or_none: bool) -> Conversation | None:
    """Return the conversation; None if it is gone and ``or_none``. Raises UnknownConversation."""
    try:
        return app.conversations.open(conversation).folded()
    except UnknownConversation:
        if or_none:
            return None
        raise


def _entries(plan: ForgetPlan) -> int:
    return sum(piece.where in ("file", "log") for piece in plan.goes)


def forget_text(app: Pet, terminal: Terminal, text: str, *, ask: bool) -> tuple[ForgetPlan, ForgetOutcome | None]:
    """Return the plan and the report; no report without matches or consent."""
    plan = app.forgetting.find(text)
    if not (plan.goes or plan.stays or plan.begun):
        terminal.complain(app.texts()("cli.forget.nothing", text=safe(text)))
        return plan, None
    if ask and not _confirmed(app, terminal, plan):
        return plan, None
    return plan, app.forgetting.forget(plan)


def _confirmed(app: Pet, terminal: Terminal, plan: ForgetPlan) -> bool:
    texts = app.texts()
    for line in format_plan(plan, texts).splitlines():
        terminal.say(revealed(line))
    if plan.stays:
        terminal.say()
        terminal.say(texts("forget.stays_why"))
    if not terminal.can_ask:
        terminal.complain(texts("cli.forget.nobody"))
        return False
    terminal.say()
    if _says_yes(terminal, texts("cli.forget.question"), texts):
        return True
    terminal.complain(texts("cli.forget.refused"))
    return False


def _says_yes(terminal: Terminal, question: str, texts: Texts) -> bool:
    """Prompt for consent; False without a terminal."""
    if not terminal.can_ask:
        terminal.complain(texts("cli.forget.nobody"))
        return False
    return terminal.agrees(question, texts("cli.forget.words.yes"))


def show_outcome(app: Pet, terminal: Terminal, report: ForgetOutcome) -> None:
    texts = app.texts()
    terminal.say(texts("forget.done", entries=report.entries, versions=report.versions, messages=report.messages))
    if len(report.left) > report.unreached:
        terminal.say(texts("forget.left", count=len(report.left) - report.unreached))
        terminal.say(texts("forget.stays_why"))
    if report.unreached:
        terminal.complain(texts("forget.unreached", count=report.unreached))
