"""Claim patterns for English, one clause at a time. Pure.

Each pattern is one form: past, future, progressive, "noted", "it's in my memory". Its context is then checked for
what negates it (a condition, a doubt, a memory of long ago).
"""

from __future__ import annotations

import re

from pet.engine.claim_detection.sentences import QUOTED, Clause
from pet.text.lazy_pattern import lazy_pattern


def _any(words: str) -> str:
    """Match one of the words; an underscore stands for a space."""
    return f"(?:{'|'.join(words.split()).replace('_', ' ')})"


def _pattern(*parts: str) -> re.Pattern[str]:
    return lazy_pattern("|".join(parts), re.IGNORECASE)


ENGLISH_HINT = _pattern(
    r"not(?:ed|es?|ing)\b|sav(?:ed|e|ing)|stor(?:ed|e|ing)|record|remember|memor|jot|writ|wrote|scribbl|logg"
    r"|log\b|mind\b|forget",
    r"file|profile|heart|down\b|consider|part of|locked|added|updat|tuck|track|brain|learn",
)

_PETS = _any("kitty kitten cat pup puppy dog fox bunny dragon owl hamster robot bot pet companion")
_I = rf"(?:\bi|\bwe|\b(?:this|your) (?:{_any('little humble faithful loyal fluffy')} )?{_PETS})"
_ADVERB = _any(
    """now just already also safely carefully gladly happily duly always definitely certainly surely totally
    absolutely
    gone_ahead_and went_ahead_and go_ahead_and made_sure_to make_sure_to make_sure_i be_sure_to try_to
    do_my_best_to do
    all both officially promptly quickly properly permanently dutifully faithfully quietly hereby even long_since
    forever
    right_away of_course indeed only personally never_ever ever too neatly lovingly fully finally successfully
    immediately"""
)
_ADVERBS = rf"(?:{_ADVERB} ){{0,4}}"
_PLACE = (
    rf"(?:{_any('my your our the this today.s long-term long_term permanent')} )?"
    rf"(?:{_any('own little long-term daily memory user personal')} )?"
    + _any(
        r"""memory memories brain notes? notebook notepad log diary journal profile records?\b(?!_as\b) heart mind
        head
        files?\b(?!_?(?:is|was)) memory\.md user\.md soul\.md memory/\S{1,20} list_of"""
    )
)
_THINGS = _any(
    """dates? times? names? address birthday numbers? details? information info facts? preferences? appointments?
    changes? recipes? plans? deadlines? meetings? exams? events? updates? nickname allergy entry entries reminder"""
)
_IT = (
    rf"(?:it|that|this|them|these|those|everything|both|all|your|you\b(?! {_any('a an some the')}\b)|the {_THINGS}"
    rf"|the new|{QUOTED}|new|a new|one|down)"
)
_INTO = _any("in into to on onto under")
_NOTE = (
    rf"(?:a|an|another|myself a)? ?(?:\w+ )?{_any('notes? records? memory')}"
    r"(?! (?:on (?:the|your|chapter)|about how))"
)
_OWN_TEXTS = rf"(?:\w+ )?{_any('memory memories notes profile records? entry entries preferences details')}"

