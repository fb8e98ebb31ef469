"""Preview of an import, for the owner to read before anything is written."""

from __future__ import annotations

from dataclasses import dataclass

from pet.imports.contents import Skipped
from pet.imports.plan import Action, ImportPlan, PlannedTalk
from pet.prompt.heartbeat import has_instructions
from pet.serde import vars_of
from pet.services.imports.importer import Survey
from pet.workspace.file_names import LOG_FOLDER
from pet.workspace.pets.import_zip import PackedPet
from pet.workspace.text.merge import count_changes

_MOST_SHOWN = 300
"""Maximum of conversations and of skipped files in a preview; the others are only counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportFile:
    """A changed file. ``day``: it is a daily log."""

    file: str
    action: Action
    day: bool
    added: int
    removed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedPet:
    """A whole pet. ``name``: "" without one. ``memory``: its settings turn memory on in new conversations.
    ``heartbeat``: its HEARTBEAT.md if that has instructions, which cause unasked requests; else "".
    """

    name: str
    files: int
    bytes: int
    conversations: int
    memory: bool
    heartbeat: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPreview:
    """Changes of an import. ``pet``: a whole pet, and nothing else. ``talks`` and ``skipped`` are truncated.
    ``orders``: some files instruct an agent, and are imported only with ``instructions``. ``new_pet``: the import
    makes a pet. ``empty``: it contains nothing new."""

    kind: str
    pet: ImportedPet | None
    files: list[ImportFile]
    talks: list[PlannedTalk]
    talks_new: int
    talks_there: int
    messages: int
    skipped: list[Skipped]
    skipped_total: int
    orders: bool
    instructions: bool
    new_pet: bool
    empty: bool


def preview_of(survey: Survey) -> ImportPreview:
    plan = survey.plan
    skipped = plan.skipped if plan else ()
    talks = plan.talks if plan else ()
    new = plan.new_talks if plan else ()
    return ImportPreview(
        kind=survey.kind,
        pet=imported_pet(survey.packed) if survey.packed else None,
        files=_files(plan) if plan else [],
        talks=sorted(talks, key=lambda talk: talk.at, reverse=True)[:_MOST_SHOWN],
        talks_new=len(new),
        talks_there=len(talks) - len(new),
        messages=sum(talk.messages for talk in new),
        skipped=list(skipped[:_MOST_SHOWN]),
        skipped_total=len(skipped),
        orders=survey.instructions or any(each.reason == "instructions" for each in skipped),
        instructions=survey.instructions,
        new_pet=survey.new_pet,
        empty=plan is not None and plan.is_empty,
    )


def imported_pet(packed: PackedPet) -> ImportedPet:
    heartbeat = packed.heartbeat if has_instructions(packed.heartbeat) else ""
    return ImportedPet(**vars_of(packed) | {"name": packed.name or "", "heartbeat": heartbeat})


def is_day(file: str) -> bool:
    return file.startswith(f"{LOG_FOLDER}/")


def _files(plan: ImportPlan) -> list[ImportFile]:
    files = []
    for each in plan.files:
        added, removed = count_changes(each.before, each.after)
        files.append(
            ImportFile(file=each.file, action=each.action, day=is_day(each.file), added=added, removed=removed)
        )
    return files
