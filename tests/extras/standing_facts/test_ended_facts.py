"""No line is proposed for USER.md that a later note may have ended; one that later notes name only as everyday life
names it, or not at all, still is."""

from __future__ import annotations

from pathlib import Path

import pytest

from pet.extras.standing_facts.facts import standing_kind
from tests.memory.care_desk import CareDesk

OLD, NEW = "2026-03-02", "2026-08-14"
TODAY = "2026-11-21"

PAIRS = [
    ("My grandfather Otto is 88 and sleeps in our study", "Otto passed away in his sleep last night"),
    ("Grandma Wilma lives with us", "Nana's funeral was on Tuesday, we all cried"),
    ("My dog is called Pepper", "Pepper is buried under the pear tree now"),
    ("My grandmother Rosa is 91 and lives with us", "She died this morning"),
    ("My cat is called Miso", "Had to have the poor old cat put to sleep"),
    ("Takes bisoprolol 5 mg with breakfast, must not drink grapefruit juice", "From today it's a new tablet"),
    ("Must not eat grapefruit because of bisoprolol", "The doctor took me off bisoprolol"),
    ("Allergic to penicillin", "The allergist tested me: not allergic to penicillin at all"),
    ("Allergic to cats", "Turns out the allergy was only dust"),
    ("Lena is pregnant and due in May", "Lena's little Max was born this morning"),
    ("I'm pregnant, due in June", "Our baby came at four, 3,200 grams"),
    ("My husband is called Karl", "The divorce from Karl went through"),
    ("My wife is called Ruth", "Signed the papers, we are officially separated"),
    ("My boss is called Petra", "From Monday on my new manager is Jonas"),
    ("My flatmate is called Nils", "Nils moved out today"),
    ("My girlfriend is called Ana", "Ana and I broke up"),
    ("Vegetarian since school", "Had a steak, the first meat in ten years, and it stays so"),
    ("Promised Olga the ladder back by Easter", "Brought Olga her ladder"),
    ("Has asthma", "The lung clinic says: no asthma, never had any"),
    ("My best friend is Will, he lives in Leeds", "Will doesn't talk to me any more"),
    ("我外公叫李建国，和我们一起住", "外公今天早上走了"),
    ("我对芒果过敏", "医生说我其实不过敏，芒果可以吃"),
    ("我老婆叫王芳", "离婚手续今天办完了"),
    ("嫂子怀孕了，预产期在五月", "嫂子昨晚生了个女儿"),
    ("我老板叫陈伟", "换领导了，新来的姓赵"),
    ("室友叫小杰", "小杰搬走了"),
    ("不能喝酒，因为在吃头孢", "头孢停了"),
    ("我的狗叫可可", "可可今天去世了"),
    ("长期服药：二甲双胍", "药换成达格列净了"),
    ("Mi abuela se llama Pilar y vive con nosotros", "Pilar falleció anoche"),
    ("Mi perro se llama Trasto", "Hemos enterrado a Trasto en el huerto"),
    ("Soy alérgica al marisco", "Las pruebas dicen que no tengo alergia"),
    ("Mi marido se llama Joaquín", "Por fin estamos divorciados"),
    ("Estoy embarazada de gemelos", "Di a luz ayer, los dos están bien"),
    ("Mi jefe se llama Ramón", "Ramón se jubila, la nueva jefa es Marta"),
    ("No puedo comer gluten", "Nunca fue celiaquía: vuelvo a comer gluten"),
    ("Mi novia se llama Irene", "Irene y yo lo hemos dejado"),
    # one language later noted in another
    ("我外婆和我们一起住，外婆的生日是三月八日", "Grandma died yesterday"),
    ("My husband is called Bo", "今天正式离婚了"),
    ("My mother's name is Inge", "Mi madre ha muerto"),
]
ON_TWO_DAYS = [
    ("Lives in Oslo", "Moved to Bergen with everything"),
    ("Has Tom's drill on loan", "Gave the drill back to Tom"),
    ("Drives a red Volvo", "Sold the Volvo"),
    ("Takes ramipril every evening", "Dr Lee switched me to candesartan"),
    ("Smokes a pack a day", "Last cigarette ever, today"),
    ("Works at Acme as a cook", "First day at Bolt!"),
    ("住在杭州西湖边", "从西湖边搬走了"),
    ("Trabaja en una panadería", "Me han despedido de la panadería"),
]
ENDED = [
    ("Grandpa Walter is 88 and lives in the flat below us.", "We buried Walter on Tuesday, half the village came."),
    (
        "Our cat Biscuit sleeps on the radiator and is eleven.",
        "Biscuit went to sleep for good at the vet's this morning.",
    ),
    (
        "I live in Leith with two flatmates.",
        "Handed over the keys in Leith, first night in the new place in Paisley.",
    ),
    ("My phone is a Fairphone 4.", "Sold the Fairphone, the Pixel arrived today."),
    (
        "My son Theo is allergic to peanuts.",
        "The allergist says Theo can eat peanuts after all, the old test was wrong.",
    ),
    ("My sister Nadia is pregnant, due in May.", "Nadia's little girl came last night, 3.4 kilos."),
    ("I am married to Julian.", "The papers are signed, Julian and I are no longer husband and wife."),
    ("I have Piotr's hedge trimmer in the shed.", "Brought the hedge trimmer back to Piotr."),
    ("My boss is Henrike.", "Henrike left for Munich; from Monday I report to Oduya."),
    ("I work as a nurse at St Columba's.", "Last shift at St Columba's, on Monday I start at the school."),
    ("I am vegetarian.", "I eat fish and chicken again since the doctor's talk about iron."),
    ("I smoke about ten cigarettes a day.", "Three months without a cigarette now!"),
    ("I am taking an evening course in Polish.", "Passed the Polish exam, no more evenings at the college."),
    ("I drive an old Volvo.", "A student from Perth bought the Volvo."),
    ("I take metoprolol every morning.", "Dr Sethi took me off metoprolol."),
    ("My brother Callum is engaged to Priya.", "Callum and Priya have called it all off."),
    (
        "My daughter Maisie goes to Grange Primary.",
        "Maisie's first day at the high school, she wouldn't hold my hand.",
    ),
    (
        "I play trombone in the town band every Thursday.",
        "I've handed in my notice to the town band, the trombone goes to my nephew.",
    ),
    ("I pay 12 pounds a month for the gym in Queen Street.", "Cancelled the gym in Queen Street."),
    ("I owe Marcus 200 pounds.", "Paid Marcus his 200, all square."),
    (
        "My mother Ingrid has pneumonia and is in hospital.",
        "Ingrid is home and well again, she was already scolding the gulls.",
    ),
    (
        "Our router is the black Netgear in the hall.",
        "The Netgear gave up the ghost, the man from the shop put in a white one.",
    ),
    ("外婆今年九十一岁，和我们住在一起。", "外婆走了，昨天在殡仪馆送的她。"),
    ("我住在徐汇区的一间小公寓里。", "徐汇的房子退租了，今晚第一次在浦东睡。"),
    ("我和志远结婚六年了。", "和志远把离婚手续办完了。"),
    ("表姐晓琳怀孕了，预产期在六月。", "晓琳生了，是个男孩，母子平安。"),
    ("我在一家出版社当编辑。", "出版社的工作辞了，下周一去书店上班。"),
    ("我的老板是周敏。", "周敏调去深圳了，以后归老何管。"),
    ("我对虾过敏。", "复查结果出来了，虾其实可以吃，之前是误诊。"),
    ("我开一辆红色的大众。", "大众卖掉了，以后坐地铁。"),
    ("我每天早上喝三杯咖啡。", "咖啡已经戒了两个月，睡得好多了。"),
    ("阿强的电钻在我家。", "电钻还给阿强了。"),
    ("Mi abuelo Anselmo tiene noventa años y vive con nosotros.", "Ayer enterramos a Anselmo en el pueblo."),
    ("Vivo en un piso en Triana.", "Dejé el piso de Triana, ya estoy instalada en Cádiz."),
    ("Estoy casada con Rubén.", "Rubén y yo nos hemos divorciado."),
    ("Trabajo de camarera en el bar Lince.", "El Lince cerró; desde hoy estoy en una panadería."),
    ("Soy alérgica a la penicilina.", "Las pruebas dicen que la penicilina no me hace nada."),
    ("Tengo un Seat Ibiza azul.", "Vendí el Ibiza a un vecino."),
    ("Mi novio se llama Iker.", "Iker y yo lo hemos dejado."),
    ("Fumo un paquete al día.", "Llevo cuatro meses sin fumar."),
]
ENDED_IN_EVERYDAY_WORDS = [
    ("My sister is called Freya", "Freya rang from Odense, it's her home these days"),
    ("My flatmate is called Nils", "Had a beer with Nils among his cardboard boxes"),
    ("My flatmate is called Nils", "Helped Nils carry the sofa down and waved"),
    ("My boss is called Petra", "Petra brought cake for her farewell"),
    ("My boss is called Petra", "Coffee with Petra, she hands over to Jonas"),
    ("My wife is called Ruth", "Ruth came by for her things"),
    ("My wife is called Ruth", "Ruth rang, her solicitor will write to me"),
    ("My husband is called Karl", "Went to the pub with Karl's replacement in my life"),
    ("My dog is called Rex", "Walked with Rex to the place where he sleeps now"),
    ("My dog is called Rex", "The house is quiet, Rex"),
    ("My cat is called Miso", "Miso slept in my arms at the end"),
    ("My cat is called Miso", "Miso slept on my lap while the vet gave the injection"),
    ("Theo is allergic to peanuts", "Theo had peanut butter for breakfast"),
    ("Theo is allergic to peanuts", "Baked peanut biscuits with Theo"),
    ("Theo is allergic to peanuts", "Told the waiter that peanuts are fine for Theo"),
    ("Never eats fish", "Cooked fish soup for lunch"),
    ("Plays the cello", "Walked home with an empty cello case"),
    ("My grandmother Rosa lives with us", "Rosa walked into the light"),
    ("My grandmother Rosa lives with us", "Talked for an hour at Rosa's stone"),
    ("My grandmother Rosa lives with us", "Sang for Rosa in church, everyone in black"),
    ("My grandmother Rosa lives with us", "Visited Rosa in the home"),
    ("My best friend is Will, he lives in Leeds", "Will phoned from Spain for good"),
    ("My girlfriend is called Ana", "Watched a film with Ana, our second as friends"),
    ("我的猫叫团子", "团子在我怀里睡着了，医生说很平静"),
    ("我的猫叫团子", "团子睡了，永远"),
    ("我老板叫陈伟", "和陈伟一起吃散伙饭"),
    ("我女朋友叫小雨", "和小雨聊了一夜，还是各走各的吧"),
    ("我对花生过敏", "和小雨一起吃了花生酥"),
    ("外婆和我们一起住，外婆的生日是三月八日", "去看外婆，一起坐在她的照片前"),
    ("Mi perra se llama Nala", "Nala durmió conmigo y por la mañana no respiraba"),
    ("Mi perra se llama Nala", "Paseamos sin Nala"),
    ("Mi jefe se llama Ramón", "Cenamos con Ramón para despedirle"),
    ("Mi novia se llama Irene", "Hablamos mucho, Irene sigue su camino"),
    ("Soy alérgica al marisco", "Comimos marisco y tan contenta"),
    ("Mi abuela se llama Pilar", "Cantamos para Pilar en la iglesia"),
]
STILL_SO = [
    ("My sister Freya lives in Aarhus.", "Freya rang, we talked for an hour about nothing."),
    ("My uncle Bernard is a retired postman.", "Bernard told the story of the dog and the parcel again."),
    ("I am allergic to shellfish.", "Asked the waiter twice about shellfish in the soup."),
    ("I work as a gardener at the botanical gardens.", "Long day at the gardens, planted 300 tulips."),
    ("Our dog Pepper is six and afraid of thunder.", "Pepper chased a gull along the whole beach."),
    ("I drive a green Skoda.", "New tyres on the Skoda."),
    ("I play the cello.", "Two hours of cello, my fingers hurt."),
    ("I am married to Tobias.", "Tobias made pancakes."),
    ("My best friend Leila is a pilot.", "Rain all day, read on the sofa."),
    ("I work as a teacher at Elm School.", "Finished my novel at last."),
    ("我妹妹小雨在成都读大学。", "小雨打电话来，聊了她的室友。"),
    ("我对花生过敏。", "点菜时又问了一遍有没有花生。"),
    ("我家的猫叫团子，四岁。", "团子今天打翻了花瓶。"),
    ("我在医院当护士。", "医院今天特别忙，站了一整天。"),
    ("我的好朋友阿杰是厨师。", "下了一天雨，在家看书。"),
    ("Mi hermana Lucía vive en Bilbao.", "Lucía me llamó, nos reímos mucho."),
    ("Mi perra Nala tiene cinco años.", "Nala se comió mi zapatilla."),
    ("Soy vegetariana.", "Cené una ensalada vegetariana en la plaza."),
    ("My boss is called Petra", "Long meeting with Petra about the budget"),
    ("My grandmother Rosa lives with us", "Baked a plum cake with Rosa"),
]
UNRELATED = [
    "It rained all day and the bus was late",
    "Painted the shed green",
    "今天下雨，公交晚点了",
    "把棚子刷成了绿色",
    "Hoy ha llovido y el autobús ha llegado tarde",
    "He pintado la valla de verde",
]


