"""``pet why``: where an entry comes from, in words and as JSON."""

from __future__ import annotations

from tests.cli.conftest import PetCommand
from tests.support.servers.protocol_server import ProtocolServer


def test_an_entry_is_told_with_its_source(pet: PetCommand, server: ProtocolServer) -> None:
    pet.write("USER.md", "# About\n\n- Likes tea\n- Likes \x1b[31mred\n")
    told = pet("why", "tea")
    assert told.code == 0
    assert "You like tea." in told.out and "USER.md:3" in told.out
    assert "written into the file" in told.out
    (result,) = pet("why", "TEA", "--json").json["results"]
    assert (result["sentence"], result["origin"]["kind"]) == ("You like tea.", "outside")
    assert "\x1b" not in pet("why", "red").out
    missing = pet("why", "zeppelin")
    assert (missing.code, missing.out) == (1, "")
    assert server.requests == []


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