_NOTED = (
    rf"(?:{_any('noted memori[sz]ed jotted logged etched engraved registered bookmarked scribbled')}|made {_NOTE}"
    rf"|(?:taken|took) (?:careful |good )?notes?(?! on (?:the|your))|committed (?:\S+ ){{1,6}}to memory"
    rf"|added (?:a|another) (?:new )?{_any('note entry line')}|learn(?:ed|t) (?:\S+ ){{0,4}}by heart"
    r"|taken (?:\S+ ){1,4}to heart)"
)
_KEPT = _any("saved stored recorded remembered kept archived filed captured documented preserved")
_PUT = _any(
    """put set added written wrote tucked entered placed popped slipped pinned locked stashed included stuck moved
    filed saved stored recorded logged kept"""
)
_DONE = _pattern(
    rf"{_I}(?:'ve| have|'s| has| did|'d)? ?{_ADVERBS}(?:{_NOTED}\b"
    rf"|{_KEPT}(?: down)?(?= {_IT}| {_any('in to for under as how what who where when which')}\b|\W*$)"
    rf"|{_PUT} (?:\S+ ){{0,9}}?(?:down\b|away\b|{_INTO} {_PLACE})"
    r"|made sure to (?:save|note|record|remember|store|log) (?:it|that|this|your|everything)"
    rf"|made sure (?:\S+ ){{1,8}}?(?:is|are|gets) {_KEPT}\b"
    rf"|(?:updated|amended|corrected|extended) (?:(?:my|your|the) {_OWN_TEXTS}|\S+ in {_PLACE}|(?:memory|user)\.md))"
)
_GOT = _pattern(
    rf"(?:got|have) (?:it|that|this|your \S+(?: \S+){{0,3}}|everything|all of (?:it|that)) (?:all )?(?:down\b(?! to)"
    rf"|{_any('written saved stored noted recorded jotted memori[sz]ed locked logged safe_in')}|in (?:my"
    rf"|the) {_PLACE})"
)
_WHAT = (
    rf"(?:{QUOTED}+|\b{_any('it that this everything these those both they')}|\ball of (?:it|that|this)"
    rf"|\byour (?:\S+ ){{1,10}}?|\b(?:the|that|this) (?:\S+ ){{1,8}}?|\b(?:memory|memories|profile|note|{_THINGS}))"
)
_IS_KEPT = _pattern(
    rf"{_WHAT} ?(?:'s|'re|'s been| ?{_any('is are was were goes went has_been have_been')})(?: |$){_ADVERBS}(?:"
    rf"(?:{_NOTED}|{_any('saved stored recorded remembered archived written_down filed kept_safe locked tucked')}"
    rf"|safe and sound)\b(?! (?:by|from|the day)\b)"
    rf"|{_any('added written put entered tucked safe secure stored safely in into on part_of')}"
    rf" (?:\S+ ){{0,4}}?{_PLACE}"
    r"|updated\b|added(?=\W*$)|on record\b(?! as)|on file\b)"
)
_INTERJECTION = _any(
    r"""ok okay okie okey okidoki oki got_it got_that gotcha sure yes yep yup yay aye alright all_right right done
    great
    cool and roger roger_that understood perfect purr\w* m+rr?\w* me+ow\w* nya+\w* hehe\w* haha\w* heehee ooh+ oh
    ah+ aw+
    wow thanks thank_you of_course no_problem so then there it squeak woof arf beep boop certainly absolutely hmm+ mm+
    noted sir boss captain ma'am master now duly all already safely consider_it consider_that consider_this officially
    mentally mental_note very_well good lovely wonderful sweet also just well very have been carefully successfully"""
)
_BARE_START = rf"^\W*(?:{_INTERJECTION} ){{0,5}}"
_BARE = _pattern(
    rf"{_BARE_START}(?:noted|memori[sz]ed)(?=\W*$|"
    rf" {_any('that with and down for in on as you your it this already now sir boss my too everything')}\b)",
    rf"{_BARE_START}{_any('saved recorded stored logged remembered archived filed registered jotted')}(?=\W*$|"
    rf" {_any('to in into for it that this as under and down away now your on everything already my with')}\b)",
    _BARE_START
    + _any(
        """tucked locked written wrote put added popped stashed scribbled pinned entered placed adding writing putting
        saving noting jotting scribbling storing logging recording"""
    )
    + rf" (?:\S+ ){{0,8}}?(?:down\b|away\b|{_INTO} {_PLACE})",
    rf"{_BARE_START}{_any('saving noting jotting recording storing memori[sz]ing remembering')} (?:it|that|this"
    rf"|your)\b",
    rf"{_BARE_START}(?:committ(?:ed|ing) (?:\S+ ){{0,5}}to memory|locked in\b|(?:made|making) a (?:\w+ )?note"
    rf"|taking (?:a )?notes?\b|taken note\b|mental note made|updated (?:my|your) {_OWN_TEXTS})",
    rf"{_BARE_START}(?:your |new )?(?:memory|memories|profile|notes?|records?|log|{_THINGS})"
    rf" {_any('updated noted remembered logged saved added stored made taken recorded')}\b",
    rf"{_BARE_START}{_any('will gonna going_to shall')} {_ADVERBS}(?:remember|(?:not|never) forget"
    r"|keep (?:it |that |this )?in mind|(?:note|save) (?:it|that|this))\b",
    rf"{_BARE_START}(?:won't|never) forget(?:ting)? (?:it|that|this)\b",
    rf"{_BARE_START}(?:in my (?:memory|notes|notebook)(?: now)?|on (?:the )?record)\W*$",
)
_ACTION = _pattern(  # actions between asterisks
    rf"^\W*(?:(?:\w+ ){{0,3}}and )?(?:{_any('carefully quickly happily eagerly quietly')} )?"
    rf"{_any('writes jots scribbles notes scrawls types saves stores tucks files commits etches records engraves')} "
    rf"(?:it|that|this|your \S+(?: \S+)?|everything|the \S+(?: \S+)?|{QUOTED}+|in)"
    rf"(?: {_any('down away up safely carefully neatly')})*(?=\W*$| {_any('in into to on for and with under')} )",
    r"^\W*(?:takes|makes) (?:a |careful |diligent |quick |little )*(?:mental )?notes?\b",
    r"^\W*(?:scribbles|scribbling|jots|writes)(?: \S+){0,3} (?:down|note|notes|notebook|memory)\b",
)
_FUTURE = _pattern(
    rf"{_I}(?:'ll|'m sure to|'m gonna| {_any('will shall gonna am_going_to promise_to promise_i.ll vow_to swear_to')}"
    rf"|'m going to|'ve got to| promise i will) {_ADVERBS}"
    r"(?:remember\b(?! (?:when|the (?:time|day)) we)"
    r"|(?:not|never) (?:ever )?forget\b(?! (?:the|that) (?:time|day|look|way|face)|,? how we)"
    rf"|keep (?:(?:\S+ ){{1,8}}?in {_PLACE}|(?:a |careful |good )?(?:note|record|track)\b)"
    rf"|bear (?:\S+ ){{1,6}}?in mind"
    rf"|hold (?:on to|onto) (?:it|that|this)|hold (?:it|that|this) (?:dear|close)|make {_NOTE}"
    rf"|take (?:careful |good )?note|note (?:it|this|that down|that you|that your|your|down|{QUOTED})"
    rf"|(?:write|jot|put|get) (?:\S+ ){{1,6}}?down|{_any('save store record log archive memori[sz]e')} {_IT}"
    rf"|{_any('add put write save tuck enter store record keep commit file log')} (?:\S+ ){{1,9}}?{_INTO} {_PLACE}"
    r"|have (?:it|that|this) (?:in mind|noted|saved)|treasure (?:it|that|this)|know (?:it|that) (?:next time"
    r"|from now on)"
    rf"|update (?:my|your) {_OWN_TEXTS}|tuck (?:\S+ ){{1,6}}?away)"
)
_NEVER = _pattern(
    rf"{_I} (?:won't|will not|shan't|could never|can't ever|promise not to|never) (?:ever |be "
    rf"|going to )?forget(?:ting)?\b"
    r"(?! (?:a|the|that|our|how) (?:face|time|day|look|way|we)|,? how we)"
)
_NOW = _pattern(
    rf"(?:{_I}(?:'m| am| are|'re)|\blet me|\blemme|\ballow me to) {_ADVERBS}(?:"
    rf"{_any('writ(?:ing|e) jot(?:ting)? scribbl(?:ing|e) put(?:ting)? get(?:ting)?')} (?:\S+ ){{1,8}}?down\b"
    r"|(?:not|sav|stor|memori[sz]|archiv|record|logg|remember)(?:ing|e)? (?:it|this|your|down|everything"
    rf"|that(?! {_any('there this the it in a some most many')}\b)|{QUOTED})|(?:mak|tak)(?:ing|e) {_NOTE}"
    rf"|(?:add|put|writ|sav|tuck|stor|committ?|keep|fil|enter|log|record)(?:t?ing"
    rf"|e)? (?:\S+ ){{1,9}}?{_INTO} {_PLACE}"
    rf"|updat(?:ing|e) (?:my|your) {_OWN_TEXTS})"
)
_IN_MIND = _pattern(
    r"\bconsider (?:it|that|this|your \S+(?: \S+)?) (?:\w+ )?"
    + _any("noted saved remembered recorded logged memori[sz]ed filed written locked stored committed"),
    rf"\b{_any('is are .s now stored safe stays? living lives? kept saved locked tucked_away')} (?:\w+ ){{0,3}}"
    rf"in (?:my|the) (?:\w+ )?{_any('memory notes notebook diary journal log heart')}\b",
)
_WAYS = (_DONE, _GOT, _IS_KEPT, _BARE, _ACTION, _FUTURE, _NEVER, _NOW, _IN_MIND)
_OF_THINGS = (_DONE, _IS_KEPT, _BARE)  # also used of files, games and other people

