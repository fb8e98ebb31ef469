"""Secrets and forgotten texts are left out of the pet's writes; the owner's text stays."""

from __future__ import annotations

import pytest

from pet.i18n import LANGUAGES, Texts
from pet.language.redaction import Kind
from pet.model import MISSING, Allowed, Author, Present
from pet.tools.files import redaction_notice
from pet.workspace.tombstones import TombstoneStore
from tests.tools.conftest import Bench

PROFILE = "# Profile\n\n- name: Bob\n- likes tea\n- wifi password: BlueDoor42\n- walks the dog\n"


def test_a_new_file_is_written_without_its_secrets(bench: Bench) -> None:
    receipt = bench.receipt("write", path="MEMORY.md", content="- safe: pin: 4821\n- card 4111 1111 1111 1111\n")
    assert bench.text("MEMORY.md") == "- safe: pin: ‹hidden:password›\n- card ‹hidden:card_number›\n"
    assert receipt.masked == ("password", "card_number")


def test_write_result_shows_the_redaction_marker(bench: Bench) -> None:
    outcome = bench.run("write", path="MEMORY.md", content="密码是abc123\n")
    assert "‹hidden:password›" in outcome.text
    assert "abc123" not in outcome.text


def test_a_secret_the_owner_has_in_the_file_survives_a_rewrite(bench: Bench) -> None:
    bench.desk.put("USER.md", PROFILE.encode())
    receipt = bench.receipt("write", path="USER.md", content=PROFILE + "- safe password: RedDoor77\n")
    assert bench.text("USER.md") == PROFILE + "- safe password: ‹hidden:password›\n"
    assert receipt.masked == ("password",)


def test_an_edit_beside_a_secret_of_the_owners_leaves_it(bench: Bench) -> None:
    bench.desk.put("USER.md", PROFILE.replace("\n", "\r\n").encode())
    receipt = bench.receipt("edit", path="USER.md", old_text="likes tea", new_text="likes coffee")
    assert bench.desk.bytes("USER.md") == PROFILE.replace("\n", "\r\n").replace("tea", "coffee").encode()
    assert receipt.masked == ()


def test_a_secret_made_of_old_and_new_words_is_seen(bench: Bench) -> None:
    """Neither the passage nor the file alone names a password."""
    bench.desk.put("USER.md", b"- wifi password: unknown\r\n- walks the dog\r\n")
    receipt = bench.receipt("edit", path="USER.md", old_text="unknown", new_text="BlueDoor42")
    assert bench.desk.bytes("USER.md") == "- wifi password: ‹hidden:password›\r\n- walks the dog\r\n".encode()
    assert receipt.masked == ("password",)


def test_an_edit_that_brings_only_a_secret_over_its_mark_changes_nothing(bench: Bench) -> None:
    bench.desk.put("USER.md", "- wifi password: ‹hidden:password›\n".encode())
    outcome = bench.run("edit", path="USER.md", old_text="‹hidden:password›", new_text="BlueDoor42")
    assert outcome.error is None
    assert outcome.receipt is None
    assert bench.text("USER.md") == "- wifi password: ‹hidden:password›\n"


def test_the_owner_is_shown_a_proposal_without_secrets(bench: Bench) -> None:
    bench.desk.put("SOUL.md", b"I am Miso.\n")
    receipt = bench.receipt("write", path="SOUL.md", content="I am Miso.\nMy password is BlueDoor42.\n")
    assert bench.shown[0].after == "I am Miso.\nMy password is ‹hidden:password›.\n"
    assert receipt.masked == ("password",)
    assert "BlueDoor42" not in bench.text("SOUL.md")


def test_the_owners_edit_of_a_proposal_is_not_masked(bench: Bench) -> None:
    bench.desk.put("SOUL.md", b"I am Miso.\n")
    bench.answers.append(Allowed(text="I am Miso. The password is BlueDoor42.\n", edited=True))
    receipt = bench.receipt("write", path="SOUL.md", content="I am Miso the cat.\n")
    assert bench.text("SOUL.md") == "I am Miso. The password is BlueDoor42.\n"
    assert receipt.masked == ()


def test_what_the_owner_writes_is_never_masked(bench: Bench) -> None:
    bench.desk.store.write("USER.md", PROFILE, base=MISSING, author=Author.OWNER)
    assert bench.text("USER.md") == PROFILE


def test_a_second_whole_text_is_based_on_the_masked_one(bench: Bench) -> None:
    context = bench.context()
    bench.run("write", context, path="MEMORY.md", content="- password: BlueDoor42\n")
    bench.run("write", context, path="MEMORY.md", content="- password: BlueDoor42\n- likes tea\n")
    assert bench.text("MEMORY.md") == "- password: ‹hidden:password›\n- likes tea\n"


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_kind_has_words(language: str) -> None:
    texts = Texts("zh" if language == "zh" else "en")
    kinds: list[Kind] = ["private_key", "api_key", "password", "card_number", "id_number", "bank_account"]
    told = redaction_notice(texts, kinds)
    assert "{" not in told
    assert all(texts(f"tool.secret.{kind}") in told for kind in kinds)
    assert redaction_notice(texts, []) == ""


# --- forgotten ----------------------------------------------------------------------------------


@pytest.fixture
def forgetful(bench: Bench) -> Bench:
    bench.desk.put("USER.md", b"# Profile\n\n- likes tea\n- walks the dog\n")
    bench.desk.put("SOUL.md", b"I am Miso.\n")
    TombstoneStore(bench.desk.root).remember("Peter's debts", locks=bench.desk.folder / "locks")
    return bench


def test_no_tool_writes_what_was_forgotten(forgetful: Bench) -> None:
    for file in ("USER.md", "MEMORY.md", "SOUL.md"):
        content = "# Profile\n\n- likes tea\n- walks the dog\n- peter\u2019s  DEBTS\n".replace("\u2019", "'")
        assert forgetful.failed("write", path=file, content=content) == "forgotten_text"
    assert (
        forgetful.failed("edit", path="USER.md", old_text="likes tea", new_text="Peter's debts") == "forgotten_text"
    )
    assert forgetful.shown == []
    assert "likes tea" in forgetful.text("USER.md")


def test_a_forgotten_text_is_found_across_old_and_new_words(forgetful: Bench) -> None:
    forgetful.desk.put("USER.md", b"- Peter's car\n")
    assert forgetful.failed("edit", path="USER.md", old_text="car", new_text="debts") == "forgotten_text"


def test_what_the_owner_says_again_may_be_written(forgetful: Bench) -> None:
    forgetful.said = "I still worry about Peter's debts, remember that."
    forgetful.receipt("edit", path="USER.md", old_text="likes tea", new_text="worries about Peter's debts")


def test_what_the_owner_wrote_again_does_not_lock_the_file(forgetful: Bench) -> None:
    state = forgetful.desk.store.read("USER.md")
    assert isinstance(state, Present)
    text = state.text + "- Peter's debts are paid\n"
    forgetful.desk.store.write("USER.md", text, base=state.version, author=Author.OWNER)
    forgetful.receipt("edit", path="USER.md", old_text="likes tea", new_text="likes coffee")
    assert "Peter's debts are paid" in forgetful.text("USER.md")


def test_what_the_owner_puts_into_a_proposal_is_said_by_them(forgetful: Bench) -> None:
    forgetful.answers.append(Allowed(text="I am Miso, and Peter's debts are paid.\n", edited=True))
    forgetful.receipt("write", path="SOUL.md", content="I am Miso the cat.\n")
    assert "Peter's debts" in forgetful.text("SOUL.md")
