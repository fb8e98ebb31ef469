"""``pet import`` of everything but character cards: whole pets, workspaces of other programs, memories,
conversations.

Shows the whole plan first; nothing is changed unless the owner agrees, and ``--undo`` takes the newest import back.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path

from pet.app import App, choose_pet, compose, fix_choice
from pet.cli.arguments import Given, UsageProblem
from pet.cli.commands.import_export import agreed
from pet.cli.format import diff_rows
from pet.cli.remote import meant_pet, tell_changed, tell_deleted
from pet.cli.terminal import Terminal, print_json, safe
from pet.clock import SystemClock
from pet.errors import ImportRefused
from pet.i18n import Texts
from pet.imports.plan import ImportPlan, PlannedFile, source_name
from pet.imports.readers.detect import find
from pet.imports.source import MAX_TEXT, Origin, Pasted, open_source
from pet.paths import Home
from pet.services.imports.importer import WHOLE_PET, Importer, Target, is_packed_pet
from pet.services.imports.preview import imported_pet
from pet.services.pets.open_pets import open_pets
from pet.settings.json_state import JsonState
from pet.workspace.file_names import LOG_FOLDER
from pet.workspace.fs.zip_reading import is_zip, open_zip
from pet.workspace.pets.import_zip import PackedPet
from pet.workspace.text.merge import count_changes, diff_lines

_STANDARD_INPUT = "-"
_CARD = "card.json"


def check_import(given: Given) -> None:
    """Raises UsageProblem."""
    if given.has("--undo"):
        for option in ("--new", "--memory", "--instructions"):
            if given.has(option) or given.value(option) is not None:
                raise UsageProblem("together", command="import", one="--undo", other=option)
        if given.words:
            raise UsageProblem("too_many", command="import", word=given.words[0])
    elif not given.words:
        raise UsageProblem("missing_word", command="import", word="FILE")


def is_card(given: Given) -> bool:
    """Whether what is to be imported is left to the reader of character cards."""
    if given.has("--undo") or given.words[0] == _STANDARD_INPUT:
        return False
    file = Path(given.words[0])
    if file.is_dir() or file.suffix.lower() in {".jsonl", ".md", ".txt"}:
        return False
    if file.suffix.lower() == ".charx":
        return True
    with suppress(OSError):
        if is_zip(file):
            with open_zip(file) as packed:
                return _CARD in packed.entries
        if file.suffix.lower() == ".json":
            return not _is_export(file)
        if file.suffix.lower() == ".zip":
            return False
    return True


def _is_export(file: Path) -> bool:
    try:
        with open_source(file) as source:
            find(source)
    except ImportRefused as refused:
        return refused.problem not in ("card", "unknown", "broken_json")
    return True


def carry_over(home: Home, pet_id: str | None, given: Given, texts: Texts) -> int:
    if given.has("--undo"):
        return _undo(home, pet_id, given, texts)
    origin = _origin(given.words[0])
    if given.value("--new") is not None or _is_whole_pet(origin, given):
        return _as_new(home, origin, given, texts)
    with _opened(home, pet_id) as app:
        return _into(app, origin, given)


def _is_whole_pet(origin: Origin, given: Given) -> bool:
    whole = is_packed_pet(origin)
    if whole and given.value("--into") is not None:
        raise ImportRefused(problem="whole_pet")
    return whole


def _origin(named: str) -> Origin:
    """The file; what is pasted or piped in for ``-``."""
    if named == _STANDARD_INPUT:
        return Pasted(sys.stdin.buffer.read(MAX_TEXT + 1))
    if not Path(named).exists():
        raise ImportRefused(problem="unreadable", file=safe(Path(named).name))
    return Path(named)


@contextmanager
def _opened(home: Home, pet_id: str | None) -> Iterator[App]:
    app = compose(home, pet_id=meant_pet(home, pet_id), channel="terminal")
    try:
        yield app
    finally:
        app.close()


def _as_new(home: Home, origin: Origin, given: Given, texts: Texts) -> int:
    """A pet of its own, whole or made of what there is."""
    terminal, importer = Terminal.standard(), _importer(home, texts)
    survey = importer.look(origin, None, instructions=given.has("--instructions"))
    packed, plan = survey.packed, survey.plan
    name = given.value("--new") or (packed.name if packed else None) or Path(origin.name).stem
    view = _packed_view(packed, name) if packed else _view(plan, None)
    if not given.has("--json"):
        _show_packed(packed, name, terminal, texts) if packed else _show(plan, terminal, texts)
    if (plan is not None and plan.is_empty) or not _agreed(terminal, given, texts):
        return _not_done(terminal, given, view)
    memory = _memory(plan, given, terminal, texts)
    fix_choice(home, JsonState(home.state_file))
    made = importer.carry_out(survey, None, memory=memory, name=given.value("--new") or "").pet
    if given.has("--json"):
        print_json(terminal, {**view, "pet": made, "done": True})
        return 0
    terminal.say(texts("cli.imports.made", name=safe(name), id=made))
    terminal.say(texts("cli.imports.undo_hint", command=f"pet --pet {made} import --undo"))
    return 0


def _into(app: App, origin: Origin, given: Given) -> int:
    terminal, texts = Terminal.standard(), app.texts()
    target = Target(pet=app.pet_id, store=app.store, transcripts=app.transcripts)
    importer = _importer(app.home, texts)
    survey = importer.look(origin, target, instructions=given.has("--instructions"))
    plan = survey.plan
    if not given.has("--json"):
        _show(plan, terminal, texts)
    if plan is None or plan.is_empty:
        if not given.has("--json"):
            terminal.say(texts("cli.imports.nothing"))
        else:
            print_json(terminal, {**_view(plan, app.pet_id), "done": False})
        return 0
    if not _agreed(terminal, given, texts):
        return _not_done(terminal, given, _view(plan, app.pet_id))
    memory = _memory(plan, given, terminal, texts)
    done = importer.carry_out(survey, target, memory=memory).record
    tell_changed(app.home, app.pet_id, [receipt.file for receipt in done.receipts])
    if given.has("--json"):
        print_json(terminal, {**_view(plan, app.pet_id), "done": True})
    else:
        terminal.say(texts("cli.imports.done", files=len(done.receipts), conversations=len(done.talks)))
        terminal.say(texts("cli.imports.undo_hint", command=f"pet --pet {app.pet_id} import --undo"))
    return 0


def _undo(home: Home, pet_id: str | None, given: Given, texts: Texts) -> int:
    """The newest import of the pet."""
    terminal, importer = Terminal.standard(), _importer(home, texts)
    pet = given.value("--into") or choose_pet(home, meant_pet(home, pet_id), JsonState(home.state_file))
    past = next((each for each in importer.past() if each.pet == pet), None)
    if past is None:
        raise ImportRefused(problem="no_undo")
    record = past.record
    files = ", ".join(sorted({receipt.file for receipt in record.receipts})) or "-"
    if not given.has("--json"):
        key = "cli.imports.undo_pet" if record.new_pet else "cli.imports.undo_shown"
        terminal.say(texts(key, pet=pet, files=files, conversations=len(record.talks)))
    if not _agreed(terminal, given, texts):
        return _not_done(terminal, given, {"pet": pet})
    undone = importer.undo(past)
    tell_changed(home, pet, undone.files)
    for conversation in undone.talks:
        tell_deleted(home, pet, conversation)
    _say_undone(terminal, given, texts, {"pet": pet, "left": undone.left})
    return 1 if undone.left else 0


def _importer(home: Home, texts: Texts) -> Importer:
    return Importer(home, open_pets(home), SystemClock(), lambda: texts.language)


def _say_undone(terminal: Terminal, given: Given, texts: Texts, view: dict[str, object]) -> None:
    if given.has("--json"):
        print_json(terminal, {**view, "done": True})
        return
    terminal.say(texts("cli.imports.undone"))
    left = view["left"]
    for name in left if isinstance(left, list) else []:
        terminal.complain(texts("cli.imports.undo_left", name=name))


def _show_packed(packed: PackedPet, name: str, terminal: Terminal, texts: Texts) -> None:
    size = f"{packed.bytes / 1e6:.1f}"
    shown = texts(
        "cli.imports.pet", name=safe(name), files=packed.files, megabytes=size, conversations=packed.conversations
    )
    terminal.say(shown)
    terminal.say(texts("cli.imports.pet_new"))
    moves_in = imported_pet(packed)
    if moves_in.memory:
        terminal.say(texts("moving.pet_memory"))
    if moves_in.heartbeat:
        terminal.say(texts("moving.pet_heartbeat"))
        for line in moves_in.heartbeat.splitlines():
            terminal.say(f"  {safe(line)}")


def _packed_view(packed: PackedPet, name: str) -> dict[str, object]:
    return {"pet": None, "kind": WHOLE_PET, **asdict(imported_pet(packed)), "name": name}


def _show(plan: ImportPlan | None, terminal: Terminal, texts: Texts) -> None:
    """Every change: files with their lines, conversations by number and size, and what stays out."""
    if plan is None:
        return
    terminal.say(texts("cli.imports.from", source=source_name(plan.kind, texts)))
    for each in plan.files:
        added, removed = count_changes(each.before, each.after)
        terminal.say(texts(f"cli.imports.file.{each.action}", file=each.file, added=added, removed=removed))
        if each.action != "same" and not _is_new_log(each):
            for row in diff_rows(diff_lines(each.before, each.after), terminal):
                terminal.say(row)
            terminal.say()
    if plan.talks:
        terminal.say(
            texts(
                "cli.imports.talks",
                count=len(plan.new_talks),
                messages=sum(talk.messages for talk in plan.new_talks),
                there=len(plan.talks) - len(plan.new_talks),
            )
        )
    for skipped in plan.skipped:
        terminal.say(
            texts("cli.imports.skipped", name=safe(skipped.name), reason=texts(f"cli.imports.skip.{skipped.reason}"))
        )


def _is_new_log(each: PlannedFile) -> bool:
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
    }


def _memory(plan: ImportPlan | None, given: Given, terminal: Terminal, texts: Texts) -> bool:
    """Whether the conversations count as said while memory was on: only if the owner says so."""
    said = given.value("--memory")
    if said is not None or plan is None or not plan.new_talks or given.has("--yes") or not terminal.can_ask:
        return said == "on"
    return terminal.agrees(texts("cli.imports.memory_question"), texts("cli.forget.words.yes"))


def _agreed(terminal: Terminal, given: Given, texts: Texts) -> bool:
    """``--json`` alone asks nobody: the preview is what was asked for."""
    if given.has("--yes") or given.has("--json"):
        return given.has("--yes")
    return agreed(terminal, texts, texts("cli.imports.question"))


def _not_done(terminal: Terminal, given: Given, view: dict[str, object]) -> int:
    """With ``--json`` alone the preview is what was asked for."""
    if not given.has("--json"):
        return 1
    print_json(terminal, {**view, "done": False})
    return 0
