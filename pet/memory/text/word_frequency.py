"""How often words stand in notes of anybody, for memories too small to tell by themselves; pure.

In a memory of ten notes nearly every word occurs once and looks rare. So a small memory is counted as if it were one
of ``FEW`` notes, of which those that are missing hold words as often as people use them. Owns the lists: the
commonest Chinese characters and English words (those that name nothing at all are in ``stopwords``), from memory of
the usual frequency lists; nothing depends on the exact rank.
"""

from __future__ import annotations

from pet.memory.text.stem import stem
from pet.memory.text.tokenize import is_cjk

FEW = 300  # notes: the size from which a memory's own counts are enough
USUAL_WORD = 0.01  # a word that at least so much of notes holds is one that everybody uses

_CHARACTERS = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然"
    "家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日者意无力它与长把机"
    "十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应向头文体美相见被利什二等产或新己制身果加西月"
    "话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活更别打女变"
    "四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直资命山金指许统区保至队形社便空决治展马科司五基眼书"
    "非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切"
    "院让识候带导争运吃喝睡叫早晚昨周午岁号姓字钱买爱喜欢谁哪吗呢吧啊妈爸哥姐弟妹朋友车饭店菜上班假累快慢热冷雨"
)
_ENGLISH = """
go went know think want like love good nice great new old big little day today tomorrow yesterday week
weekend month year time morning evening night work working job home house place thing people person man
woman friend friends family mother father mom dad brother sister son daughter child kid kids name call called
make made take took get got give gave come came say said tell told talk ask see saw look find found feel felt
need use try start started keep help live lived stay eat food drink water buy bought pay money play game book
read write watch film movie music song car bike bus train trip travel city country school study learn lot
really very best better bad first last next long short right left way back never always often ever still
happy sad tired busy sick birthday party phone number
"""
_WORDS = frozenset(map(stem, _ENGLISH.split()))


def prior_frequency(token: str) -> float:
    """In what part of short notes the token stands, roughly (0..1)."""
    if not is_cjk(token):
        return 0.03 if token in _WORDS else 0.003
    if len(token) == 1:
        return 0.12 if token in _CHARACTERS else 0.01
    return 0.01 if all(character in _CHARACTERS for character in token) else 0.001