@pytest.fixture
def care(tmp_path: Path) -> CareDesk:
    desk = CareDesk(tmp_path)
    desk.put("USER.md", "# About you\n\n## Name\n\n- Ida\n")
    return desk


def proposed(care: CareDesk, fact: str) -> bool:
    care.keep()
    return fact in care.text("USER.md")


@pytest.mark.parametrize(("fact", "later"), PAIRS)
def test_what_a_later_log_names_is_not_proposed(care: CareDesk, fact: str, later: str) -> None:
    care.note(OLD, f"Owner: {fact}")
    care.note(NEW, f"Owner: {later}", category="event")
    assert not proposed(care, fact)


@pytest.mark.parametrize(("fact", "later"), ON_TWO_DAYS)
def test_what_was_noted_twice_and_then_ended_is_not_proposed(care: CareDesk, fact: str, later: str) -> None:
    for day in ("2026-02-01", OLD):
        care.note(day, f"Owner: {fact}")
    care.note(NEW, f"Owner: {later}", category="general")
    assert not proposed(care, fact)


def noted(care: CareDesk, fact: str) -> None:
    """Note a fact as often as it takes to be proposed."""
    for day in (OLD,) if standing_kind(fact) else ("2026-02-01", OLD):
        care.note(day, f"Owner: {fact}")


