"""Wishes to forget are found by their words; what only speaks of forgetting is none."""

from __future__ import annotations

import pytest

from pet.engine.notebook_wishes import forget_query, wants_forgetting
from pet.prompt.small_model_prompts import Line

LINES = [
    Line(file="MEMORY.md", index=at, text=f"- {text}")
    for at, text in enumerate(
        [
            "Owner: my knee operation is on 9 January (2026-08-30)",
            "Owner: I like green tea (2026-08-30)",
            "主人：我的房租是两千四（2026-05-27）",
            "Dueño: me operan de la rodilla el 9 de enero (2026-08-30)",
        ]
    )
]


@pytest.mark.parametrize(
    ("message", "query"),
    [
        ("Forget that I ever mentioned the operation, please.", "operation"),
        ("Please forget what I told you about green tea.", "green tea"),
        ("你能删掉关于我房租的记录吗？", "房租"),
        ("Olvida lo que te conté de la rodilla.", "rodilla"),
        ("Forget what I said about my cousin.", ""),
        ("Forget that.", "I like green tea"),
    ],
)
def test_what_is_to_be_forgotten_is_searched_by_the_words_of_the_notes(message: str, query: str) -> None:
    assert wants_forgetting(message)
    assert forget_query(message, LINES, last="I like green tea") == query


@pytest.mark.parametrize(
    "message",
    ["Don't forget my tea.", "I forgot my keys.", "别忘了我喜欢茶", "No te olvides de mi té.", "Forget it!"],
)
def test_other_forgetting_is_no_wish_to_erase(message: str) -> None:
    assert not wants_forgetting(message)


@pytest.mark.parametrize(
    "message",
    [
        "Forget that I told you about my ex.",
        "Could you forget my old address?",
        "Please unremember my salary.",
        "Wipe my birthday from your memory.",
        "You don't need to remember the thing about Paul anymore.",
        "Erase my phone number, please.",
        "Let's forget about what I said regarding the loan.",
        "Delete the note on my allergy.",
        "Take my diet off your notes.",
        "I don't want you to remember my weight.",
        "I'd rather you forgot my weight.",
        "Don't hold on to what I said about my boss.",
        "Can you remove my address from memory?",
        "Stop remembering my shoe size.",
        "Strike what I said about Berlin from your notes.",
        "Would you mind forgetting about my debts?",
        "别记着我的体重了。",
        "我前面说的搬家的事，忘了吧。",
        "把我的电话号码从记忆里删掉。",
        "不要再记得我前男友了。",
        "你能忘掉我的地址吗？",
        "请把关于小王的那条笔记清除。",
        "我说过喜欢榴莲，那条删了吧。",
        "上次我讲的病，你就当没听过。",
        "可以不记我的生日了。",
        "Olvida mi dirección antigua.",
        "¿Podrías borrar mi peso de tus notas?",
        "No quiero que recuerdes mi sueldo.",
        "Bórralo de tu memoria.",
        "Quita de tus notas lo de mi ex.",
        "Prefiero que olvides lo de mi jefe.",
        "Haz como que no te conté lo del viaje.",
        "Elimina mi teléfono, por favor.",
        "Ya no hace falta que recuerdes lo de Ana.",
        "Borra de tu memoria mi cumpleaños.",
    ],
)
def test_a_wish_to_forget_is_recognised_in_other_words(message: str) -> None:
    assert wants_forgetting(message)


@pytest.mark.parametrize(
    "message",
    [
        "I forgot my keys at home.",
        "Don't let me forget my passport.",
        "I'll never forget my grandma's soup.",
        "My mother tends to forget names.",
        "Forget-me-nots are my favourite flowers.",
        "I deleted my Facebook account.",
        "How do I delete a file in Linux?",
        "Never forget that I love you.",
        "I want to forget my ex.",
        "She said I should forget him.",
        "Delete the second paragraph of this text: I like tea.",
        "What do you remember about me?",
        "He asked me to remove my shoes.",
        "I can't remember his phone number.",
        "Stop it!",
        "If I told you to forget it, would you?",
        "我忘记带伞了。",
        "别忘了我的生日。",
        "怎么删除微信聊天记录？",
        "我永远忘不了那天。",
        "他把我的名字忘了。",
        "我想忘掉前男友。",
        "帮我删掉这段话里的逗号：你好，世界。",
        "我妈总是忘记吃药。",
        "千万别忘掉我的药。",
        "你还记得我的地址吗？",
        "No olvides mi cumpleaños.",
        "Se me olvidó comprar pan.",
        "Nunca olvidaré ese viaje.",
        "¿Cómo borro una foto del móvil?",
        "Mi abuela olvida los nombres.",
        "Quiero olvidar a mi ex.",
        "Borré mi cuenta de Twitter.",
        "Elimina la última frase de este texto: Hola.",
        "No me acuerdo de su nombre.",
        "Quita la sal de la receta.",
        "You don't have to keep my plants alive.",
    ],
)
def test_what_only_speaks_of_forgetting_is_no_wish_to_forget(message: str) -> None:
    assert not wants_forgetting(message)
