"""Wishes to forget, to remember and to note nothing are found by their words; what only speaks of it is none."""

from __future__ import annotations

import pytest

from pet.engine.claim_sentences import asks_to_remember
from pet.engine.notebook_decisions import forget_query, wants_forgetting, wants_no_note
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
        "I no longer want you to remember my address.",
        "不要再记得这件事了",
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


@pytest.mark.parametrize(
    "message",
    [
        "Add to your notes: the boiler code is F28",
        "Please put in your notes that the bins go out on Tuesday.",
        "You'll want to remember that I moved to Gent.",
        "Just so you know for later, I changed dentists.",
        "给我存个档：体检在九月",
        "这个你得记牢，我换牙医了",
        "请留意并记住，我下周出差",
        "Que quede anotado: le debo treinta a Marcos.",
        "Guárdate esto: la caldera se revisa en mayo.",
        "Add to your notes that Mum's flight lands at six",
        "For future reference, I park on level 3",
        "for future reference: the baby sleeps at seven",
        "Put it on record: I never said yes to the cruise",
        "Put on record that I can't eat celery",
        "Save that, please",
        "Please save this: bin day is Thursday",
        "存起来：车位在B2",
        "把这个存起来",
        "记到本子上：房租每月五号交",
        "帮我记到本子上，周三停水",
        "I use size 39 shoes, keep that in mind",
        "You might want to write down that I'm off on Fridays",
        "Log this: blood pressure 128 over 82",
        "Jot down that the key is with Olga",
        "Jot this down: gate code 4471",
        "Make a note of my new address, 5 Pine Road",
        "Store this for later: I hate surprise parties",
        "Commit this to memory: Ana's birthday is 3 June",
        "Pop it in your notes: the cat takes half a tablet",
        "Keep a record of this: the tyre pressure is 2.4",
        "Record that I paid the rent on the first",
        "note to self: the spare fuse is in the tin",
        "别忘了这个：我周五值班",
        "写下来：奶奶的药在冰箱里",
        "你记一笔，我欠老王五十",
        "这个你收好：保险单号在抽屉里",
        "帮我备个忘：周六接孩子",
        "存一下，我的尺码是42",
        "Guarda esto: el contador está en el sótano",
        "Apúntate que libro los viernes",
        "Anota en tu cuaderno que la llave la tiene Olga",
        "Para que conste: no puedo comer apio",
        "Ten en cuenta para el futuro que aparco en la planta 3",
        "Toma nota: el autobús sale a las ocho",
        "Por favor, memoriza esto: la gata toma media pastilla",
        "Déjalo anotado: pagué el alquiler el día uno",
        "Put this in your notes: I am left-handed",
        "Keep it on file that I am left-handed",
        "I am left-handed, for future reference",
        "Please log that I took the tablet",
        "I want this in your memory: I am left-handed",
        "Save this fact: I am left-handed",
        "Write it in your notebook: I am left-handed",
        "Note, please: I am left-handed",
        "btw remember this one, I am left-handed",
        "把这条记到备忘录里：我是左撇子",
        "请登记一下，我是左撇子",
        "你帮我存着：我是左撇子",
        "麻烦写下来，我是左撇子",
        "Que conste que soy zurda",
        "Añade a tus notas que soy zurda",
        "Apunta lo siguiente: soy zurda",
    ],
)
def test_a_wish_to_remember_is_recognised_in_other_words(message: str) -> None:
    assert asks_to_remember(message) and not wants_no_note(message)


@pytest.mark.parametrize(
    "message",
    [
        "I'd rather you didn't keep that",
        "I don't want this written anywhere.",
        "Keep this off your notes.",
        "That's just between us, don't save it.",
        "You can let that one go, no need to keep it.",
        "这事你就当没听见，别记",
        "我说的这些你都不要写下来",
        "Esto que quede fuera de tus notas.",
        "I'd prefer it if you didn't write this down",
        "Please don't put this in your notes",
        "Keep this off the record",
        "Off the record: I'm looking for another job",
        "This isn't for your notes: I dyed my hair",
        "No need to save this, I'm just venting",
        "Don't record that",
        "Leave this out of your notes",
        "Better not to note this one",
        "Just between us, don't write it down",
        "Not for the record, but I hate the curtains",
        "这个就不用记了",
        "这话别往本子上写",
        "不要把这个记下来，我只是随便说说",
        "这事别存",
        "我希望你不要记这个",
        "别留记录",
        "Prefiero que no guardes esto",
        "Esto no lo anotes",
        "No hace falta que apuntes esto",
        "Que esto no quede en tus notas",
        "Mejor no lo guardes",
        "Esto es extraoficial, no lo escribas",
        "I would prefer you not to save this",
        "Don't make a note of this",
        "Please don't remember this",
        "No notes on this, please",
        "This one stays between us",
        "Don't store any of that",
        "You needn't write that down",
        "这条别存档",
        "不用帮我记",
        "这个请不要记录",
        "别把这个写进笔记",
        "No guardes nada de esto",
        "Esto que quede entre nosotros",
        "No apuntes lo que te acabo de decir",
        "Mejor no anotes esto",
    ],
)
def test_a_wish_to_note_nothing_is_recognised_in_other_words(message: str) -> None:
    assert wants_no_note(message) or wants_forgetting(message)
    assert not asks_to_remember(message)


@pytest.mark.parametrize(
    "message",
    [
        "Borra esa nota",
        "Borra esta nota, por favor",
        "Delete that note",
        "Elimina la última nota",
        "不要再记得我的体重",
        "把那条笔记删了",
        "Remove that from your notes",
        "Take that out of your notebook",
    ],
)
def test_a_note_is_to_be_deleted(message: str) -> None:
    assert wants_forgetting(message)


@pytest.mark.parametrize(
    "message",
    [
        "Can you add to your notes?",
        "Put the flowers in the window",
        "So you know that song?",
        "I don't want this cake",
        "档案馆存档很多",
        "Save that seat for me",
        "What is on record about Bach?",
        "I made a note of it yesterday",
        "For future reference works I use the library",
        "He put it on record",
        "Add two eggs to the batter",
        "Record players are back in fashion",
        "我把钱存起来了",
        "他把地址记到本子上了",
        "Save the date is printed on the card",
        "Did you save that?",
        "Write down ten ideas for dinner",
        "Jot down a few lines about spring for my blog",
        "Log cabins are cosy",
        "Guarda la calma",
        "Store brands are cheaper",
        "I'd rather you didn't come",
        "Don't keep the dog waiting",
        "No need to hurry",
        "I don't record music any more",
        "Between us, Ana is the better cook",
        "别写作业了",
        "不要存太多钱",
        "No guardes rencor",
        "Leave the onions out of the soup",
        "Off the record store shelves",
    ],
)
def test_what_only_has_such_words_is_no_wish(message: str) -> None:
    assert not asks_to_remember(message) and not wants_no_note(message) and not wants_forgetting(message)
