/**
 * Loading from the core: on mount, on changes and on Retry. Shows a calm line after a delay, and an error with Retry.
 * An older answer stays visible while a newer one loads or fails.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import type { ErrorInfo } from "../bindings";
import { errorOf, errorText, t } from "../texts";
import { Fault } from "./controls";

export interface Loaded<T> {
  value: T | null;
  failed: ErrorInfo | null;
  /** waiting for an answer */
  busy: boolean;
  again: () => void;
  /** replaces the value by a command's reply */
  set: (value: T) => void;
}

export type LoadState = Pick<Loaded<unknown>, "failed" | "busy" | "again"> & { value: unknown };

/**
 * Load a value on mount, and again when one of `on` changes. A change of `whose` discards the old answer.
 *
 *     const pets = useLoad(() => store.commands.listPets(), [store.memory.pets.value]);
 *     if (!pets.value) return <Loading of={pets} />;
 */
export function useLoad<T>(ask: () => Promise<T>, on: unknown[] = [], whose: unknown = ""): Loaded<T> {
  const [state, setState] = useState<{ whose: unknown; value: T | null; failed: ErrorInfo | null }>({
    whose,
    value: null,
    failed: null,
  });
  const [busy, setBusy] = useState(true);
  const [tries, setTries] = useState(0);
  const asks = useRef(false);

  useEffect(() => {
    let here = true;
    asks.current = true;
    setBusy(true);
    ask().then(
      (value) => {
        if (!here) return;
        asks.current = false;
        setState({ whose, value, failed: null });
        setBusy(false);
      },
      (thrown: unknown) => {
        if (!here) return;
        asks.current = false;
        const failed = errorOf(thrown);
        setState((before) => ({ whose, value: before.whose === whose ? before.value : null, failed }));
        setBusy(false);
      },
    );
    return () => {
      here = false;
    };
  }, [...on, whose, tries]);

  const now = state.whose === whose ? state : { value: null, failed: null };
  return {
    value: now.value,
    failed: now.failed,
    busy,
    again: () => setTries(tries + 1),
    set: (value) => {
      setState({ whose, value, failed: null });
      if (asks.current) setTries((before) => before + 1); // the answer under way may be older than this value
    },
  };
}

/** Return what was typed once it has stayed for `pause` milliseconds, and "" before; what is cleared, at once. */
export function useSettled(typed: string, pause = 180): string {
  const [settled, setSettled] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed), typed ? pause : 0);
    return () => clearTimeout(timer);
  }, [typed]);
  return settled;
}

/** Milliseconds before the waiting line: faster answers are drawn at once. */
const CALM = 150;

interface Props {
  of: LoadState;
  /** replaces the usual waiting text */
  words?: string;
  /** number of placeholder bars */
  lines?: number;
}

/** Draws nothing once a value is loaded. */
export function Loading({ of, words, lines = 0 }: Props) {
  const waits = of.value === null && of.failed === null;
  const late = useLate(waits);
  if (of.failed) return <Failed error={of.failed} busy={of.busy} onAgain={of.again} />;
  return (
    <div class="loading" role="status">
      {waits && late && (
        <>
          <p class="quiet-text">{words ?? t("ui.loading")}</p>
          {Array.from({ length: lines }, (_, at) => (
            <span key={at} class="skeleton" aria-hidden="true" />
          ))}
        </>
      )}
    </div>
  );
}

function useLate(waits: boolean): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    setLate(false);
    if (!waits) return;
    const timer = setTimeout(() => setLate(true), CALM);
    return () => clearTimeout(timer);
  }, [waits]);
  return late;
}

interface FailedProps {
  error: ErrorInfo;
  busy: boolean;
  onAgain: () => void;
}

function Failed({ error, busy, onAgain }: FailedProps) {
  return (
    <Fault>
      <p>{errorText(error)}</p>
      <button type="button" aria-disabled={busy} onClick={() => !busy && onAgain()}>
        {t("ui.turn.retry")}
      </button>
    </Fault>
  );
}
