/**
 * Quick replies, read off the end of a reply by rules, in Chinese and English. Pure, without a model. Open questions,
 * replies without a question, and options that can't be cut out cleanly get none; texts are never shortened.
 */
import { UNSEEN } from "../bindings";
import type { Key } from "../texts";

/** A text of the catalogue, or words of the reply itself. */
export type Quick = { key: Key } | { text: string };

/** Languages whose questions are recognised. */
type Understood = "zh" | "en";

interface QuickReplies {
  /** language of the reply */
  language: Understood;
  replies: Quick[];
}

const WIDEST = 30; // a wide character counts twice
const MOST_WORDS = 5;
const MOST_OPTIONS = 3;
const ASIDE = 44; // width of what may follow the question
const TAIL = 4000; // characters of a reply that are examined
const LINE = 400; // characters of one line that are examined: patterns are slow on long lines

export function quickReplies(reply: string): QuickReplies {
  const language: Understood = /[\u3400-\u9fff]/.test(reply.slice(-TAIL)) ? "zh" : "en";
  const lines = plainLines(reply.slice(-TAIL)).map((line) => line.slice(-LINE));
  const list = lastList(lines);
  const asking = list?.atEnd ? lines[list.from - 1] : lines.at(-1);
  const replies = asking === undefined ? [] : answersTo(asking, list, language);
  return { language, replies: replies.slice(0, MOST_OPTIONS) };
}

function answersTo(line: string, list: List | null, language: Understood): Quick[] {
  const question = lastQuestion(line);
  if (list && CHOICE[language].test(question ?? line) && (question !== null || /[:：]$/.test(line)))
    return listed(list);
  if (question === null) return list?.atEnd ? [] : afterStatement(line, language);
  return language === "zh" ? answerChinese(question) : answerEnglish(question);
}

// --- end of the reply -----------------------------------------------------------------------------

/** Return the lines without code, tables, quotes and markup; bold stays until names are cut out. */
function plainLines(reply: string): string[] {
  return reply
    .replace(/```[\s\S]*?(?:```|$)/g, "\n")
    .replace(/!\[[^\]]*\]\([^)]*\)/g, " ")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(UNSEEN, (_, kept?: string) => kept ?? "")
    .split("\n")
    .map((line) => line.replace(/^#{1,6}\s+/, "").trim())
    .filter((line) => line !== "" && !/^(?:[|>]|-{3,}$)/.test(line));
}

const ITEM = /^(?:\d{1,2}|[A-Ha-h])[.)、．]\s*(?=\S)|^[①-⑨]\s*/;

interface List {
  from: number;
  atEnd: boolean;
  items: string[];
}

/** Return the last numbered list, with at most the question after it. */
function lastList(lines: string[]): List | null {
  let end = lines.length - 1;
  const atEnd = ITEM.test(lines[end] ?? "");
  if (!atEnd) end -= 1;
  let from = end;
  while (from >= 0 && ITEM.test(lines[from] ?? "")) from -= 1;
  const items = lines.slice(from + 1, end + 1);
  return items.length > 1 ? { from: from + 1, atEnd, items } : null;
}

