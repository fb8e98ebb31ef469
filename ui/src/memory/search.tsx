/** The owner's search in memory: shortly after the last key, newest answer only, matches marked. */
import type { ComponentChild } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ErrorInfo, HitView, SearchReply } from "../bindings";
import { revealHidden } from "../components/diff";
import { Icon } from "../components/icons";
import { Loading } from "../components/loading";
import { useBack } from "../input/back";
import { plain } from "../markdown/plain";
import { searchForm, searchFormPlaces } from "../search_form";
import { useStore } from "../state/context";
import { errorOf, inARow, t } from "../texts";
import { placeName, sourceIcon, sourceName } from "./places";
import { quoted } from "./spoken";

const PAUSE = 180;
/** Hits; more than the pet gets. */
const COUNT = 20;

export function SearchField() {
  const store = useStore();
  const sought = store.memory.sought;
  useBack(sought.value === "" ? null : () => (sought.value = ""));
  return (
    <div class="search-field">
      <Icon name="search" />
      <input
        type="search"
        value={sought.value}
        placeholder={t("ui.search.placeholder")}
        aria-label={t("ui.search.label")}
        onInput={(event) => {
          sought.value = event.currentTarget.value;
        }}
      />
    </div>
  );
}

interface Result {
  query: string;
  reply: SearchReply | null;
  failed: ErrorInfo | null;
}

const MOST_UNSURE = 5;

export function Results({ query }: { query: string }) {
  const { result, again } = useSearch(query);
  const hits = result?.reply?.hits ?? [];
  const sure = hits.filter((hit) => hit.sure);
  const unsure = hits.filter((hit) => !hit.sure).slice(0, MOST_UNSURE);
  return (
    <section class="results" aria-label={t("ui.search.results")} aria-busy={result?.query !== query}>
      <p class="quiet-text" role="status">
        {result?.reply &&
          inARow(summary(sure.length, unsure.length), result.reply.embedder === null && t("ui.search.words_only"))}
      </p>
      <Loading
        of={{ value: result?.reply ?? null, failed: result?.failed ?? null, busy: result === null, again }}
        words={t("ui.search.looking")}
        lines={3}
      />
      <Hits hits={sure} query={result?.query ?? ""} />
      {sure.length > 0 && unsure.length > 0 && <h4>{t("ui.search.perhaps")}</h4>}
      <Hits hits={unsure} query={result?.query ?? ""} />
    </section>
  );
}

function summary(sure: number, unsure: number): string {
  if (sure > 0) return t("ui.search.many", { count: sure });
  return t(unsure > 0 ? "ui.search.unsure" : "ui.search.nothing");
}

function Hits({ hits, query }: { hits: HitView[]; query: string }) {
  if (hits.length === 0) return null;
  return (
    <ul>
      {hits.map((hit) => (
        <li key={`${hit.path} ${hit.start_line} ${hit.turn ?? ""}`}>
          <Hit hit={hit} query={query} />
        </li>
      ))}
    </ul>
  );
}

function Hit({ hit, query }: { hit: HitView; query: string }) {
  const store = useStore();
  const { who, words } = quoted(hit.snippet);
  const pet = store.app.value?.pet_name ?? "";
  return (
    <button type="button" class="hit" data-tip={t("ui.place.open")} onClick={() => void store.openPlace(hit)}>
      <span class="hit-head">
        <span class={`source ${hit.source}`}>
          <Icon name={sourceIcon(hit.source)} />
          {sourceName(hit.source)}
        </span>
        {hit.source !== "conversation" && <span class="quiet-text">{placeName(hit.path)}</span>}
        {who && <span class="quiet-text">{who === "owner" ? t("ui.history.you") : pet}</span>}
      </span>
      <span class="snippet">{marked(plain(words), query)}</span>
    </button>
  );
}

function useSearch(query: string): { result: Result | null; again: () => void } {
  const store = useStore();
  const [result, setResult] = useState<Result | null>(null);
  const [tries, setTries] = useState(0);
  const forgotten = store.memory.forgotten.value;
  const changed = store.files.change.value;

  useEffect(() => {
    let here = true;
    const timer = setTimeout(() => {
      store.commands.searchMemory({ query, count: COUNT }).then(
        (reply) => here && setResult({ query, reply, failed: null }),
        (thrown: unknown) => here && setResult({ query, reply: null, failed: errorOf(thrown) }),
      );
    }, PAUSE);
    return () => {
      here = false;
      clearTimeout(timer);
    };
  }, [query, forgotten, changed, tries]);

  return { result, again: () => setTries(tries + 1) };
}

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Return the query's words in a text; of Chinese, which has no spaces, its pairs of characters too. Pure. */
export function marked(text: string, query: string): ComponentChild {
  const wanted = terms(text, query);
  if (wanted.length === 0) return revealHidden(text);
  const within = searchFormPlaces(text);
  const any = new RegExp(wanted.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|"), "gu");
  const pieces: ComponentChild[] = [];
  let end = 0;
  for (const match of within.form.matchAll(any)) {
    const start = Math.max(end, within.from(match.index));
    const piece = text.slice(start, within.to(match.index + match[0].length - 1));
    pieces.push(revealHidden(text.slice(end, start)), <mark key={`${start} ${piece}`}>{piece}</mark>);
    end = start + piece.length;
  }
  return [...pieces, revealHidden(text.slice(end))];
}

function terms(text: string, query: string): string[] {
  const lower = searchForm(text);
  const words = searchForm(query).split(/[\s\p{P}\p{S}]+/u);
  const wanted = new Set<string>();
  for (const word of words) {
    if (lower.includes(word) && (word.length > 1 || CJK.test(word))) wanted.add(word);
    else if (CJK.test(word)) for (const pair of pairs(word)) if (lower.includes(pair)) wanted.add(pair);
  }
  return [...wanted].sort((a, b) => b.length - a.length);
}

function pairs(word: string): string[] {
  const letters = [...word];
  return letters.slice(1).map((letter, index) => `${letters[index]}${letter}`);
}
