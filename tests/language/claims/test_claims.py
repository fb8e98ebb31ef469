"""How many claims of a labelled set are found, and how many replies that claim nothing are taken for one."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.language import pattern_rows, read_table
from pet.language.claims import LANGUAGES, claims_saved
from pet.language.wishes import asks_to_remember
from pet.transcripts.transcript import without_collection
from tests.support.examples import examples

FOLDER = Path(__file__).parent
FOUND, FALSE = 0.90, 0.02

Reply = tuple[str, bool]


def labelled(name: str) -> list[Reply]:
    lines = (FOLDER / name).read_text(encoding="utf-8").splitlines()
    return [(row["reply"], row["claim"]) for row in map(json.loads, lines)]


def find_claim(reply: str) -> str | None:
    """The first sentence that claims something."""
    span = next(claims_saved(reply), None)
    return reply[slice(*span)].strip() if span else None


def rates(replies: list[Reply]) -> tuple[float, float]:
    """The share of the claims that is found, and of the others that is taken for one."""
    claims = [find_claim(reply) is not None for reply, claim in replies if claim]
    others = [find_claim(reply) is not None for reply, claim in replies if not claim]
    return sum(claims) / len(claims), sum(others) / len(others)


FIRST = labelled("train.jsonl")
"""Written before the rules, which were made with every other line of it; the lines between are the check."""


@pytest.mark.parametrize(
    "replies",
    [
        FIRST,
        FIRST[0::2],
        FIRST[1::2],
        *map(labelled, ("holdout_1.jsonl", "holdout_2.jsonl", "holdout_3.jsonl", "adversarial.jsonl")),
        *map(labelled, ("spanish.jsonl", "holdout_4.jsonl")),
    ],
    ids=["all", "tune", "check", "second", "third", "fourth", "hard", "Spanish", "fifth"],
)
def test_nine_of_ten_claims_are_found_and_hardly_anything_else(replies: list[Reply]) -> None:
    assert len(replies) >= 60
    found, false = rates(replies)
    assert found >= FOUND
    assert false <= FALSE


@pytest.mark.parametrize("language", LANGUAGES)
def test_claims_of_each_language_are_found(language: str) -> None:
    lines = [line for path in FOLDER.glob("*.jsonl") for line in path.read_text(encoding="utf-8").splitlines()]
    rows = [row for row in map(json.loads, lines) if row.get("lang") == language]
    assert len(rows) >= 90
    found, false = rates([(row["reply"], row["claim"]) for row in rows])
    assert found >= FOUND and false <= FALSE


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_row_is_as_it_says(language: str) -> None:
    name = f"claims_{language}.json"
    tables = json.loads(read_table(name))
    for kind, patterns in pattern_rows(name).items():
        for row, pattern in zip(tables[kind], patterns, strict=True):
            is_claim, is_none = find_claim(row["is"]), find_claim(row["is_not"])
            if "unless" in kind:
                is_claim, is_none = is_none, is_claim
            else:
                assert pattern.search(row["is"]) and not pattern.search(row["is_not"]), row
            assert kind in ("hint", "ignored") or (is_claim and not is_none), row


def test_the_sentence_that_claims_is_named_as_it_was_written() -> None:
    reply = "What a day!\n\n**Anna's party** is on the 3rd. I've *noted* it in `MEMORY.md`! 🎉 Sleep well."
    assert find_claim(reply) == "I've *noted* it in `MEMORY.md`!"
    assert find_claim("真好呀。这件事我已经记下来了！早点睡。") == "这件事我已经记下来了！"


def test_of_an_endless_sentence_only_the_clause_is_named() -> None:
    reply = "la " * 3000 + ", I've saved it to my memory, " + "la " * 3000
    claim = find_claim(reply)
    assert claim is not None and "I've saved it to my memory" in claim and len(claim) < 500


@pytest.mark.parametrize(
    "reply",
    [
        "```\nI've saved it to my memory.\n```",
        "> I've saved it to my memory.",
        "The label says `saved to memory`.",
        "She wrote: “I'll remember that.”",
        "他说：“我记住了。”",
        "~~~text\n我记住了\n~~~",
        "",
        "🎉🎉🎉",
        "I'll keep it in mind for the rest of this conversation.",
        "在这次对话里我会记得的，关掉就没有了。",
    ],
)
def test_code_quotes_and_what_is_honest_are_no_claims(reply: str) -> None:
    assert find_claim(reply) is None


def test_after_a_code_block_what_is_said_counts_again() -> None:
    assert find_claim("```\nx = 1\n```\nI've saved that to my memory.") == "I've saved that to my memory."


LONG = {
    "one sentence": "I'll be a cat when you are ",
    "many sentences": "The cat sat there and remembered, then wrote notes. ",
    "chinese": "我会把你说的话都好好放在我没有的",
    "chinese sentences": "今天天气不错，大家去公园看了很多花草，没有写日记。",
    "blanks": " ",
    "newlines": "\n",
    "quotes": '"',
    "opened quotes": "“",
    "ticks": "`",
    "spanish": "lo he me ya lo voy a ",
    "subjects": "it ",
    "possessives": "your ",
    "adverbs": "i have just now already ",
    "verbs": "记",
    "objects": "我把将",
    "interjections": "ok ",
    "dots": ".",
    "signs": ".!",
}


@pytest.mark.parametrize("piece", LONG.values(), ids=LONG)
def test_time_grows_with_the_length_and_no_faster(piece: str) -> None:
    def seconds(characters: int) -> float:
        reply = piece * (characters // len(piece)) + "x"
        with without_collection():  # one pass over all that the tests hold takes longer than the reply
            before = time.thread_time()
            find_claim(reply)
            asks_to_remember(reply)
            return time.thread_time() - before

    length = examples(10_000)
    short = min(seconds(length) for _ in range(3))
    assert seconds(10 * length) < 40 * max(short, 0.005)  # ten times the length; a square would be a hundred times


@given(st.text(max_size=300) | st.text(alphabet="I'll've noted saved 我记住了会不 \n`\"“”>.!?。，*", max_size=200))
def test_any_text_is_answered_with_a_piece_of_it(reply: str) -> None:
    claim = find_claim(reply)
    assert claim is None or (claim and claim in reply)
    asks_to_remember(reply)


def test_request_to_remember_is_detected() -> None:
    rows = [json.loads(line) for line in (FOLDER / "messages.jsonl").read_text(encoding="utf-8").splitlines()]
    wrong = [row["message"] for row in rows if asks_to_remember(row["message"]) is not row["asks"]]
    assert len(rows) >= 50
    assert wrong == []


@pytest.mark.parametrize(
    "reply", ["我已經把這個寫進日誌裡了！", "放心，我會永遠記在心裡。", "好的，幫您記錄下來了。"]
)
def test_a_claim_in_traditional_characters_is_named_as_it_was_written(reply: str) -> None:
    assert find_claim(reply) == reply


def test_request_in_traditional_characters_is_detected() -> None:
    assert asks_to_remember("請記得我對花生過敏") and asks_to_remember("把這個記到日誌裡")
    assert not asks_to_remember("你還記得我對什麼過敏嗎")