const TRAIL =
  /(?:[\s"'”’»)）\]】*_~]|\p{Extended_Pictographic}|[\u{1f3fb}-\u{1f3ff}]|[\u{1f1e6}-\u{1f1ff}]|\u200d|\ufe0f)+$/u;
/** Ends of sentences; not the point in "3.5". */
const BETWEEN = /(?<=[。！？…])(?![。！？…!?])|(?<=[.!?])\s+/u;

const HEAD = /^[^\p{L}\p{N}]+/u;

/** Return the question at the end of a line, without its mark, or null. A short word may follow it. */
function lastQuestion(line: string): string | null {
  const sentences = line.split(BETWEEN).map((each) => each.trim().replace(TRAIL, ""));
  const parts = sentences.filter((each) => each !== "");
  const last = parts.at(-1) ?? "";
  const question = /[?？]$/.test(last) ? last : width(last) <= ASIDE ? parts.at(-2) : undefined;
  if (question === undefined || !/[?？]$/.test(question)) return null;
  return unmarked(question)
    .replace(/[?？!！\s]+$/, "")
    .replace(TRAIL, "")
    .replace(HEAD, "");
}

function unmarked(text: string): string {
  return text.replace(/\*\*|__|[*`~]/g, "").trim();
}

// --- options --------------------------------------------------------------------------------------

const CHOICE: Record<Understood, RegExp> = {
  en: /\b(?:which|pick|choose|select|prefer|what would you|what do you|sounds? (?:good|best|nice)|appeals?)\b/i,
  zh: /哪|选|挑|更喜欢|想要|想先/,
};

/** Return the short names of a list; none of a long list. */
function listed(list: List): Quick[] {
  if (list.items.length > MOST_OPTIONS) return [{ key: "ui.quick.choose" }];
  return options(list.items.map(shortName));
}

function shortName(item: string): string {
  const text = item.replace(ITEM, "");
  const bold = /^(?:\*\*|__)(.+?)(?:\*\*|__)/.exec(text);
  return bold?.[1] ?? text.split(/\s+[-–—]\s*|——|[:：(（。；;]|\.\s|\.$|[,，]\s*/)[0] ?? "";
}

/** Options must be short and without pronouns, whose meaning would change with the speaker. */
function options(names: string[]): Quick[] {
  const labels = names.map((name) => unmarked(name).replace(/[\s,，。.:：]+$/, ""));
  const sound = labels.every(
    (name) =>
      name !== "" &&
      width(name) <= WIDEST &&
      name.split(/\s+/).length <= MOST_WORDS &&
      !/\b(?:i|me|my|mine|you|your|yours|we|us|our|i'm|i'll)\b|[你我您咱]/i.test(name),
  );
  if (!sound || new Set(labels).size < labels.length) return [];
  return labels.map((name) => ({ text: name.charAt(0).toUpperCase() + name.slice(1) }));
}

function width(text: string): number {
  return [...text].reduce((sum, char) => sum + (char > "\u2e7f" ? 2 : 1), 0);
}

const YES: Quick = { key: "ui.quick.yes" };
const MORE: Quick = { key: "ui.quick.more" };
const OFFERED: Quick[] = [{ key: "ui.quick.please" }, { key: "ui.quick.not_now" }];

// --- English --------------------------------------------------------------------------------------

const AUX =
  "am|is|are|was|were|do|does|did|have|has|had|can|could|will|would|shall|should|may|might|isn't|aren't|wasn't|don't|doesn't|didn't|haven't|hasn't|can't|won't|wouldn't|shouldn't";
const LEAD = /^(?:so|and|well|now|ok|okay|hmm|then|but|oh|also|anyway|hey|first|maybe)\b[,:\s]+/i;
const OPEN_EN = /^(?:in |on |at |for |with |to |from |about )?(?:what|how|why|when|where|who|whom|whose|which)\b/i;
const OFFER_EN =
  /^(?:shall (?:i|we)\b|(?:should|may|can|could) i\b|(?:would you like|do you want|d'you want|want|wanna|would it help)\b.* (?:me|for me) to\b|(?:would you like|do you want|want) (?:a|an|some|another|more|one|to (?:hear|see|try|play|start|begin|go|do|talk|make|take|keep|continue|know|read|have|get)\b)|(?:how|what) about\b)/i;
const ASKS_TO_TELL =
  /^(?:can|could|would|will) you (?:please )?(?:tell|share|describe|explain|say|give|send|show|remind|paste|walk)\b/i;
const PLAIN_EN =
  /^(?:you(?:'re|'ve)? \w|ready|still|sounds? (?:good|right|fun)|deal|agreed|make sense|makes sense|got it|all good|feeling better)\b/i;
const TAG = /,\s*(?:right|yes|no|ok|okay|correct|isn't it|aren't you|don't you|didn't you|won't you)$/i;

function answerEnglish(whole: string): Quick[] {
  const question = clause(whole.replace(/’/g, "'"));
  if (/\bor not$/i.test(question)) return yesNoEnglish(question);
  if (/\bor\b/i.test(question)) return eitherEnglish(question);
  if (OFFER_EN.test(question)) return OFFERED;
  if (OPEN_EN.test(question) || ASKS_TO_TELL.test(question)) return [];
  if (new RegExp(`^(?:${AUX})\\b`, "i").test(question) || TAG.test(question) || PLAIN_EN.test(question))
    return yesNoEnglish(question);
  return [];
}

/** Return the asking part: "By the way, are you hungry" asks from the comma on. */
function clause(question: string): string {
  let part = question.trim();
  while (LEAD.test(part)) part = part.replace(LEAD, "");
  const rest = new RegExp(
    `^[^,:]{1,60}[,:—–]\\s*((?:${AUX}|what|how|why|when|where|who|which|want)\\b.*)$`,
    "i",
  ).exec(part);
  return rest?.[1] && !new RegExp(`^(?:${AUX})\\b`, "i").test(part) ? rest[1] : part;
}

function yesNoEnglish(question: string): Quick[] {
  const no: Quick = {
    key: /\b(?:yet|already|finished|ready|done)\b/i.test(question) ? "ui.quick.not_yet" : "ui.quick.no",
  };
  const curious =
    /\b(?:know|heard|familiar|curious|interested)\b/i.test(question) || !/\byou(?:r|'re|'ve)?\b/i.test(question);
  return curious && no.key === "ui.quick.no" ? [YES, no, MORE] : [YES, no];
}

const SUBJECT = `(?:you|i|we|it|that|this|they|he|she|there)`;
const WISH =
  "rather|prefer|like|want|need|mean|feel like|fancy|go with|choose|pick|take|have|be|is|for|to|a fan of|thinking of|looking for|in the mood for|more of|make it|keep it|go|start with|begin with|hear about|hear|say|more";
const BEFORE_OPTIONS = new RegExp(`^(?:(?:${AUX}) )?(?:${SUBJECT} )?(?:(?:${WISH}) )*`, "i");
const AFTER_OPTIONS =
  /(?:\s+(?:instead|better|best|easier|for you|today|tonight|now|right now|this time|then|first))+$/i;

/** "A or B", "A, B or C". */
function eitherEnglish(question: string): Quick[] {
  const cut = question.search(/,?\s+or\s+(?!.*\bor\s)/i);
  if (cut < 0) return [];
  const right = question
    .slice(cut)
    .replace(/^,?\s+or\s+/i, "")
    .replace(/^(?:maybe|perhaps|rather|just)\s+/i, "");
  if (new RegExp(`^(?:${AUX}|what|how|something|anything|so|whatever|more|two|three|less)\\b`, "i").test(right))
    return [];
  let left = question.slice(0, cut);
  // In "Which do you prefer, tea" and "What is it: tea" the options begin after the mark.
  if (OPEN_EN.test(left)) left = /[,:]\s*(.+)$/.exec(left)?.[1] ?? "";
  const [first = "", ...others] = left.split(/,\s*/);
  const names = [first.replace(BEFORE_OPTIONS, ""), ...others, right.replace(/^(?:to|for) /i, "")];
  return options(names.map((name) => name.replace(AFTER_OPTIONS, "")));
}

// --- Chinese --------------------------------------------------------------------------------------

const OPEN_ZH = /什么|怎么(?!样)|哪|谁|几[个点次天岁位]|多少|为何|如何|啥|咋|多久|多大|何时/;
const OFFER_ZH =
  /(?:要不要|需不需要|需要|想不想|想要|要|想让|让)我|(?:要不要|想不想|想|要)(?:听|看|试|来|再|一起|聊|玩)|我(?:们|先|现在|这就|再)?(?:来|帮你|给你|陪你|替你|可以|去|一起).*(?:吗|好不好|怎么样|行不行|可不可以)$|还(?:想要|需要|要).*吗$|(?:要不|不如|不然|我们|咱们).*(?:吗|吧|怎么样|好不好|如何)?$/;
const TELL_ZH = /(?:能|可以|愿意|方便|可不可以|能不能).*(?:告诉|说说|讲讲|聊聊|描述|分享|解释|发给|说一下|讲一下)/;
const A_NOT_A = /(.)不\1|有没有|可不可以|喜不喜欢|愿不愿意|需不需要|没有$|了没$/;

function answerChinese(whole: string): Quick[] {
  const question = whole.replace(/[~～]+$/, "").trim();
  if (/还是/.test(question)) return eitherChinese(question);
  const part = question.split(/[，,；;：:]/).at(-1) ?? question;
  if (TELL_ZH.test(part)) return [];
  if (/(?:怎么样|如何)$/.test(part) ? OFFER_ZH.test(question) : !OPEN_ZH.test(part) && OFFER_ZH.test(part))
    return OFFERED;
  if (OPEN_ZH.test(part) || /怎么样$|呢$/.test(part)) return [];
  if (/(?:好吗|好不好|可以吗|行吗|行不行)$/.test(part) && /我|一起/.test(question)) return OFFERED;
  if (/[吗吧么]$/.test(part) || A_NOT_A.test(part)) return yesNoChinese(part);
  return [];
}

function yesNoChinese(question: string): Quick[] {
  const key: Key = /(?:好|完|到|吃|睡|醒|做|想好)?了(?:吗|没)|准备好/.test(question)
    ? "ui.quick.not_yet"
    : /是不是|对(?:吗|吧|不对)/.test(question)
      ? "ui.quick.no_is"
      : /[说听见看去吃玩试做]过|过吗|有/.test(question)
        ? "ui.quick.no_have"
        : question.includes("是")
          ? "ui.quick.no_is"
          : "ui.quick.no";
  const curious = /知道|听说过|听过|了解|好奇|感兴趣/.test(question) || !/[你您]/.test(question);
  return curious && key !== "ui.quick.not_yet" ? [YES, { key }, MORE] : [YES, { key }];
}

const WISH_ZH = "(?:是|更?想要|更?想|更?喜欢|要|希望|觉得|打算|愿意|倾向于?|更?需要|说的是|指的是|选|会|先)";
const BEFORE_ZH = [
  /^.*?(?:要不要|需要|要|想让|让)我(?:来|帮你|给你|为你|陪你|替你)*/,
  new RegExp(`^.*?(?:你|您|我们|咱们)(?:${WISH_ZH})+`),
  new RegExp(`^(?:那么?|所以|不过|到底|究竟)?(?:${WISH_ZH})*`),
];

/** "A还是B"，"A、B还是C". */
function eitherChinese(question: string): Quick[] {
  const cut = question.lastIndexOf("还是");
  const right = question.slice(cut + 2).replace(/[呢呀啊哦吧\s]+$/, "");
  const left =
    question
      .slice(0, cut)
      .replace(/[，,、\s]+$/, "")
      .split(/[，,；;：:]/)
      .at(-1) ?? "";
  const before = BEFORE_ZH.find((each) => each.exec(left)?.[0]) ?? /^/;
  const names = left.replace(before, "").split("、");
  return options([...names, right.replace(/^说/, "").replace(BEFORE_ZH[2] ?? /^/, "")]);
}

// --- no question ----------------------------------------------------------------------------------

const LEFT_OPEN: Record<Understood, RegExp> = {
  en: /\bto be continued\b|\bshall go on another (?:day|time)\b/i,
  zh: /未完待续|且听下回|下回(?:再)?分解/,
};
const IF_YOU_LIKE: Record<Understood, RegExp> = {
  en: /\bif you(?:'d| would)? (?:like|want|wish)\b.*\bi(?:'ll| can| could|'d)\b|\bi (?:can|could|'ll|'d be happy to)\b.*\bif you(?:'d| would)? (?:like|want|wish)\b|\b(?:let me know|tell me|just say) if you(?:'d| would)? (?:like|want)\b/i,
  zh: /(?:需要|想听|想看|想知道|想试|有兴趣|愿意|要)的话.*(?:我(?:可以|来|就|再)|告诉我|说一声|跟我说)|(?:告诉我|说一声).*我(?:就|来|可以)/,
};

/** At most one reply, and only where the statement invites one. */
function afterStatement(line: string, language: Understood): Quick[] {
  const statement = unmarked(line).replace(/’/g, "'");
  if (LEFT_OPEN[language].test(statement)) return [{ key: "ui.quick.go_on" }];
  const last = statement.split(BETWEEN).findLast((each) => each.trim() !== "") ?? "";
  return IF_YOU_LIKE[language].test(last) ? [{ key: "ui.quick.please" }] : [];
}