@pytest.mark.parametrize(("fact", "later"), [*ENDED, *ENDED_IN_EVERYDAY_WORDS])
def test_what_a_later_log_may_end_is_not_proposed(care: CareDesk, fact: str, later: str) -> None:
    noted(care, fact)
    care.note(NEW, f"Owner: {later}", category="event")
    assert not proposed(care, fact)


@pytest.mark.parametrize(("fact", "later"), STILL_SO)
def test_a_later_log_of_everyday_life_ends_nothing(care: CareDesk, fact: str, later: str) -> None:
    noted(care, fact)
    care.note(NEW, f"Owner: {later}", category="event")
    assert proposed(care, fact)


@pytest.mark.parametrize("fact", [fact for fact, _ in PAIRS])
def test_what_no_later_note_names_is_proposed(care: CareDesk, fact: str) -> None:
    care.note("2026-01-10", f"Owner: {fact}, so far", category="event")  # what was said before is no later note
    care.note(OLD, f"Owner: {fact}")
    care.note(NEW, *UNRELATED, category="event")
    assert proposed(care, fact)


@pytest.mark.parametrize("fact", [fact for fact, _ in ON_TWO_DAYS])
def test_what_was_noted_twice_and_not_named_again_is_proposed(care: CareDesk, fact: str) -> None:
    for day in ("2026-02-01", OLD):
        care.note(day, f"Owner: {fact}")
    care.note(NEW, *UNRELATED, category="event")
    assert proposed(care, fact)


