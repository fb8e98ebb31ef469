"""Wishes about the pet itself are found whatever a model takes them for; tasks, praise and plans are none."""

from __future__ import annotations

import pytest

from pet.engine.notebook_decisions import Note, NothingToNote, Soul, settle
from pet.engine.notebook_wishes import forget_query, wants_forgetting
from pet.prompt.small_model_prompts import Line


@pytest.mark.parametrize(
    "message",
    [
        "Please keep your answers shorter.",
        "Could you be less formal with me?",
        "Don't use so many exclamation marks.",
        "From now on you are a grumpy old wizard.",
        "Be a little more playful, will you?",
        "I want you to answer in shorter sentences from now on.",
        "Talk to me like a pirate.",
        "Your replies are too long.",
        "You should sound more cheerful!",
        "No more emojis please.",
        "Can I call you Biscuit?",
        "I'll call you Pip.",
        "Call yourself Pip.",
        "Speak more slowly, please.",
        "Talk to me a little more like a friend.",
        "I'd like you to be more curious.",
        "别用英文，语气再软萌一点",
        "希望你以后多鼓励我。",
        "回答我的时候简短一点。",
        "以后回答我短一点。",
        "说话活泼一点嘛。",
        "以后少用感叹号。",
        "从现在起你是个爱抱怨的老巫师。",
        "你能不能再温柔一点？",
        "别发那么多表情了。",
        "以后你就叫小石头吧。",
        "跟我说话别那么客气。",
        "你的名字改成豆包吧",
        "你别一口一个主人地叫我",
        "A partir de ahora responde con frases más cortas.",
        "¿Podrías ser un poco menos formal?",
        "Sé un poco más alegre, por favor.",
        "No uses tantos emojis.",
        "Desde hoy te llamas Canela.",
        "Háblame como un pirata.",
        "Tus respuestas son demasiado largas.",
    ],
)
def test_wish_about_the_pet_is_found(message: str) -> None:
    assert settle(NothingToNote(), message, []) == Soul()


@pytest.mark.parametrize(
    "message",
    [
        "Make it shorter.",
        "Answer briefly: what is the capital of France?",
        "Your answers are so funny!",
        "You are a good cat.",
        "I'll call you later.",
        "Haha, stop it!",
        "Be careful out there.",
        "More jokes!",
        "brb, kettle's boiling",
        "Get more milk.",
        "Keep it short.. no, forget it, tell me a story",
        "短一点。",
        "叫外卖吧。",
        "快一点！",
        "你叫什么名字",
        "你真可爱。",
        "以后是周三开会。",
        "Te llamo luego.",
        "Eres una gata muy buena.",
        "Responde: ¿cuál es la capital de Francia?",
        "Háblame de los piratas.",
        "Ponte el abrigo.",
    ],
)
def test_anything_else_is_left_to_the_model(message: str) -> None:
    assert settle(NothingToNote(), message, []) == NothingToNote()


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("I've signed up for a pottery course that begins in February.", Note()),
        ("我报名了一月十号的马拉松。", Note()),
        ("I need a poem for Friday.", NothingToNote()),
        ("My essay needs a title, can you think of one?", NothingToNote()),
        ("我想要一首诗。", NothingToNote()),
    ],
)
def test_statement_taken_for_a_task_is_noted(message: str, wanted: object) -> None:
    assert settle(NothingToNote(task=True), message, []) == wanted


@pytest.mark.parametrize(
    "message", ["what should I cook tonight", "is it true that cats sleep all day", "晚饭吃什么好"]
)
def test_question_without_its_mark_is_no_note(message: str) -> None:
    assert settle(Note(), message, []) == NothingToNote()


@pytest.mark.parametrize(
    "message",
    [
        "When I was a child I lived in Rome.",
        "What I do is teach maths.",
        "我也不知道为什么，就是喜欢下雨。",
        "Do you know, I play the violin.",
        "我怎么都睡不好，医生说是压力大。",
    ],
)
def test_statement_that_looks_like_a_question_is_noted(message: str) -> None:
    assert settle(Note(), message, []) == Note()


@pytest.mark.parametrize(
    "message", ["my favourite band is Khruangbin", "我养了两盆多肉。", "Everybody calls me Annie."]
)
def test_statement_about_the_owner_is_no_wish_about_the_pet(message: str) -> None:
    assert settle(Soul(), message, []) == Note()


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
