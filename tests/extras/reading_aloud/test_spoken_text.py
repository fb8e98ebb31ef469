"""A reply as sentences to be read aloud, whole and in any pieces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.extras.reading_aloud.spoken_text import LONGEST, SentenceStream, sentence_language
from tests.support.examples import examples


def spoken(markdown: str, size: int = 1_000_000) -> list[str]:
    """The sentences, with <code>, <table> and <link> for what is skipped."""
    stream = SentenceStream()
    pieces = [markdown[at : at + size] for at in range(0, len(markdown), size)]
    sentences = [each for piece in pieces for each in stream.feed(piece)] + stream.end()
    return [f"<{each.skipped}>" if each.skipped else each.text for each in sentences]


CASES = [
    ("Hello there. How are you? Fine!", ["Hello there.", "How are you?", "Fine!"]),
    ("Dr. Ana and Mr. Poe, e.g. at 3 p.m. today. Good.", ["Dr. Ana and Mr. Poe, e.g. at 3 p.m. today.", "Good."]),
    ("J. R. R. Tolkien wrote it. True.", ["J. R. R. Tolkien wrote it.", "True."]),
    ("La Sra. Gil vive en la Avda. Sol. ¿Sí?", ["La Sra. Gil vive en la Avda. Sol.", "¿Sí?"]),
    ("Pi is 3.14 or 1,000.5 and v2.0.1 is out. Yes.", ["Pi is 3.14 or 1,000.5 and v2.0.1 is out.", "Yes."]),
    ("你好。今天好吗？“好！”她说，价格是3.5元。", ["你好。", "今天好吗？", "“好！”", "她说，价格是3.5元。"]),
    ("一行\n接着一行。", ["一行接着一行。"]),
    ("1. First\n2. Second. More\n- [x] done\n  - deep", ["1. First", "2. Second.", "More", "done", "deep"]),
    ("# Title #\ntext\n\nnext", ["Title", "text", "next"]),
    ("> quoted\n> words. Here", ["quoted", "words.", "Here"]),
    ("See https://a.example/b.c?d=e and [the docs](http://x.y/z). End.", ["See", "<link>", "and the docs.", "End."]),
    ("a `x.y()` call. **Bold. Strong** _it_ snake_case.", ["a x.y() call.", "Bold.", "Strong it snake case."]),
    ("Before:\n```py\nprint('. a')\n```\nafter", ["Before:", "<code>", "after"]),
    ("~~~\na\n```\nb\n~~~\n```\nnever closed. no", ["<code>"]),
    ("| a | b |\n|---|---|\n| 1. | 2 |\nend", ["<table>", "end"]),
    ("**never closed [a link](http://", ["never closed a link"]),
    ("half a sentence, `code", ["half a sentence, code"]),
    ("wait... what", ["wait... what"]),
    ("---\n\n***\n", []),
    ("😀 🎉", []),
    ("看https://example.com/a，然后走。好。", ["看", "<link>", "，然后走。", "好。"]),
    ("《https://example.com/a》和“https://example.com/b”：好。", ["<link>", "》和“", "<link>", "”：好。"]),
    ("约10~20元，30~40元。", ["约10~20元，30~40元。"]),
]


@pytest.mark.parametrize(("markdown", "sentences"), CASES)
def test_sentences(markdown: str, sentences: list[str]) -> None:
    assert spoken(markdown) == sentences


@pytest.mark.parametrize("size", [1, 2, 3, 7])
@pytest.mark.parametrize("markdown", [markdown for markdown, _ in CASES])
def test_pieces_of_the_stream_make_no_difference(markdown: str, size: int) -> None:
    assert spoken(markdown, size) == spoken(markdown)


def test_a_sentence_comes_as_soon_as_the_next_begins() -> None:
    stream = SentenceStream()
    assert stream.feed("Hello there, owner. ") == []
    assert [each.text for each in stream.feed("How")] == ["Hello there, owner."]
    assert [each.text for each in stream.feed(" are you?\n\n")] == ["How are you?"]


@pytest.mark.parametrize("unit", ["word ", "a", "好", "[", "`", "|", "\n", "> ", "http://", "$", "Hi. ", "- "])
def test_endless_text_is_cut_into_sentences(unit: str) -> None:
    size = examples(100_000)
    sentences = spoken(unit * (size // len(unit)), 4_096)
    assert all(len(each) <= LONGEST for each in sentences)


@given(st.text(alphabet="ab .。!?`*[]()|#-~\n1好_$", max_size=400), st.integers(1, 50))
def test_any_markup_is_read(text: str, size: int) -> None:
    assert all(any(map(str.isalnum, each)) for each in spoken(text, size))


@given(st.lists(st.sampled_from(["one", "two", "Three", "四"]), min_size=1, max_size=300), st.integers(1, 9))
def test_words_keep_their_order(words: list[str], size: int) -> None:
    read = " ".join(spoken(" ".join(words), size))
    assert "".join(read.split()) == "".join(words)


@pytest.mark.parametrize(
    ("text", "before", "language"),
    [
        ("你好 world", "en", "zh"),
        ("The dog is here.", "es", "en"),
        ("El perro de la casa.", "en", "es"),
        ("¿Sí?", "en", "es"),
        ("OK.", "es", "es"),
        ("OK.", "zh", "en"),
        ("3.5", "zh", "zh"),
    ],
)
def test_the_language_of_a_sentence(text: str, before: str, language: str) -> None:
    assert sentence_language(text, before) == language  # type: ignore[arg-type]