_CONDITION = _pattern(
    rf"\b{_any('if unless once whether until till as_soon_as as_long_as in_case whenever provided suppose imagine')}"
    r"\b|\bbefore\b|\bwhen (?:you|the brain|memory|my memory|it is|it's)\b|\bnext time you\b",
    r"\bwith (?:the brain|memory) (?:switched |turned )?on\b",
)
_CONDITION_AFTER = _pattern(
    r"^\W*(?:\w+ ){0,6}\b(?:if|unless|once|as soon as|as long as|provided|when you (?:turn|switch)|only when"
    r"|but only)\b",
    r"\b(?:if you|unless you|once you|as soon as you|when you turn)\b",
    rf"\b{_any('in for during within throughout while until_the_end_of only_in just_for only_for')}"
    rf" (?:the rest of )?{_any('this our the_current the')} (?:\w+ )?{_any('chat conversation session tab talk')}\b",
    r"\bwhile we (?:talk|chat)\b|\bfor (?:now|the moment) only\b",
)
_DOUBT_BEFORE = _pattern(
    r"\b"
    + _any(
        r"""not \w+n't never no nothing nobody without cannot wish hope hoping as what everything anything
        something things
        whatever which whether if how who where why like than doubt unsure sure claim claimed say said saying says
        pretend
        would could should might may ask asked wonder forgot failed unable think thought sworn when while after until
        the_(?:\w+_)?(?:notes?|entry|entries|ones?|thing|file|list|bit|part|time|day|version)"""
    )
    + r"(?: (?:that|to|if|whether|all))? $"
)
_LONG_AGO = _pattern(
    rf"\blast {_any('week month year night time spring summer autumn fall winter')}\b|\blast \w+day\b|\byesterday\b",
    r"\b(?:hours|days?|weeks?|months?|years?) ago\b|\bback (?:then|in|when)\b|\bthe other day\b|\bused to\b|\bonce\b",
    r"\bwhen (?:we|you) (?:first|were|told|met)\b|\b(?:earlier|previously|before|a while ago|long ago)\b",
    rf"\bin {_any('january february march april may june july august september october november december')}\b",
    r"\bthat (?:day|night|time)\b",
)
_OTHERS_THINGS = _pattern(
    r"\b"
    + _any(
        """files? documents? games? changes drafts? pictures? photos? village world princess money energy code
        progress
        settings town day planet work essay pages? video app checkpoint config project spreadsheet screenshot seat
        slice
        cookie scores? words? story data table server system script function ship account typos?
        mistakes? issues? problems? errors?"""
    )
    + r"\b"
)
_ON_DISK = _pattern(
    r"^ (?:locally|automatically|encrypted|in (?:plain|files?))\b",
    r"^ on (?:your|this|the) (?:computer|disk|machine|device|phone|laptop|drive)\b",
)


def claims_in_english(clause: Clause) -> bool:
    """Whether the clause claims that something was or will be remembered."""
    return not clause.asks and any(
        _stands_in_english(clause, found, way) for way in _WAYS if (found := way.search(clause.text)) is not None
    )


def _stands_in_english(clause: Clause, found: re.Match[str], way: re.Pattern[str]) -> bool:
    before, said, after = clause.text[: found.start()], found.group(), clause.text[found.end() :]
    if _CONDITION.search(clause.before) or _CONDITION.search(before) or _DOUBT_BEFORE.search(before):
        return False
    if _CONDITION_AFTER.search(after + clause.after) or _ON_DISK.search(after):
        return False
    if way in (*_OF_THINGS, _GOT) and _LONG_AGO.search(clause.text):
        return False
    if way in _OF_THINGS and "memory" not in clause.text.lower():
        return not _OTHERS_THINGS.search(said.replace("on file", "") + after[:40])
    return True
