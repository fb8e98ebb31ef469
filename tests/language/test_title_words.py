"""A title has the three to five words that tell a message from others, in three languages; a greeting gives none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.language.title_words import MOST_WORDS, title_words


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("What is the capital of France?", "Capital of France"),
        ("Hi! Can you tell me how to bake rye bread, please?", "Bake rye bread"),
        ("I want to see temples in Kyoto in April. I am allergic to shellfish.", "See temples in Kyoto"),
        ("I drink green tea, never coffee.", "I drink green tea"),
        ("could you please tell me what the weather will be tomorrow", "Weather will be tomorrow"),
        ("Explain quantum entanglement to me like I'm five", "Quantum entanglement"),
        ("fix this: TypeError: cannot read property x of undefined", "Cannot read property x"),
        ("https://www.example.com/a/b?q=1", "Example.com"),
        ("iPhone or Android?", "iPhone or Android"),
        ("你好，我想了解一下京都四月的寺庙", "京都四月的寺庙"),
        ("请问什么是黑洞？", "黑洞"),
        ("记住我喜欢绿茶，不喝咖啡", "我喜欢绿茶"),
        ("今天天气很好我们一起去公园散步然后回家吃饭好不好呀小家伙", "今天天气很好我们一起去公…"),
        ("Hola, ¿me puedes explicar cómo hacer pan de centeno?", "Pan de centeno"),
        ("¿Qué es un agujero negro?", "Agujero negro"),
        ("Recuérdame llamar a Ana mañana", "Llamar a Ana mañana"),
    ],
)
def test_what_it_is_about(message: str, words: str) -> None:
    assert title_words(message) == words


@pytest.mark.parametrize(
    "message", ["", "Hello!", "hi Mochi, how are you?", "你好呀", "¡Hola! ¿Cómo estás?", "👍", "the"]
)
def test_nothing_is_made_of_a_greeting(message: str) -> None:
    assert title_words(message) == ""


@given(st.text(max_size=400))
def test_any_text_gives_few_words_of_its_own_on_one_line(message: str) -> None:
    words = title_words(message)
    assert len(words.split()) <= MOST_WORDS
    assert len(words) <= 41
    assert "\n" not in words
