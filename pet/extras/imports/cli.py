"""``pet import``: whole pets, character cards, workspaces, memories, conversations; and ``pet export --card``.

An import shows its whole plan first and changes nothing unless the owner agrees; ``--undo``
reverts the newest one.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path

from pet.access import MemoryMode
from pet.app import Pet
from pet.cli.arguments import Given, UsageProblem
from pet.cli.format import command_for, diff_rows, receipt_text, say_which, undo_hint
from pet.cli.running_pet import meant_pet, notify_changed, notify_deleted
from pet.cli.terminal import Terminal, print_json, revealed, safe
from pet.clock import SystemClock
from pet.errors import ImportRefused
from pet.extras.imports.card import CardRefused
from pet.extras.imports.character_cards import (
    CardPreview,
    card_preview,
    export_card,
    import_card,
    pet_name_of,
    portrait_of,
)
from pet.extras.imports.detect import find
from pet.extras.imports.importer import (
    WHOLE_PET,
    Importer,
    Target,
    holds_workspaces,
    imported_pet,
    is_packed_pet,
    part_name,
    suggested_name,
)
from pet.extras.imports.packed_pet import PackedPet
from pet.extras.imports.plan import ImportPlan, PlannedFile, source_name
from pet.extras.imports.source import MAX_TEXT, Origin, Pasted, open_source
from pet.fs.zip_reading import is_zip, open_zip
from pet.i18n import Texts
from pet.model import MISSING
from pet.paths import Home
from pet.services.core_files import TextNow, soul_now
from pet.services.home import open_pets, wardrobe_for
from pet.services.pet_files import choose_pet, record_choice
from pet.settings.program_state import JsonState
from pet.workspace.file_names import LOG_FOLDER
from pet.workspace.line_diff import count_changes, diff_lines
from pet.workspace.pet_toml import display_name
from pet.workspace.store import WorkspaceStore

_MOST_BYTES = 64 * 1024 * 1024
_STANDARD_OUTPUT = "-"


def card_of(app: Pet) -> tuple[str, bytes]:
    """Return file name and content of the pet as a character card."""
    wardrobe = wardrobe_for(app.home, app.store.root, app.clock, os.environ)
    return export_card(
        app.store, display_name(app.store.root, app.pet_id, app.texts()), lambda: portrait_of(wardrobe)
    )


def _card_as_soul(app: Pet, given: Given) -> int:
    """Turn a character card into SOUL.md after the owner reviewed the change. Return 1 if unchanged."""
    terminal, texts = Terminal.standard(), app.texts()
    name, instructions = given.file or "", given.instructions
    content, now = _card_in(given), soul_now(app.store)
    seen = card_preview(now, name, content, app.language(), instructions=instructions)
    _show_card(terminal, texts, seen, instructions=instructions)
    if not given.yes and not agreed(terminal, texts, texts("cli.import.question")):
        return 1
    receipt = import_card(app.store, content, app.language(), instructions=instructions, base=seen.base, file=name)
    if receipt is None:
        terminal.say(texts("cli.restore.same", file="SOUL.md"))
        return 0
    notify_changed(app.home, app.pet_id, [receipt.file])
    terminal.say(receipt_text(receipt, texts))
    terminal.say(undo_hint(receipt, texts, command_for(app)))
    return 0


def _card_in(given: Given) -> bytes:
    """Raises CardRefused, UsageProblem."""
    for option in ("--memory", "--folder", "--json"):
        if given.has(option):
            raise UsageProblem("import_card", option=option)
    path = Path(given.file or "")
    try:
        with path.open("rb") as file:
            return file.read(_MOST_BYTES + 1)
    except OSError:
        raise CardRefused(problem="unreadable", file=safe(path.name)) from None


def _show_card(terminal: Terminal, texts: Texts, seen: CardPreview, *, instructions: bool) -> None:
    """Print the character, its creator's notes, and the whole diff."""
    terminal.say(texts("cli.import.card", name=safe(seen.name)))
    if seen.newer:
        terminal.say(texts("cli.import.newer"))
    if seen.notes:
        terminal.say(texts("cli.import.notes"))
        for line in seen.notes.splitlines():
            terminal.say(f"  {revealed(line)}")
    if seen.has_instructions and not instructions:
        terminal.say(texts("cli.import.instructions"))
    if seen.lore_left:
        terminal.say(texts("card.lore", count=seen.lore_left))
    terminal.say()
    for row in diff_rows(seen.diff.lines, terminal):
        terminal.say(row)
    terminal.say()


