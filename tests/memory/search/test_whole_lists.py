"""What is sent of a list: its items with what leads to them, in order; and lists no longer than they have to be."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from pet.engine.recall import _used
from pet.i18n import Texts
from pet.language.asking import question_parts
from pet.memory.search.memory_index import MemoryIndex, open_index
from pet.memory.search.recall_selection import repeats_last
from pet.memory.store.split_entries import split_file
from pet.prompt.context import recall_context
from tests.memory.gated import recalled
from tests.support.files import write_files

TODAY = date(2026, 2, 10)
MEETING = """# 2026-01-26

## 10:30 AM - API Discussion
Met with the team to discuss API architecture.

### Decision
We chose REST over GraphQL for the following reasons:
1. Simpler to implement
2. Better caching
3. Team familiarity

### Endpoints
The API will have these endpoints:
- GET /users lists everyone
- POST /auth/login signs in
- GET /projects lists projects

## 2:15 PM - Deployment
Deployed v2.3.0 to production. No issues.
"""
MEMORY = "# Long-term Memory\n\n## Key Contacts\n- Alice (alice@acme.com) - Design lead\n- Bob - Backend engineer\n"
PRINTERS = "".join(f"- printer {n}: address 192.168.7.{n + 10}\n" for n in range(7))
HOUSE = {
    "memory/2026-01-26.md": MEETING,
    "MEMORY.md": MEMORY,
    "memory/network.md": f"# Network\n\n{PRINTERS}- router: address 192.168.7.1\n- the modem hums at night\n",
    "memory/2026-02-01.md": "# Memory Log: 2026-02-01\n\n"
    "## [09:00:00] fact\n\nOwner: The wifi is called Heron\n\n"
    "## [09:01:00] fact\n\nOwner: The spare key hangs in the shed\n\n"
    "## [09:02:00] fact\n\nOwner: The loft ladder sticks, lift the left hinge\n\n"
    "## [09:03:00] todo\n\nOwner: Return the marquee to the scouts\n\n"
    "## [09:04:00] fact\n\nOwner: Kept the allotment one more year\n",
    "memory/2026-02-05.md": "# Memory Log: 2026-02-05\n\n## [09:00:00] fact\n\nOwner: Gave up the allotment (knee)\n",
}


@pytest.fixture
def index(tmp_path: Path) -> Iterator[MemoryIndex]:
    write_files(tmp_path / "pet", HOUSE)
    opened = open_index(tmp_path / "pet", tmp_path / "cache")
    opened.refresh()
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("question", "sent"),
    [
        (
            "Why did we choose REST?",
            (
                "2026-01-26 API Discussion / Decision: We chose REST over GraphQL for the following reasons:\n"
                "1. Simpler to implement\n2. Better caching\n3. Team familiarity\n"
            ),
        ),
        (
            "Which endpoints does the API have?",
            (
                "2026-01-26 API Discussion / Endpoints: The API will have these endpoints:\n"
                "- GET /users lists everyone\n- POST /auth/login signs in\n- GET /projects lists projects\n"
            ),
        ),
    ],
)
def test_a_list_goes_along_whole_behind_what_leads_to_it(index: MemoryIndex, question: str, sent: str) -> None:
    hits = recalled(index, question, TODAY)
    context = recall_context([_used(hit) for hit in hits], Texts("en"))
    assert sent in context.text


def test_an_entry_is_sent_and_found_under_its_heading(index: MemoryIndex) -> None:
    (hit, *_) = recalled(index, "Who is the design lead?", TODAY)
    assert hit.heading == "Long-term Memory / Key Contacts"
    shown = recall_context([_used(hit)], Texts("en")).text
    assert "MEMORY.md:4 Long-term Memory / Key Contacts: - Alice (alice@acme.com) - Design lead" in shown
    assert index.search("design lead", 1, TODAY)[0].heading == "Long-term Memory / Key Contacts"


def test_a_note_of_a_short_time_stays_whole_and_a_long_one_is_cut_at_its_headings() -> None:
    entries = list(split_file("memory/2026-01-26.md", MEETING.split("\n")))
    assert [entry.lead for entry in entries if entry.text.startswith("1.")] == [
        "We chose REST over GraphQL for the following reasons:"
    ]
    assert {entry.heading for entry in entries if entry.text.startswith("- ")} == {"API Discussion / Endpoints"}
    assert [entry.day for entry in entries] == [date(2026, 1, 26)] * len(entries)
    short = "# 2026-01-26\n\n## 10:30 AM - Call\nShort.\n\n### Then\n- one\n- two\n"
    assert [entry.text for entry in split_file("memory/2026-01-26.md", short.split("\n"))] == [
        "Short.\n\n### Then\n- one\n- two"
    ]


def test_nearly_the_same_does_not_fill_a_search(index: MemoryIndex) -> None:
    hits = [hit.snippet for hit in index.search("address of the router", 4, TODAY)]
    assert "router" in hits[0]
    assert sum("printer" in hit for hit in hits) == 1


def test_addresses_of_other_things_come_behind_all_about_the_one_asked_for(tmp_path: Path) -> None:
    things = ("Printer", "TV", "NAS", "Camera", "Laptop", "Doorbell")
    addresses = "".join(f"- {thing}: address 192.168.7.{n + 11}\n" for n, thing in enumerate(things))
    about = (
        "- The router is at 192.168.7.1, admin page in the browser\n- Router password is on the sticker below it\n"
        "- The router restarts at four each night\n- Fibre comes in behind the router in the hall\n"
    )
    write_files(tmp_path / "net", {"memory/network.md": f"# Network\n\n{addresses}{about}"})
    opened = open_index(tmp_path / "net", tmp_path / "cache")
    opened.refresh()
    hits = [hit.snippet for hit in opened.search("router address", 6, TODAY)]
    opened.close()
    assert all(line in hits for line in about.splitlines())


def test_what_repeats_another_comes_last() -> None:
    texts = [
        frozenset(text.split()) for text in ("red apple pie 1", "red apple pie 2", "boat rope", "red apple pie 3")
    ]
    assert repeats_last(texts) == [0, 2, 1, 3]


@pytest.mark.parametrize(
    ("message", "parts"),
    [
        ("When is the concert, and what do I sing?", ["When is the concert", "what do I sing"]),
        ("我还有什么没还、欠谁钱？", ["我还有什么没还", "欠谁钱"]),
        ("¿Dónde vive Leo y qué colecciona?", ["¿Dónde vive Leo", "qué colecciona"]),
        ("What do I sing?", []),
        ("I met Ana and Ben, and we sang", []),
        ("what " * 4_000, []),
    ],
)
def test_a_message_may_ask_several_questions(message: str, parts: list[str]) -> None:
    assert question_parts(message) == parts


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("What should a guest know: wifi, key and the loft?", ("Heron", "spare key", "loft ladder")),
        ("What do I have to give back, and what is the wifi called?", ("marquee", "Heron")),
        ("What have I borrowed or not paid back yet?", ("marquee",)),
    ],
)
def test_all_parts_of_a_question_are_answered(index: MemoryIndex, question: str, parts: tuple[str, ...]) -> None:
    sent = "\n".join(hit.snippet for hit in recalled(index, question, TODAY))
    assert all(part in sent for part in parts), sent


def test_an_end_told_in_few_words_is_the_newer_answer(index: MemoryIndex) -> None:
    sent = [hit.snippet for hit in recalled(index, "Do I still have the allotment?", TODAY)]
    assert sent[0].startswith("Owner: Gave up the allotment")
