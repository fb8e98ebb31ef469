"""Edge cases of secrets: shortest and longest, adjacent, nested, full-width."""

from __future__ import annotations

import string

import pytest

from pet.language import redaction
from pet.language.redaction import find_secrets, redact

PEM = "-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----"
LINE = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ"
AWS = "AKIA" + "ABCDEFGH12345678"


def kinds(text: str) -> list[str]:
    return [secret.kind for secret in find_secrets(text)]


def hidden(text: str) -> str:
    return redact(text).text


def test_two_secrets_that_touch_are_two() -> None:
    assert kinds(PEM.format(LINE) * 2) == ["private_key", "private_key"]


def test_a_secret_inside_another_leaves_nothing_of_the_outer_one() -> None:
    assert hidden(f"a {PEM.format(f'{LINE} {AWS} {LINE}')} b") == "a ‹hidden:private_key› b"


def test_two_that_overlap_go_as_one_up_to_the_later_end() -> None:
    key = "sk-ant-" + "a1" * 60
    assert hidden(f"password: hunter2:{key} b") == "password: ‹hidden:password› b"


def test_only_full_width_letters_digits_and_signs_are_folded() -> None:
    narrow = string.ascii_letters + string.digits + ":=@-_#+./"
    twins = {chr(ord(sign) + 0xFEE0): sign for sign in narrow} | {"\u3000": " ", "\u00a0": " "}
    assert {chr(wide): chr(sign) for wide, sign in redaction._NARROW.items()} == twins


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("sk-1" + "abcdefgh" * 3, True),  # the first sign after the mark counts
        ("sk-" + "abcdefgh" * 3, False),
        ("api key is abcdefghijklmnop", False),  # letters alone
        ("api key is abcdefghijklmno1", True),
        ("token: 2026-11-22T10", False),  # a day
        ("password: swordfishes are great", False),  # the sentence goes on
        ("password: swordfishes", True),
        ("password: swordfish" + " " * 16 + "x", True),
        ("the password is swordfish! and more", True),  # a sign makes it one
        ("the password is swordfish and more", False),
        ("password: xxxxxxx", False),
        ("password: xxaxx", True),
        ("password: a1b", True),
        ("password: abc", False),
        ("the password is a1b today", False),
        ('password: "abcd"', True),
        ('password: "abc"', False),
        ("pin: 1234", True),
        ("pin: 123", False),
        ("pin: 123456789012", True),
        ("pin: 1234567890123", False),
        ("pin: abcd", False),
        ("pass: abc123", True),
        ("pass: abcdef", False),
        ("pass: 12345678", False),
    ],
)
def test_secrets_and_ordinary_text(text: str, is_one: bool) -> None:
    assert bool(find_secrets(text)) is is_one


def card(prefix: str, length: int) -> str:
    """Return the number with its check digit."""
    for last in range(10):
        digits = (prefix + "1357924680135792468")[: length - 1] + str(last)
        doubled = [int(each) * (1 + place % 2) for place, each in enumerate(reversed(digits))]
        if sum(each // 10 + each % 10 for each in doubled) % 10 == 0:
            return digits
    raise AssertionError(prefix)


@pytest.mark.parametrize(
    ("prefix", "lengths"),
    [
        ("4", {13, 16, 19}),
        ("51", {16}),
        ("2221", {16}),
        ("2720", {16}),
        ("37", {15}),
        ("6011", {16, 19}),
        ("65", {16, 19}),
        ("62", {16, 17, 18, 19}),
        ("3528", {16}),
        ("300", {14}),
    ],
)
def test_a_card_has_its_issuers_lengths(prefix: str, lengths: set[int]) -> None:
    found = {length for length in range(13, 20) if kinds(f"it is {card(prefix, length)} .") == ["card_number"]}
    assert found == lengths


def citizen(born: str) -> str:
    number = f"123456{born}123"
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    total = sum(weight * int(digit) for weight, digit in zip(weights, number, strict=True))
    return number + "10X98765432"[total % 11]


@pytest.mark.parametrize(
    ("born", "is_one"), [("20000229", True), ("18000229", False), ("19991231", True), ("19900711", True)]
)
def test_a_citizens_number_holds_a_real_day(born: str, is_one: bool) -> None:
    assert (kinds(citizen(born)) == ["id_number"]) is is_one


def account(length: int) -> str:
    """Return the IBAN with its check digits."""
    rest = ("86011117947" * 4)[: length - 4]
    number = int("".join(str(int(sign, 36)) for sign in rest + "NO00"))
    return f"NO{98 - number % 97:02}{rest}"


@pytest.mark.parametrize(("length", "is_one"), [(14, False), (15, True), (34, True), (35, False)])
def test_an_account_is_neither_shorter_nor_longer_than_any_country_has(length: int, is_one: bool) -> None:
    assert (kinds(account(length)) == ["bank_account"]) is is_one
