"""``pet why``: where the sentences about the owner come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pet.bridge.commands.about_owner import AboutOwnerCommands
from pet.cli.arguments import Given
from pet.cli.format import row_about
from pet.cli.terminal import Terminal, print_json, safe
from pet.i18n import Texts
from pet.memory.store.provenance import Origin
from pet.serde import to_data

if TYPE_CHECKING:
    from pet.services.pet_files import PetFiles

_MOST = 5  # sentences; of more, the words are too few


def why(files: PetFiles, given: Given) -> int:
    """Print each matching sentence with its origin. Return 1 without any."""
    terminal, texts, page = Terminal.standard(), files.texts(), AboutOwnerCommands(files)
    groups = [each for each in page.list_statements(given.text or "", count=_MOST).groups if each.name != "aside"]
    matches = [each for group in groups for each in group.statements][:_MOST]
    more = sum(group.total for group in groups) - len(matches)
    results = []
    for each in matches:
        origin = page.explain_statement(each.file, each.start_line)
        results.append(
            {
                "path": each.file,
                "start_line": each.start_line,
                "end_line": each.end_line,
                "sentence": each.sentence,
                "origin": to_data(origin),
                "since": each.since,
                "earlier": [to_data(one) for one in each.earlier],
            }
        )
        if given.json:
            continue
        before = texts("ui.list.and").join(one.part for one in each.earlier)
        past = [texts("ui.about.ended", day=each.day)] if each.ended else []
        past += [texts("ui.about.since", month=each.since[:10], text=before)] if each.earlier else []
        sentence = row_about(each.sentence, past, texts) if past else each.sentence
        terminal.say(f"{safe(sentence)}  {terminal.painted(f'{each.file}:{each.start_line}', 'dim')}")
        terminal.say(f"    {safe(origin_text(origin, each.file, texts))}")
        if origin.quote:
            terminal.say(f"    > {safe(origin.quote)}")
        for one in each.earlier:
            until = texts("ui.about.until", text=one.sentence, day=one.until[:10])
            terminal.say(f"    {texts('ui.about.before')} {safe(until)}")
    if given.json:
        print_json(terminal, {"pet": files.pet_id, "results": results, "more": more})
    elif not matches:
        terminal.complain(texts("cli.why.nothing"))
    elif more:
        terminal.complain(texts("cli.why.more", count=more))
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
