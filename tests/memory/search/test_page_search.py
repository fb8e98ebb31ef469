"""Pages of a document that answer a question: by words, and by the meaning of their best passages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pytest

from pet.language.asking import named_pages
from pet.memory.search.page_search import PassageSearch, rank_pages, split_passages

if TYPE_CHECKING:
    from pet.memory.search.embedders import Vectors

PAGES = [
    "The greenhouse was built of old windows.",
    "Usage of the pump: it is switched on by hand. 水泵在厨房后面。",
    "Allergic gardeners keep away from the hay.",
    "钥匙挂在门后，\n不要忘记关灯。",
]


@pytest.mark.parametrize(
    ("question", "page"),
    [
        ("Where is the pump used?", 2),
        ("Does anybody have allergies?", 3),
        ("钥匙在哪里？", 4),
        ("水泵放在什么地方", 2),
        ("windows", 1),
    ],
)
def test_the_page_with_the_questions_words_comes_first(question: str, page: int) -> None:
    assert rank_pages(PAGES, question)[0][1] == page


def test_rare_words_weigh_more_and_all_of_them_make_one() -> None:
    pages = ["the bed is wet", "the bed and the anvil", "a bed", "the well"]
    assert rank_pages(pages, "bed anvil")[0][1] == 2
    assert rank_pages(pages, "bed anvil")[0][0] == 1.0
    assert rank_pages(pages, "bed anvil")[1][0] < 0.5
    assert rank_pages(pages, "rocket") == []


@pytest.mark.parametrize(
    ("question", "pages"),
    [
        ("What stands on page 280?", [280]),
        ("compare p. 3 with page 12 and page 3", [3, 12]),
        ("第 28 页讲什么", [28]),
        ("28页和第30页", [30, 28]),
        ("la página 7", [7]),
        ("page 0, page 999, in 2026, 12 eggs", []),
    ],
)
def test_pages_that_a_question_names(question: str, pages: list[int]) -> None:
    assert named_pages(question, 312) == pages


QUESTION = "When does the boat leave the island?"
NEAR = "From the island the ferry departs at noon."


class Meanings:
    """An embedder that knows the question to be near one sentence."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> Vectors | None:
        self.calls.append([*texts])
        near = [[1.0, 0.0] if NEAR in text or text == QUESTION else [0.0, 1.0] for text in texts]
        return np.asarray(near, np.float32)


def pages(count: int = 9) -> list[str]:
    filler = "The island has a boat on its arms, and leaves of oak."
    return [f"{filler} Chapter {number}." if number != 7 else f"Chapter 7.\n{NEAR}" for number in range(1, count + 1)]


def test_page_whose_passage_means_the_question_rises() -> None:
    by_words = [page for _, page in rank_pages(pages(), QUESTION)]
    both = PassageSearch(Meanings().embed).rank(pages(), QUESTION)
    assert by_words.index(7) == 8
    assert [page for _, page in both].index(7) == 4
    assert sorted(both) == sorted(rank_pages(pages(), QUESTION))


def test_without_an_embedder_the_words_decide() -> None:
    assert PassageSearch(lambda _texts: None).rank(pages(), QUESTION) == rank_pages(pages(), QUESTION)
    assert PassageSearch(Meanings().embed).rank(pages(), "rocket") == []


def test_second_question_embeds_nothing_that_is_kept() -> None:
    meanings = Meanings()
    search = PassageSearch(meanings.embed)
    first = search.rank(pages(), QUESTION)
    assert search.rank(pages(), QUESTION) == first
    assert len(meanings.calls[0]) == 1 + 9
    assert meanings.calls[1] == [QUESTION]


def test_few_passages_are_embedded_and_few_vectors_are_kept() -> None:
    meanings = Meanings()
    search = PassageSearch(meanings.embed)
    for time in range(40):
        lines = [[f"island {time} {number} {part} " + "oak " * 90 for part in "ab"] for number in range(300)]
        search.rank(["\n".join(each) for each in lines], QUESTION)
    assert max(map(len, meanings.calls)) == 81
    assert len(search._kept) == 2_000


def test_passages_are_whole_lines_and_have_a_limit() -> None:
    lines = [f"Line {number} of the page." for number in range(60)]
    passages = split_passages("\n".join(lines))
    assert " ".join(passages).split() == " ".join(lines).split()
    assert max(map(len, passages)) <= 400
    assert "".join(split_passages("字" * 5_000)) == "字" * 5_000
    assert max(map(len, split_passages("字" * 5_000))) <= 800
    assert split_passages(" \n ") == []
