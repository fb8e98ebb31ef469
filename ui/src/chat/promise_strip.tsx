/** What is due today, in a few quiet lines above the composer; pressed, it opens where it is written. Hidden for now means until the next start. */
import { signal } from "@preact/signals";
import { Icon } from "../components/icons";
import { dueWords, PromiseAnswers, promiseKey, promisePlace } from "../memory/promises";
import { spokenWords } from "../memory/spoken";
import { useStore } from "../state/context";
import { t } from "../texts";

const hidden = signal<ReadonlySet<string>>(new Set());

export function PromiseStrip() {
  const store = useStore();
  const due = store.memory.promises.value?.due.filter((each) => !hidden.value.has(promiseKey(each))) ?? [];
  const promise = due[0];
  if (!promise) return null;

  function showAll(): void {
    store.memory.tab.value = "promises";
    store.openSettings("memory");
  }

  return (
    <section class="promise-strip" aria-label={t("ui.promises.due")}>
      <Icon name="bell" />
      <button
        type="button"
        class="promise-what"
        data-tip={spokenWords(promise.text)}
        onClick={() => void store.openPlace(promisePlace(promise))}
      >
        <span class="promise-words" dir="auto">
          {spokenWords(promise.text)}
        </span>
        <span class="quiet-text">{dueWords(promise)}</span>
      </button>
      <PromiseAnswers promise={promise} above />
      {due.length > 1 && (
        <button type="button" class="link soft" onClick={showAll}>
          {t("ui.promises.more", { count: due.length - 1 })}
        </button>
      )}
      <button
        type="button"
        class="quiet"
        aria-label={t("ui.promise.hide")}
        data-tip=""
        onClick={() => {
          hidden.value = new Set([...hidden.value, ...due.map(promiseKey)]);
        }}
      >
        <Icon name="close" />
      </button>
    </section>
  );
}
