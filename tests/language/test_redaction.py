"""Secrets are found, and ordinary text is left unchanged."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.language.redaction import Kind, find_secrets, new_secrets, placeholder, redact
from tests.support.examples import examples

_MARKED = re.compile(r"⟦(?P<kind>[a-z_]+)\|(?P<secret>[^⟧]*)⟧")


def _lines() -> list[str]:
    text = (Path(__file__).parent / "secret_lines.txt").read_text(encoding="utf-8").replace("~", "")
    return [line.replace("\\n", "\n") for line in text.split("\n") if line.strip() and not line.startswith("# ")]


LINES = _lines()
PLAIN = [_MARKED.sub(lambda found: found["secret"], line) for line in LINES]


def test_there_are_enough_labelled_lines_of_both_kinds() -> None:
    told = [bool(_MARKED.search(line)) for line in LINES]
    assert len(LINES) >= 150
    assert sum(told) >= 70
    assert len(told) - sum(told) >= 70


@pytest.mark.parametrize("line", LINES)
def test_a_labelled_line(line: str) -> None:
    plain = _MARKED.sub(lambda found: found["secret"], line)
    wanted = _MARKED.sub(lambda found: f"‹hidden:{found['kind']}›", line)
    assert redact(plain).text == wanted
    assert set(redact(plain).kinds) == {found["kind"] for found in _MARKED.finditer(line)}


@pytest.mark.parametrize("line", PLAIN)
def test_masking_again_changes_nothing(line: str) -> None:
    once = redact(line).text
    assert redact(once).text == once


def test_lines_do_not_spoil_each_other() -> None:
    wanted = "\n\n".join(redact(line).text for line in PLAIN)
    assert redact("\n\n".join(PLAIN)).text == wanted


def test_places_are_those_of_the_text_in_order_and_apart() -> None:
    text = "　密码：ａｂｃ１２３；card 4111 1111 1111 1111"
    secrets = find_secrets(text)
    assert [text[each.start : each.end] for each in secrets] == ["ａｂｃ１２３", "4111 1111 1111 1111"]
    assert [each.kind for each in secrets] == ["password", "card_number"]


def test_each_kind_is_named_once_in_the_order_of_the_text() -> None:
    assert redact("pwd: a1b2, 密码是c3d4e5, SSN: 219-09-9999").kinds == ("password", "id_number")


def test_what_the_owner_has_there_already_stays() -> None:
    known = "- wifi password: BlueDoor42\n"
    text = "- wifi password: BlueDoor42\n- safe password: RedDoor77\n"
    assert redact(text, known).text == "- wifi password: BlueDoor42\n- safe password: ‹hidden:password›\n"
    assert [text[each.start : each.end] for each in new_secrets(text, known)] == ["RedDoor77"]


def test_words_that_are_known_only_as_words_are_no_known_secret() -> None:
    assert redact("password: sunflower", "she likes a sunflower").text == "password: ‹hidden:password›"


def test_the_mark_is_one_form_for_every_language() -> None:
    kinds: tuple[Kind, ...] = ("private_key", "api_key", "password", "card_number", "id_number", "bank_account")
    assert all(find_secrets(f"密码：{placeholder(kind)} key: {placeholder(kind)}") == () for kind in kinds)


@given(st.text(alphabet="密码是: =pasword12345678901 sk-antey.JAKI›‹\n-", max_size=200))
def test_any_text_comes_back_whole_but_for_its_secrets(text: str) -> None:
    secrets = find_secrets(text)
    assert all(0 <= each.start < each.end <= len(text) for each in secrets)
    assert all(a.end <= b.start for a, b in pairwise(secrets))
    kept = text
    for each in reversed(secrets):
        kept = kept[: each.start] + placeholder(each.kind) + kept[each.end :]
    assert redact(text).text == kept


@pytest.mark.timeout(60)  # quadratic work would take minutes
@pytest.mark.parametrize(
    "piece",
    [
        "password ", "password is ", "密码是", "4111 ", "1 ", "eyJ", "sk-", "-----BEGIN PRIVATE KEY-----\n", "A1B2 ",
        "http://a:", "token: ", "pass for a ", "passport ", "abandon ", "DE89 3704 ", "密码(", "\"password\": \"",
    ],
)  # fmt: skip
def test_a_long_text_of_beginnings_is_read_to_its_end(piece: str) -> None:
    long = piece * examples(20_000)
    secret = "\n密码是abc123 "
    assert find_secrets(long + secret)[-1].end >= len(long) + len("\n密码是")
