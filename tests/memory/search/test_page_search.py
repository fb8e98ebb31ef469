"""Pages of a document that answer a question."""

from __future__ import annotations

import pytest

from pet.memory.search.page_search import named_pages, rank_pages

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
