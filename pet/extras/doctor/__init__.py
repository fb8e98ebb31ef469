"""``pet doctor``: what is set up on this machine, and what is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pet.extra import Extra

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pet.cli.arguments import Subcommand


def _subcommands() -> Mapping[str, Subcommand]:
    from pet.cli.arguments import JSON, Subcommand

    return {"doctor": Subcommand(options=(JSON,), run="pet.extras.doctor.cli.doctor")}


EXTRA = Extra(subcommands=_subcommands)
