"""What is claimed and asked for in English; pure. Owns the patterns, refuses to look at more than one clause."""

from __future__ import annotations

import re

from pet.engine.claims.sentences import Clause

HINT = re.compile(
    r"not(?:ed|e|ing)\b|sav(?:ed|e|ing)|stor(?:ed|e|ing)|record|remember|memor|jot|writ|wrote|scribbl|logg|log\b"
    r"|mind\b|forget"
    r"|notes?\b|file|profile|heart|down\b|consider|part of|locked|added|updat|tuck|brain|learn",
    re.IGNORECASE,
)

_ADVERBS = (
    r"(?:(?:now|just|already|also|safely|carefully|gladly|happily|duly|always|definitely|certainly|surely|totally"
    r"|absolutely"
    r"|gone ahead and|went ahead and|made sure to|make sure to|be sure to|try to|do my best to|do|all|both|officially"
    r"|promptly|quickly|properly|permanently|dutifully|faithfully|quietly|hereby|even|long since|right away|of course"
    r"|indeed|only just|forever|personally|go ahead and|make sure i|never ever|ever|too|neatly|lovingly|only|fully"
    r"|finally|successfully|immediately|certainly) ){0,4}"
)
_ME = (
    r"(?:\bi|\bwe|\bthis (?:little |humble |fluffy )?(?:kitty|kitten|cat|pup|puppy|dog|fox|bunny|dragon|owl|hamster"
    r"|bot)"
    r"|\byour (?:little |humble |faithful |loyal |fluffy )?(?:kitty|kitten|cat|pup|puppy|dog|fox|bunny|dragon|owl"
    r"|hamster"
    r"|pet|companion))"
)
_PLACE = (
    r"(?:my|your|our|the|today's|long[- ]term|permanent|this)?(?: own| little| long-term| daily| memory| user"
    r"| personal)?"
    r" ?(?:memory|memories|memory bank|brain|notes?|notebook|notepad|log|diary|journal|profile|records?"
    r"|files?\b(?! ?(?:is|was))"
    r"|memory\.md|user\.md|soul\.md|memory/\S{1,20}|heart|mind|memory ?(?:box|palace|vault|chest|book)|head|list of)"
)
_IT = (
    r"(?:it|that|this|them|these|those|everything|both|all|your|you\b(?! (?:a|an|some|the)\b)|the (?:date|time|name"
    r"|address|birthday|number"
    r"|detail|information|info|fact|preference|appointment|change|recipe|plan|deadline|meeting|exam|event|update)s?"
    r"|the new"
    r"|\ufffc|new|a new|one|down)"
)
_STRONG = (
    r"(?:noted|memori[sz]ed|jotted|logged|made (?:a|myself a|another) (?:\w+ )?note|taken (?:careful |good )?note"
    r"|took (?:careful |good )?note|made (?:a )?(?:mental )?notes?|made (?:a )?records?"
    r"|committed (?:\S+ ){1,6}to memory"
    r"|learn(?:ed|t) (?:\S+ ){0,4}by heart|etched|engraved|registered|bookmarked|scribbled)"
)
_KEPT = r"(?:saved|stored|recorded|remembered|kept|archived|filed|captured|documented|preserved)"
_PUT = (
    r"(?:put|added|written|wrote|tucked|entered|placed|popped|slipped|pinned|locked|stashed|included|stuck|moved"
    r"|filed|saved|stored|recorded|logged)"
)
_DONE = re.compile(
    rf"{_ME}(?:'ve| have|'s| has| did|'d)? ?{_ADVERBS}"
    rf"(?:{_STRONG}\b|{_KEPT}(?: down)?(?= {_IT}| (?:in|to|for|under|as|how|what|who|where|when|which)\b|\s*$|\W*$)"
    rf"|{_PUT} (?:\S+ ){{0,9}}?(?:down\b|away\b|(?:in|into|to|on|onto|under) {_PLACE})"
    rf"|updated (?:my|your|the) (?:\w+ )?(?:memory|memories|notes|profile|records?|entry|entries|file|preferences"
    rf"|details)"
    rf"|updated \S+ in {_PLACE}|updated (?:memory|user)\.md)",
    re.IGNORECASE,
)
_GOT = re.compile(
    rf"(?:{_ME}(?:'ve| have)? )?(?:got|have) (?:it|that|this|your \S+(?: \S+){{0,3}}|everything|all of (?:it"
    rf"|that)) (?:all )?"
    rf"(?:written|saved|stored|noted|recorded|jotted|memori[sz]ed|locked|logged|down\b|safe in|in (?:my"
    rf"|the) (?:memory|notes))",
    re.IGNORECASE,
)
_WHAT = (
    r"(?:\ufffc+|\b(?:it|that|this|everything|all of (?:it|that|this)|these|those|both|they)|\byour (?:\S+ ){1,10}?"
    r"|\b(?:the"
    r"|that|this) (?:\S+ ){1,8}?"
    r"|\b(?:memory|memories|profile|note|preference|preferences|information|info|name|date|nickname))"
)
_IS_KEPT = re.compile(
    rf"{_WHAT} ?(?:'s|'re| ?is| ?are| ?has been| ?have been|'s been| ?was| ?were| ?goes| ?went)(?: |$){_ADVERBS}"
    rf"(?:(?:{_STRONG}|saved|stored|recorded|remembered|archived|written down|filed|kept safe|locked|tucked"
    rf"|safe and sound)\b"
    rf"(?! (?:by|from|the day)\b)"
    rf"|(?:added|written|put|entered|tucked|safe|secure|straight|stored|safely|in|into|on|part of"
    rf"|now part of) (?:\S+ ){{0,4}}?{_PLACE}"
    rf"|updated\b|on record\b|on file\b)",
    re.IGNORECASE,
)
_OTHERS_THINGS = re.compile(
    r"\b(?:file|files|document|documents|game|games|changes|draft|drafts|picture|pictures|photo|photos|village|world"
    r"|princess"
    r"|money|energy|code|progress|settings|town|day|planet|work|essay|page|pages|video|app|checkpoint|config|project"
    r"|spreadsheet|screenshot|seat|slice|cookie|score|word|words|story|data|table|app|server|system|script|function"
    r"|ship)\b",
    re.IGNORECASE,
)
_INTERJECTION = (
    r"(?:(?:ok|okay|okie|okey|okidoki|okey[- ]dokey|got (?:it|that)|gotcha|sure|yes|yep|yup|yay|aye|alright"
    r"|all ?right|right|done|great"
    r"|cool|and|roger(?: that)?|understood|perfect|purr\w*|m+rr?\w*|me+ow\w*|nya+\w*|hehe\w*|haha\w*|heehee|ooh+|oh"
    r"|ah+|aw+|wow|thanks|thank you|of course|no problem"
    r"|so|then|there|it|squeak|woof|arf|beep|boop|certainly|absolutely|hmm+|mm+|noted|sir|boss|captain|ma'am|master"
    r"|now|duly|all|already"
    r"|safely|consider (?:it|that|this)|officially|mentally|mental note|very well|good|lovely|wonderful|sweet|also"
    r"|just"
    r"|well|very|have|been|carefully|successfully) ){0,5}"
)
_BARE = re.compile(
    rf"^\W*{_INTERJECTION}(?:"
    r"(?:noted|memori[sz]ed)(?=\W*$| (?:that|with|and|down|for|in|on|as|your?|it|this|nya\w*|already|now|sir|boss|my"
    r"|too|everything|everyone)\b)"
    r"|(?:saved|recorded|stored|logged|remembered|archived|filed|registered|jotted)(?=\W*$| (?:to|in|into|for|it"
    r"|that|this|as|under|and|down|away|now|your|on|everything|nya\w*|already|safely|my|with)\b)"
    rf"|(?:tucked|locked|written|wrote|put|added|popped|stashed|scribbled|pinned|entered|placed|adding|writing"
    rf"|putting|saving|noting|jotting|scribbling|storing|logging|recording) (?:\S+ ){{0,8}}?(?:down\b|away\b|(?:in"
    rf"|into|to|onto|on) {_PLACE})"
    r"|(?:saving|noting|jotting|recording|storing|memori[sz]ing|remembering) (?:it|that|this|your)\b"
    r"|committ(?:ed|ing) (?:\S+ ){0,5}to memory|locked in\b|made (?:a|myself a) (?:\w+ )?note|taking (?:a )?notes?\b"
    r"|taken note\b"
    r"|making (?:a|myself a) (?:\w+ )?note|mental note made"
    r"|updated (?:my|your) (?:\w+ )?(?:memory|notes|profile|records?)|(?:memory|memories|profile|notes?|records?"
    r"|preferences?|dates?|names?|nickname|address|birthday|allergy|details?|info|information|facts?|entry|reminder"
    r"|log) (?:updated|saved|added|stored|made|taken|recorded)"
    r"|(?:will|gonna|going to|shall|won't|will definitely|will always) (?:definitely |always |never |be sure to "
    r"|make sure to |do )?"
    r"(?:remember|not forget|never forget|forget|keep (?:it|that|this) in mind|keep in mind|note (?:it|that|this)"
    r"|save (?:it|that|this))\b"
    r"|in my (?:memory|notes|notebook)(?: now)?\W*$|on (?:the )?record\W*$)",
    re.IGNORECASE,
)
_ACTION = re.compile(
    r"^\W*(?:(?:\w+ ){0,3}and )?(?:carefully |quickly |happily |eagerly |quietly )?(?:writes|jots|scribbles|notes"
    r"|scrawls|types|saves|stores|tucks|files|commits|etches|records|engraves) "
    r"(?:it|that|this|your \S+(?: \S+)?|everything|the \S+(?: \S+)?|\ufffc+|in)(?: (?:down|away|up|safely|carefully"
    r"|neatly))*(?=\W*$| (?:in|into|to|on|for|and|with|under) )"
    r"|^\W*(?:takes|makes) (?:a |careful |diligent |quick |little )*(?:mental )?notes?\b|^\W*(?:scribbles|scribbling"
    r"|jots|writes)(?: \S+){0,3} (?:down|note|notes|notebook|memory)\b",
    re.IGNORECASE,
)
_FUTURE = re.compile(
    rf"{_ME}(?:'ll| will| shall|'m going to| am going to|'m gonna| gonna| promise to| promise i'll| promise i will"
    rf"| vow to|'m sure to| swear to|'ve got to) "
    rf"{_ADVERBS}(?:remember\b(?! (?:when|the (?:time|day)) we)|(?:not|never) (?:ever )?forget\b(?! (?:the"
    rf"|that) (?:time|day|look|way|face)|,? how we)"
    rf"|keep (?:(?:\S+ ){{1,8}}?in (?:my )?(?:mind|memory|heart|head|notes)|(?:a |careful |good )?(?:note|record"
    rf"|track)\b)"
    rf"|bear (?:\S+ ){{1,6}}?in mind|hold (?:on to|onto) (?:it|that|this)|hold (?:it|that|this) (?:dear|close)"
    rf"|make (?:a|myself a) (?:\w+ )?note|take (?:careful |good )?note|note (?:it|this|that down|that you|that your"
    rf"|your|down|\ufffc)"
    rf"|(?:write|jot|put|get) (?:\S+ ){{1,6}}?down|(?:save|store|record|log|archive|memori[sz]e) {_IT}"
    rf"|(?:add|put|write|save|tuck|enter|store|record|keep|commit|file|log) (?:\S+ ){{1,9}}?(?:in|into|to"
    rf"|on) {_PLACE}"
    rf"|have (?:it|that|this) (?:in mind|noted|saved)|treasure (?:it|that|this)|know (?:it|that) (?:next time"
    rf"|from now on)"
    rf"|update (?:my|your) (?:\w+ )?(?:memory|notes|profile|records?)|tuck (?:\S+ ){{1,6}}?away)",
    re.IGNORECASE,
)
_NEVER = re.compile(
    rf"{_ME} (?:won't|will not|shan't|could never|can't ever|promise not to|never) (?:ever |be |going to )?(?:forget"
    rf"|forgetting)\b"
    r"(?! (?:a|the|that|our|how) (?:face|time|day|look|way|we)|,? how we)",
    re.IGNORECASE,
)
_NOW = re.compile(
    rf"(?:{_ME}(?:'m| am| are|'re)|\blet me|\blemme|\ballow me to) {_ADVERBS}"
    rf"(?:(?:writ(?:ing|e)|jot(?:ting)?|scribbl(?:ing|e)|put(?:ting)?|get(?:ting)?) (?:\S+ ){{1,8}}?down"
    rf"|(?:noting|note|sav(?:ing|e)|stor(?:ing|e)|record(?:ing)?|logg(?:ing)|memori[sz](?:ing|e)|remembering"
    rf"|archiv(?:ing|e)) (?:it|this|that(?! (?:there|this|the|it|in|a|some|most|many)\b)|your|down|everything|\ufffc)"
    rf"|(?:mak(?:ing|e)|tak(?:ing|e)) (?:a|myself a|careful|good)? ?(?:\w+ )?notes?\b(?! about how)"
    rf"|(?:add(?:ing)?|put(?:ting)?|writ(?:ing|e)|sav(?:ing|e)|tuck(?:ing)?|stor(?:ing|e)|committ(?:ing)|commit"
    rf"|fil(?:ing|e)|enter(?:ing)?|log(?:ging)?|record(?:ing)?) (?:\S+ ){{1,9}}?(?:in|into|to|on) {_PLACE}"
    rf"|updat(?:ing|e) (?:my|your) (?:\w+ )?(?:memory|notes|profile|records?))",
    re.IGNORECASE,
)
_IN_MIND = re.compile(
    r"(?:\bconsider (?:it|that|this|your \S+(?: \S+)?) (?:\w+ )?(?:noted|saved|remembered|recorded|logged"
    r"|done and noted|memori[sz]ed"
    r"|filed|written|locked|stored|committed)"
    r"|\b(?:is|are|'s|now|stored|safe|stays?|living|lives?|kept|saved|locked|tucked away) (?:\w+ ){0,3}in (?:my"
    r"|the) (?:\w+ )?(?:memory|notes|notebook|memory ?bank|diary|journal|log|heart)\b)",
    re.IGNORECASE,
)