def agreed(terminal: Terminal, texts: Texts, question: str) -> bool:
    """Prompt for consent; False for Enter, end of input and a missing terminal."""
    if not terminal.can_ask:
        terminal.complain(texts("cli.import.nobody"))
        return False
    if terminal.agrees(question, texts("cli.forget.words.yes")):
        return True
    terminal.complain(texts("cli.import.refused"))
    return False


_STANDARD_INPUT = "-"
_CARD = "card.json"
_CARD_BEGINS = (b"\x89PNG", b"{")  # whatever the file is called
_HEAD = 64


def _is_card(given: Given) -> bool:
    """Whether the argument is a character card, and no source of memories."""
    if given.undo or given.file == _STANDARD_INPUT:
        return False
    file = Path(given.file or "")
    if file.is_dir() or file.suffix.lower() in {".jsonl", ".md", ".txt"}:
        return False
    if file.suffix.lower() == ".charx":
        return True
    with suppress(OSError):
        if is_zip(file):
            with open_zip(file) as packed:
                return _CARD in packed.entries
        if file.suffix.lower() == ".json":
            return _is_only_a_card(file)
        if file.suffix.lower() != ".zip":
            with file.open("rb") as opened:
                return opened.read(_HEAD).lstrip().startswith(_CARD_BEGINS)
    return False


def _is_only_a_card(file: Path) -> bool:
    try:
        with open_source(file) as source:
            find(source)
    except ImportRefused as refused:
        return refused.problem == "card"
    return False


class _Report:
    """Output of an import: text on the way, or with ``--json`` one object at the end."""

    def __init__(self, given: Given, texts: Texts) -> None:
        self.given = given
        self.texts = texts
        self.terminal = Terminal.standard()
        self._as_json = given.json

    def say(self, key: str, **args: object) -> None:
        self.row(self.texts(key, **args))

    def row(self, text: str = "") -> None:
        if not self._as_json:
            self.terminal.say(text)

    def agreed(self) -> bool:
        """Return the owner's consent; ``--json`` without ``--yes`` is a preview only."""
        if self.given.yes or self._as_json:
            return self.given.yes
        return agreed(self.terminal, self.texts, self.texts("cli.imports.question"))

    def end(self, view: dict[str, object], *, done: bool) -> int:
        """Print the JSON object, if requested. Return the exit code."""
        if self._as_json:
            print_json(self.terminal, {**view, "done": done})
        return int(not (done or self._as_json))


def import_(given: Given, home: Home, texts: Texts) -> int:
    """Run ``pet import``."""
    report, pet_id = _Report(given, texts), given.into or given.pet
    if _is_card(given) and given.new is None:
        with _opened(home, pet_id) as app:
            say_which(app, given)
            return _card_as_soul(app, given)
    if given.undo:
        return _undo(home, pet_id, report)
    origin = _origin(given.file or "", texts)
    if _is_card(given):
        return _card_as_new(home, report)
    if holds_workspaces(origin):
        return _as_several(home, origin, report)
    if given.new is not None or _is_whole_pet(origin, given):
        return _as_new(home, origin, report)
    with _opened(home, pet_id) as app:
        return _into(app, origin, _Report(given, app.texts()))


def _is_whole_pet(origin: Origin, given: Given) -> bool:
    whole = is_packed_pet(origin)
    if whole and given.into is not None:
        raise ImportRefused(problem="whole_pet")
    return whole


def _origin(named: str, texts: Texts) -> Origin:
    """Return the file, or standard input for ``-``. Raises ImportRefused."""
    if named == _STANDARD_INPUT:
        if sys.stdin.isatty():
            Terminal.standard().complain(texts("cli.type_then_end"))
        return Pasted(sys.stdin.buffer.read(MAX_TEXT + 1))
    if not Path(named).exists():
        raise ImportRefused(problem="unreadable", file=safe(Path(named).name))
    return Path(named)


@contextmanager
def _opened(home: Home, pet_id: str | None) -> Iterator[Pet]:
    app = Pet(home, pet_id=meant_pet(home, pet_id), channel="terminal")
    try:
        yield app
    finally:
        app.close()


