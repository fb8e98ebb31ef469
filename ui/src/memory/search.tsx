/** The owner's search in memory: shortly after the last key, newest answer only, matches marked. */
import type { ComponentChild } from "preact";
import type { HitView, SearchReply } from "../bindings";
import { revealHidden } from "../components/diff";
import { Icon } from "../components/icons";
import { Loading, type LoadState, useLoad, useSettled } from "../components/loading";
import { plain } from "../markdown/plain";
import { searchForm, searchFormPlaces } from "../search_form";
import { useStore } from "../state/context";
import { inARow, t } from "../texts";
import { placeName, sourceIcon, sourceName } from "./places";
import { quoted } from "./spoken";

/** Hits; more than the pet gets. */
const COUNT = 20;

const MOST_UNSURE = 5;

export function Results({ query }: { query: string }) {
  const found = useSearch(query);
  const reply = found.value?.reply ?? null;
  const hits = reply?.hits ?? [];
  const sought = found.value?.query ?? "";
  const sure = hits.filter((hit) => hit.sure);
  const unsure = hits.filter((hit) => !hit.sure).slice(0, MOST_UNSURE);
  return (
    <section class="results" aria-label={t("ui.search.results")} aria-busy={sought !== query && !found.failed}>
      <p class="quiet-text" role="status">
        {reply && inARow(summary(sure.length, unsure.length), reply.embedder === null && t("ui.search.words_only"))}
      </p>
      <Loading of={found} words={t("ui.search.looking")} lines={3} />
      <Hits hits={sure} query={sought} />
      {sure.length > 0 && unsure.length > 0 && <h4>{t("ui.search.perhaps")}</h4>}
      <Hits hits={unsure} query={sought} />
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

interface Found {
  query: string;
  reply: SearchReply;
}

function useSearch(typed: string): LoadState & { value: Found | null } {
  const store = useStore();
  const query = useSettled(typed);
  const ask = async () =>
    query ? { query, reply: await store.commands.searchMemory({ query, count: COUNT }) } : null;
  const found = useLoad(ask, [query, store.memory.forgotten.value, store.files.change.value]);
  return found.failed ? { ...found, value: null } : found;
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