ROSA, DEAD = "My grandmother Rosa lives with us", "Rosa died this morning"


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("MEMORY.md", f"# Memory\n\n- {DEAD} ({NEW})\n"),
        ("MEMORY.md", f"# Memory\n\n## What happened\n{DEAD}\n"),  # without a day: it may be the newer one
        ("USER.md", f"# About you\n\n- {DEAD}\n"),
        ("memory/archive.md", f"# Memory Log: {NEW}\n\n## [10:00:00] event\n\n{DEAD}\n"),
        (f"memory/{TODAY}.md", f"# Memory Log: {TODAY}\n\n## [08:00:00] event\n\n{DEAD}\n"),
        (f"memory/{NEW}.md", f"# Memory Log: {NEW}\n\n## [08:00:00] todo @2026-12-24 ✓\n\n{DEAD}\n"),
        (f"memory/{NEW}.md", f"# Memory Log: {NEW}\n\n## [08:00:00] event\n\nPet: I am sorry that {DEAD}\n"),
        (f"memory/{NEW}.md", f"# {NEW}\n\nA long day. {DEAD}.\n"),  # written by hand
        ("memory/2026-11-22.md", f"# 2026-11-22\n\n{DEAD}.\n"),  # already tomorrow where it was written
    ],
)
def test_a_later_note_of_any_kind_counts(care: CareDesk, file: str, text: str) -> None:
    care.note(OLD, f"Owner: {ROSA}")
    care.put(file, text)
    care.keep()
    assert ROSA not in care.text("USER.md")