def _as_several(home: Home, origin: Origin, report: _Report) -> int:
    """Make a pet of each workspace of the folder, or of the ``--folder`` options."""
    given, importer = report.given, _importer(home, report.texts)
    for option in ("--new", "--into"):
        if given.has(option):
            raise UsageProblem("import_several", option=option)
    folders = None if given.folder is None else [f"{name}/" for name in given.folder]
    survey = importer.survey(origin, None, instructions=given.instructions, folders=folders)
    for part, plan in survey.several.items():
        report.say("cli.imports.part", name=safe(part_name(part, plan)), folder=safe(part))
        _show_plan(plan, report)
    for left in survey.beside:
        report.say(
            "cli.imports.skipped", name=safe(left.name), reason=report.texts(f"cli.imports.skip.{left.reason}")
        )
    pets = [_view(plan, None) | {"name": part_name(part, plan)} for part, plan in survey.several.items()]
    if not pets or not report.agreed():
        return report.end({"pets": pets}, done=False)
    record_choice(home, JsonState(home.state_file))
    made = [past.pet for past in importer.carry_out_several(survey)]
    for view, pet in zip(pets, made, strict=True):
        view["pet"] = pet
        report.say("cli.imports.made", name=safe(str(view["name"])), id=pet)
        report.say("cli.imports.undo_hint", command=f"pet --pet {pet} import --undo")
    return report.end({"pets": pets}, done=True)


def _card_as_new(home: Home, report: _Report) -> int:
    """Create a pet of a character card, with the card's name or the given one."""
    given, texts, file = report.given, report.texts, report.given.file or ""
    content = _card_in(given)
    no_soul = TextNow(text="", version=MISSING)
    seen = card_preview(no_soul, file, content, texts.language, instructions=given.instructions)
    _show_card(report.terminal, texts, seen, instructions=given.instructions)
    report.say("cli.imports.card_new")
    if not report.agreed():
        return 1
    name = given.new or pet_name_of(content, file)

    def write(store: WorkspaceStore) -> None:
        base = soul_now(store).version
        import_card(store, content, texts.language, instructions=given.instructions, base=base, file=file)

    record_choice(home, JsonState(home.state_file))
    made = _importer(home, texts).create_pet(name, write)
    report.say("cli.imports.made", name=safe(name), id=made)
    return 0


def _as_new(home: Home, origin: Origin, report: _Report) -> int:
    """Import a whole pet, or create a new pet from the contents."""
    given, importer = report.given, _importer(home, report.texts)
    survey = importer.survey(origin, None, instructions=given.instructions, folders=given.folder)
    packed, plan = survey.packed, survey.plan
    name = given.new or suggested_name(survey)
    if packed:
        view: dict[str, object] = {"pet": None, "kind": WHOLE_PET, **asdict(imported_pet(packed)), "name": name}
        _show_packed(packed, name, report)
    else:
        view = _view(plan, None)
        _show_plan(plan, report)
    if (plan is not None and plan.is_empty) or not report.agreed():
        return report.end(view, done=False)
    memory = _counts_as_memory(plan, report)
    record_choice(home, JsonState(home.state_file))
    made = importer.carry_out(survey, None, memory=memory, name=(given.new or "") if packed else name).pet
    report.say("cli.imports.made", name=safe(name), id=made)
    report.say("cli.imports.undo_hint", command=f"pet --pet {made} import --undo")
    return report.end({**view, "pet": made}, done=True)


def _into(app: Pet, origin: Origin, report: _Report) -> int:
    target = Target(pet=app.pet_id, store=app.store, transcripts=app.transcripts)
    importer = _importer(app.home, report.texts)
    given = report.given
    survey = importer.survey(origin, target, instructions=given.instructions, folders=given.folder)
    plan = survey.plan
    view = _view(plan, app.pet_id)
    _show_plan(plan, report)
    if plan is None or plan.is_empty:
        report.say("cli.imports.nothing")
        report.end(view, done=False)
        return 0
    if not report.agreed():
        return report.end(view, done=False)
    done = importer.carry_out(survey, target, memory=_counts_as_memory(plan, report)).record
    notify_changed(app.home, app.pet_id, [receipt.file for receipt in done.receipts])
    report.say("cli.imports.done", files=len(done.receipts), conversations=len(done.talks))
    report.say("cli.imports.undo_hint", command=f"pet --pet {app.pet_id} import --undo")
    return report.end(view, done=True)


