"""Greetings, thanks and the like bring nothing up; one word that names something, and the search decides."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.language.small_talk import is_small_talk


@pytest.mark.parametrize(
    "message",
    [
        "", "  \n", "?!", "👍", "😂😂", "hello", "Hello!", "hi there :)", "Good morning!", "thanks",
        "Thank you so much!!",
        "ok", "OK, thanks", "haha that's funny", "I\u2019m tired", "good night, sweet dreams", "how are you today?",
        "yes please", "no thanks", "I love you", "你好", "你好呀～",
        "早上好！", "晚安", "谢谢", "谢谢你啊", "好的，谢谢", "哈哈哈哈哈",
        "我累了", "謝謝你", "沒關係", "對不起", "嗯嗯", "在吗？", "你叫什么名字", "再见啦", "好的ok", "hello 你好",
        "我回来啦", "我到家了", "hola", "¡Buenas noches!", "¿Cómo estás hoy?", "gracias, hasta mañana",
        "我的天哪", "哎呀，累死我了", "Oh my goodness, what a day", "¡Qué sueño tengo!",
    ],
)  # fmt: skip
def test_small_talk_is_told(message: str) -> None:
    assert is_small_talk(message)


@pytest.mark.parametrize(
    "message",
    [
        "hello, how is my sister?", "thanks for the lemon cake", "Anna", "what did I paint?",
        "good idea about the boat",
        "I'm tired of the office", "你好，我妹妹怎么样", "谢谢你的蛋糕", "我累了，今天爬了云台山",
        "生日快乐歌是谁写的", "年糕", "what a day it was with Ida",
        "I love Tom", "what is my name?", "我叫什么名字", "上周二我们聊了什么", "hello " * 20,
        "hola, soy Ana", "¿cómo está mi hermana?", "mañana vuelo a Lugo",
    ],
)  # fmt: skip
def test_what_names_something_is_none(message: str) -> None:
    assert not is_small_talk(message)


@given(st.text(alphabet="哈好的ok ha了!", max_size=60))
def test_no_message_takes_long(message: str) -> None:
    assert is_small_talk(message) in (True, False)
