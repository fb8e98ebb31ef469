"""The kinds of lines that are due by themselves, in the order in which one is sought when the owner comes."""

from __future__ import annotations

from pet.services.offers.due_reminders import DUE
from pet.services.offers.greetings import GREETING
from pet.services.offers.offer import Offer
from pet.services.offers.proposals import PROPOSAL
from pet.services.offers.replies import REPLY

KINDS: tuple[Offer, ...] = (GREETING, DUE, REPLY, PROPOSAL)