def test_of_one_days_notes_the_later_one_counts(care: CareDesk) -> None:
    care.note(OLD, f"Owner: {ROSA}", f"Owner: {DEAD}")
    care.note("2026-03-03", "Owner: Ben never eats gluten, his doctor says", "Owner: Ben is allergic to hazelnuts")
    assert not proposed(care, ROSA)
    assert "Ben is allergic to hazelnuts (2026-03-03)" in care.text("USER.md")
    assert "gluten" not in care.text("USER.md")


def test_an_earlier_note_in_memory_md_ends_nothing(care: CareDesk) -> None:
    care.put("MEMORY.md", "- Rosa was in hospital (2026-01-05)\n")
    care.note(OLD, f"Owner: {ROSA}")
    assert proposed(care, ROSA)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Allergic to hazelnuts", "Allergic to kiwi"),
        ("我对花生过敏", "我对虾过敏"),
        ("Soy alérgica al polen", "Soy alérgica al kiwi"),
    ],
)
def test_another_allergy_does_not_end_one(care: CareDesk, one: str, other: str) -> None:
    care.note(OLD, f"Owner: {one}")
    care.note(NEW, f"Owner: {other}")
    care.keep()
    assert one in care.text("USER.md") and other in care.text("USER.md")


@pytest.mark.parametrize("later", ["Allergic to nothing", "Not allergic to hazelnuts", "我对什么都不过敏"])
def test_the_denial_of_an_allergy_ends_it(care: CareDesk, later: str) -> None:
    care.note(OLD, "Owner: Allergic to hazelnuts", "Owner: 我对花生过敏")
    care.note(NEW, f"Owner: {later}")
    care.keep()
    assert "hazelnuts" not in care.text("USER.md").replace(later, "")
    assert "花生" not in care.text("USER.md")
