"""A turn with a real model, to be read by a person."""

from __future__ import annotations

from pet.app import Pet
from pet.model import Allowed
from pet.transcripts.conversation import Turn


def spoken(app: Pet, text: str, *, memory: bool = True) -> Turn:
    """Run one turn in a new conversation; its proposals are allowed."""
    chat = app.conversations.create(memory=memory)
    chat.send(text)
    while chat.running_turn is not None:
        for proposal in chat.proposals.list_open():
            chat.answer(proposal.id, Allowed(text=proposal.after, edited=False))
        try:
            chat.wait(0.5)
        except TimeoutError:
            continue
    turn = chat.folded().turns[-1]
    print(f"\n[brain {'on' if memory else 'off'}] owner: {text}")
    for round_ in turn.rounds:
        if round_.text:
            print("  pet:", round_.text)
        for done in round_.results:
            print(f"  {done.tool} {done.file or ''}: {done.text.splitlines()[0] if done.text else ''}")
    return turn
