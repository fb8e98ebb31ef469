"""Import of other programs' data: workspaces, memory lists, conversations, character cards; and of whole pets.

A reader for each format produces ``SourceContents``; ``plan`` compares them with the pet's files, changing nothing;
``apply`` writes through the versioned store, and undoes. Readers stream, refuse hostile zips and skip what is too
large. The owner's text is never replaced, but the soul by a card whose whole diff the owner saw.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pet.extra import Extra, ExtraParts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pet.app.pet import Pet
    from pet.cli.arguments import Given, Subcommand


def _make(app: Pet) -> ExtraParts:
    from pet.extras.imports.commands import CardCommands, ImportCommands
    from pet.extras.imports.importer import Importer, Target

    importer = Importer(app.home, app.pets, app.clock, app.effective.language)
    target = Target(pet=app.pet_id, store=app.store, transcripts=app.transcripts)
    commands = ImportCommands(app, importer, target)
    app.closing.callback(commands.close)
    return ExtraParts(commands=(commands, CardCommands(app, importer)))


def _check(given: Given) -> None:
    from pet.cli.arguments import UsageProblem

    if given.new and not given.has("FILE"):  # the file, and no name
        given.file, given.new = given.new, ""
    if not given.undo and not given.has("FILE"):
        raise UsageProblem("missing_word", word="FILE")


def _folder(text: str) -> str:
    return text.rstrip("/").removeprefix("./") if text.rstrip("/") != "." else ""


def _subcommands() -> Mapping[str, Subcommand]:
    from pet.cli.arguments import JSON, YES, Option, Subcommand, read_memory_mode

    return {
        "import": Subcommand(
            words=("[FILE]",),
            options=(
                Option("--into", "PET"),
                Option("--new", "[NAME]"),
                Option("--memory", "on|off", ("on", "off"), read=read_memory_mode),
                Option("--folder", "FOLDER", several=True, read=_folder),
                Option("--instructions"),
                Option("--undo"),
                YES,
                JSON,
            ),
            not_together=(
                ("--into", "--new"),
                ("--into", "--pet"),
                *(("--undo", other) for other in ("--new", "--memory", "--folder", "--instructions", "FILE")),
            ),
            check=_check,
            run="pet.extras.imports.cli.import_",
        )
    }


EXTRA = Extra(make=_make, subcommands=_subcommands, exports={"card": "pet.extras.imports.cli.card_of"})
