"""Requests that let a local server compute how every question and every reply begins, before the first message.

They hold no gated file: the question's examples, the rules of a reply, and SOUL.md. So what the server keeps of them,
also on the disk, is no memory of the owner's.
"""

from __future__ import annotations

from dataclasses import replace

from pet.engine.services import FILES_SHARE, LocalModelLimits
from pet.i18n import Texts
from pet.model import Message, Request, SystemBlock, TextPart
from pet.prompt.notebook import question, question_schema, reply_start
from pet.workspace.templates import default_soul

_HELLO = (Message(role="user", parts=(TextPart(text="."),)),)


def warming_requests(limits: LocalModelLimits, model: str, soul: str, texts: Texts) -> tuple[Request, ...]:
    """One for the question, where notes are taken, and one for the reply."""
    start = reply_start(soul or default_soul(texts.language), texts, round(limits.window * FILES_SHARE))
    reply = _request(model, (SystemBlock(text=start, cache=True),), _HELLO)
    if not limits.notes:
        return (reply,)
    system, messages = question((), ".", texts)
    asked = replace(_request(model, system, messages), schema=question_schema(0), temperature=0.0)
    return asked, reply


def _request(model: str, system: tuple[SystemBlock, ...], messages: tuple[Message, ...]) -> Request:
    return Request(model=model, max_tokens=1, system=system, tools=(), messages=messages, thinking="off")
