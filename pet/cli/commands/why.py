"""``pet why``: where the sentences about the owner come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pet.bridge.commands.about_owner import AboutOwnerCommands
from pet.cli.arguments import Given
from pet.cli.format import row_about
from pet.cli.terminal import Terminal, print_json, safe
from pet.i18n import Texts
from pet.memory.store.about_owner import grouped
from pet.memory.store.provenance import Origin
from pet.serde import to_data

if TYPE_CHECKING:
    from pet.services.pet_files import PetFiles

_MOST = 5  # sentences; of more, the words are too few


def why(files: PetFiles, given: Given) -> int:
    """Print each matching sentence with its origin. Return 1 without any."""
    terminal, texts, page = Terminal.standard(), files.texts(), AboutOwnerCommands(files)
    matches = [each for those in grouped(page.statements(), given.text or "").values() for each in those]
    results = []
    for each in matches[:_MOST]:
        origin = page.explain_statement(each.file, each.start_line)
        hit = page.find_statement(each.file, each.start_line).statement
        earlier, since = (hit.earlier, hit.since) if hit else ([], "")
        place = {"path": each.file, "start_line": each.start_line, "end_line": each.end_line}
        results.append(
            {
                **place,
                "sentence": each.sentence,
                "origin": to_data(origin),
                "since": since,
                "earlier": [to_data(one) for one in earlier],
            }
        )
        if given.json:
            continue
        before = texts("ui.list.and").join(one.part for one in earlier)
        past = [texts("ui.about.ended", day=hit.day)] if hit and hit.ended else []
        past += [texts("ui.about.since", month=since[:10], text=before)] if earlier else []
        sentence = row_about(each.sentence, past, texts) if past else each.sentence
        terminal.say(f"{safe(sentence)}  {terminal.painted(f'{each.file}:{each.start_line}', 'dim')}")
        terminal.say(f"    {safe(origin_text(origin, each.file, texts))}")
        if origin.quote:
            terminal.say(f"    > {safe(origin.quote)}")
        for one in earlier:
            until = texts("ui.about.until", text=one.sentence, day=one.until[:10])
            terminal.say(f"    {texts('ui.about.before')} {safe(until)}")
    if given.json:
        print_json(terminal, {"pet": files.pet_id, "results": results, "more": max(0, len(matches) - _MOST)})
    elif not matches:
        terminal.complain(texts("cli.why.nothing"))
    elif len(matches) > _MOST:
        terminal.complain(texts("cli.why.more", count=len(matches) - _MOST))
    return 0 if matches else 1


def origin_text(origin: Origin, file: str, texts: Texts) -> str:
    """Return where an entry of a file comes from, in words, without the quote."""
    words = {"day": origin.at[:10], "title": origin.title or origin.conversation, "name": origin.name, "file": file}
    if origin.forgotten:
        return texts("ui.why.forgotten", **words)
    if origin.gone:
        return texts("ui.why.taken_out" if origin.conversation else "ui.why.deleted", **words)
    if origin.kind == "conversation":
        return texts("ui.why.said" if origin.quote else "ui.why.conversation", **words)
    return texts(f"ui.why.{origin.kind}", **words)