def _undo(home: Home, pet_id: str | None, report: _Report) -> int:
    """Undo the newest import of the pet."""
    importer = _importer(home, report.texts)
    pet = report.given.into or choose_pet(home, meant_pet(home, pet_id), JsonState(home.state_file))
    past = next((each for each in importer.past() if each.pet == pet), None)
    if past is None:
        raise ImportRefused(problem="no_undo")
    record = past.record
    files = report.texts("ui.list.and").join(sorted({receipt.file for receipt in record.receipts})) or "-"
    key = "cli.imports.undo_pet" if record.new_pet else "cli.imports.undo_shown"
    report.say(key, pet=pet, files=files, conversations=len(record.talks))
    if not report.agreed():
        return report.end({"pet": pet}, done=False)
    undone = importer.undo(past)
    notify_changed(home, pet, undone.files)
    for conversation in undone.talks:
        notify_deleted(home, pet, conversation)
    report.say("cli.imports.undone")
    report.end({"pet": pet, "left": undone.left}, done=True)
    if not report.given.json:
        for name in undone.left:
            report.terminal.complain(report.texts("cli.imports.undo_left", name=name))
    return 1 if undone.left else 0


def _importer(home: Home, texts: Texts) -> Importer:
    return Importer(home, open_pets(home), SystemClock(), lambda: texts.language)


def _show_packed(packed: PackedPet, name: str, report: _Report) -> None:
    size, talks = report.texts.number(packed.bytes / 1e6, 1), packed.conversations
    report.say("cli.imports.pet", name=safe(name), files=packed.files, megabytes=size, conversations=talks)
    report.say("cli.imports.pet_new")
    preview = imported_pet(packed)
    if preview.memory:
        report.say("moving.pet_memory")
    if preview.heartbeat:
        report.say("moving.pet_heartbeat")
        for line in preview.heartbeat.splitlines():
            report.row(f"  {safe(line)}")


def _show_plan(plan: ImportPlan | None, report: _Report) -> None:
    """Print every change: files with their lines, the number of conversations, and what is skipped."""
    if plan is None:
        return
    texts = report.texts
    report.say("cli.imports.from", source=source_name(plan.kind, texts))
    if len(plan.folders) > 1:
        listed = (f"{safe(name) or '.'} ({notes})" for name, notes in sorted(plan.folders.items()))
        report.say("cli.imports.folders", folders=texts("ui.list.and").join(listed))
    for each in plan.files:
        added, removed = count_changes(each.before, each.after)
        report.say(f"cli.imports.file.{each.action}", file=each.file, added=added, removed=removed)
        if each.action != "same" and not _is_new_note(each):
            for row in diff_rows(diff_lines(each.before, each.after), report.terminal):
                report.row(row)
            report.row()
    if plan.talks:
        new = plan.new_talks
        messages, there = sum(talk.messages for talk in new), len(plan.talks) - len(new)
        report.say("cli.imports.talks", count=len(new), messages=messages, there=there)
    for skipped in plan.skipped:
        reason = texts(f"cli.imports.skip.{skipped.reason}")
        report.say("cli.imports.skipped", name=safe(skipped.name), reason=reason)
    for left in plan.left_out:
        report.say("cli.imports.skipped", name=texts(f"moving.left.{left.kind}"), reason=texts.number(left.count))


def _is_new_note(each: PlannedFile) -> bool:
    return each.action == "create" and each.file.startswith(f"{LOG_FOLDER}/")


def _view(plan: ImportPlan | None, pet: str | None) -> dict[str, object]:
    if plan is None:
        return {"pet": pet}
    files = []
    for each in plan.files:
        added, removed = count_changes(each.before, each.after)
        files.append({"file": each.file, "action": each.action, "added": added, "removed": removed})
    return {
        "pet": pet,
        "kind": plan.kind,
        "files": files,
        "conversations": len(plan.new_talks),
        "messages": sum(talk.messages for talk in plan.new_talks),
        "there_already": len(plan.talks) - len(plan.new_talks),
        "skipped": [{"name": each.name, "reason": each.reason} for each in plan.skipped],
        "folders": dict(plan.folders),
        "left_out": {each.kind: each.count for each in plan.left_out},
    }


def _counts_as_memory(plan: ImportPlan | None, report: _Report) -> bool:
    """Return whether conversations count as held with memory on: only if the owner says so."""
    option, terminal, texts = report.given.memory, report.terminal, report.texts
    settled = plan is None or not plan.new_talks or report.given.yes or not terminal.can_ask
    if option is not None or settled:
        return option is MemoryMode.ON
    return terminal.agrees(texts("cli.imports.memory_question"), texts("cli.forget.words.yes"))