_PATTERNS = (_DONE, _GOT, _IS_KEPT, _BARE, _ACTION, _FUTURE, _NEVER, _NOW, _IN_MIND)

_CONDITION = re.compile(
    r"\b(?:if|unless|once|whether|until|till|as soon as|as long as|in case|whenever|provided|suppose|imagine|pretend"
    r"|before)\b"
    r"|\bwhen (?:you|the brain|memory|my memory|it is|it's)\b|\bwith (?:the brain|memory) (?:switched |turned )?on\b"
    r"|\bnext time you\b",
    re.IGNORECASE,
)
_CONDITION_AFTER = re.compile(
    r"^\W*(?:(?:\w+ ){0,6})\b(?:if|unless|once|as soon as|as long as|provided|when you (?:turn|switch)|only when"
    r"|but only)\b"
    r"|\b(?:if you|unless you|once you|as soon as you|when you turn)\b"
    r"|\b(?:in|for|during|within|throughout|until the end of|while|only in|just for|only for) (?:the rest of "
    r"|as long as )?(?:this|our|the current|the)"
    r" (?:\w+ )?(?:chat|conversation|session|tab|talk)\b|\bwhile we (?:talk|chat)\b|\bfor now only\b"
    r"|\bfor the moment only\b",
    re.IGNORECASE,
)
_UNSURE_BEFORE = re.compile(
    r"(?:\b(?:not|n't|n't|never|no|nothing|nobody|without|cannot|can't|wish|hope|hoping|as|what|everything|anything"
    r"|something|things|whatever"
    r"|which|whether|if|how|who|where|why|like|than|doubt|unsure|sure|claim|claimed|say|said|saying|says|pretend"
    r"|would|could|should|might|may|ask|asked"
    r"|wonder|forgot|failed|unable|think|thought|the (?:\w+ )?(?:note|notes|entry|entries|ones?|thing|file|list|bit"
    r"|part|time|day|version))"
    r"(?: (?:that|to|if|whether|all))?[\s]+)$",
    re.IGNORECASE,
)
_LONG_AGO = re.compile(
    r"\b(?:last (?:week|month|year|night|time|spring|summer|autumn|fall|winter|\w+day)|yesterday|(?:days?|weeks?"
    r"|months?|years?|hours) ago"
    r"|back (?:then|in|when)|earlier|previously|before|a while ago|the other day|long ago|in (?:january|february"
    r"|march|april|may|june|july"
    r"|august|september|october|november|december)|when (?:we|you) (?:first|were|told|met)|used to|that (?:day|night"
    r"|time)|once)\b",
    re.IGNORECASE,
)


def claims(clause: Clause) -> bool:
    """Whether the clause says that something was kept, or will be."""
    if clause.asks:
        return False
    for pattern in _PATTERNS:
        found = pattern.search(clause.text)
        if found and _stands(clause, found, pattern):
            return True
    return False


def _stands(clause: Clause, found: re.Match[str], pattern: re.Pattern[str]) -> bool:
    before, after = clause.text[: found.start()], clause.text[found.end() :]
    if _CONDITION.search(clause.before) or _CONDITION.search(before) or _UNSURE_BEFORE.search(before):
        return False
    if _CONDITION_AFTER.search(after + clause.after):
        return False
    if pattern in (_DONE, _IS_KEPT, _GOT) and _LONG_AGO.search(clause.text):
        return False
    if pattern in (_DONE, _IS_KEPT, _BARE) and "memory" not in clause.text.lower():
        return not _OTHERS_THINGS.search(re.sub(r"on file", "", found.group()) + after[:40])
    return True
