"""``pet why``: where an entry comes from, in words and as JSON."""

from __future__ import annotations

from pathlib import Path

import pytest

from pet.__main__ import ThisDesktop
from pet.cli import running_pet
from pet.cli.commands.why import origin_text
from pet.cli.main import run
from pet.i18n import Language, Texts
from pet.memory.store.provenance import Origin
from tests.cli.conftest import PetCommand
from tests.support.servers.protocol_replies import Call, stream
from tests.support.servers.protocol_server import ProtocolServer


def test_an_entry_is_told_with_its_source(pet: PetCommand, server: ProtocolServer) -> None:
    pet.write("USER.md", "# About\n\n- Likes tea\n- Likes \x1b[31mred\n")
    told = pet("why", "tea")
    assert told.code == 0
    assert "You like tea." in told.out and "USER.md:3" in told.out
    assert "Written into USER.md" in told.out
    (result,) = pet("why", "TEA", "--json").json["results"]
    assert (result["sentence"], result["origin"]["kind"]) == ("You like tea.", "outside")
    assert "\x1b" not in pet("why", "red").out
    missing = pet("why", "zeppelin")
    assert (missing.code, missing.out) == (1, "")
    assert server.requests == []


def test_only_what_is_written_is_reported_to_the_running_pet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each report waits for the running pet; a question about an entry opens every log."""
    told: list[object] = []
    monkeypatch.setattr(running_pet, "report_change", lambda _home, _pet, event: told.append(event.file))
    memory = tmp_path / "data" / "pets" / "pet" / "memory"
    memory.mkdir(parents=True)
    for day in (1, 2, 3):
        (memory / f"2026-02-0{day}.md").write_text(f"## [10:00:00] fact\n\nAnna came {day} times.\n", "utf-8")
    (memory.parent / "USER.md").write_text("- Anna is her sister\n", "utf-8")
    assert run(["--home", str(tmp_path), "why", "Anna"], ThisDesktop()) == 0
    assert told == []
    assert run(["--home", str(tmp_path), "remind", "add", "tomorrow at three call Anna"], ThisDesktop()) == 0
    assert len(told) == 1


def test_many_matches_ask_for_more_words(pet: PetCommand) -> None:
    pet.write("USER.md", "# About\n\n" + "".join(f"- Likes tea number {n}\n" for n in range(9)))
    told = pet("why", "tea")
    assert told.out.count("You like tea") == 5
    assert "4 more" in told.err


def test_what_changed_is_one_line_with_its_past(pet: PetCommand) -> None:
    pet.write("USER.md", "# About\n\n- Works at Acme\n")
    pet("why", "work")
    pet.write("USER.md", "# About\n\n- Works at Bolt\n")
    told = pet("why", "work")
    assert "You work at Bolt. (since 20" in told.out and "; before: Acme)" in told.out
    (result,) = pet("why", "work", "--json").json["results"]
    assert [each["part"] for each in result["earlier"]] == ["Acme"]


def test_what_was_said_leads_to_the_owners_words_in_their_conversation(
    pet: PetCommand, server: ProtocolServer
) -> None:
    server.queue(
        stream(Call("write", {"path": "USER.md", "content": "# About\n\n- Likes green tea\n"})), stream("Noted.")
    )
    assert pet("chat", "--once", "By the way, I like green tea", "--memory", "on").code == 0
    told = pet("why", "green tea")
    assert "By the way, I like green tea" in told.out
    (result,) = pet("why", "green tea", "--json").json["results"]
    assert (result["origin"]["kind"], result["origin"]["quote"]) == ("conversation", "By the way, I like green tea")


AT = "2026-03-02T10:00:00+00:00"
ORIGINS = {
    "said": Origin(kind="conversation", at=AT, conversation="c", turn="t", title="Tea", quote="I like tea"),
    "conversation": Origin(kind="conversation", at=AT, conversation="c", turn="t", title="Tea"),
    "rested": Origin(kind="rested", at=AT, conversation="c", title="Tea"),
    "deleted": Origin(kind="conversation", at=AT, gone=True),
    "taken out": Origin(kind="conversation", at=AT, conversation="c", gone=True),
    "forgotten": Origin(kind="conversation", at=AT, gone=True, forgotten=True),
    "moved": Origin(kind="moved", at=AT),
    "agent": Origin(kind="agent", at=AT, name="Codex"),
    "import": Origin(kind="import", at=AT, name="chatgpt"),
    "owner": Origin(kind="owner", at=AT),
    "outside": Origin(kind="outside", at=AT),
    "template": Origin(kind="template", at=AT),
    "unknown": Origin(kind="unknown"),
}


@pytest.mark.parametrize("language", ["en", "zh", "es"])
def test_each_kind_of_source_has_words_of_its_own(language: Language) -> None:
    told = {name: origin_text(origin, "USER.md", Texts(language)) for name, origin in ORIGINS.items()}
    assert len(set(told.values())) == len(ORIGINS)
    assert all(("2026-03-02" in text) is (name != "unknown") for name, text in told.items())
    assert "Codex" in told["agent"]
    assert all("Tea" in told[name] for name in ("conversation", "rested"))
