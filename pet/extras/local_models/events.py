"""The events of the models on this computer."""

from __future__ import annotations

from typing import Literal

from pet.events import ErrorInfo, Event

LocalModelPhase = Literal["absent", "starting", "ready", "asleep", "failed"]


class LocalModelChanged(Event):
    """The local model starts, is ready, ended or failed. ``problem``: with ``failed``, an error's code."""

    local_model: str
    phase: LocalModelPhase
    problem: str


class LocalModelArriving(Event):
    """Download progress of a local model: ``done`` of ``total`` bytes, ``speed`` in bytes a second (0: unknown).
    ``checking``: the part on disk is being verified.
    """

    local_model: str
    done: int
    total: int
    speed: int
    seconds_left: int | None
    host: str
    checking: bool


class LocalModelOffered(Event):
    """A model file was dropped on the pet or chosen: ask the owner whether to use it. ``error``: why it can't be
    used. ``size`` and ``need`` (of memory) in bytes.
    """

    local_model: str
    name: str
    size: int
    need: int
    error: ErrorInfo | None


class LocalModelArrived(Event):
    """A download ended. ``error`` None: the model is complete and verified."""

    local_model: str
    error: ErrorInfo | None
