"""Language models that run on this computer: catalogue, files, downloads, and the child process that serves one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pet.extra import Extra, ExtraParts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pet.app.pet import Pet
    from pet.cli.arguments import Subcommand


def _make(pet: Pet) -> ExtraParts:
    from pet.extras.local_models.commands import LocalModelCommands

    return ExtraParts(commands=(LocalModelCommands(pet),))


def _subcommands() -> Mapping[str, Subcommand]:
    from pet.cli.arguments import JSON, Subcommand

    named = Subcommand(words=("ID",))
    return {
        "model": Subcommand(
            options=(JSON,),
            actions={"list": Subcommand(), "get": named, "use": named, "remove": named},
            run="pet.extras.local_models.cli.model",
        )
    }


EXTRA = Extra(
    make=_make,
    subcommands=_subcommands,
    ports={
        "local_models": "pet.extras.local_models.runtime.OwnLocalModels",
        "child": "pet.extras.local_models.host.main",
    },
)
