/**
 * Models that the program runs itself: a short catalogue with size, memory, licence and languages; one click downloads
 * and uses one. Models of other programs are listed when the owner asks to look for them.
 */
import { useEffect, useState } from "preact/hooks";
import type { ErrorInfo, MindInfo, MindList } from "../../bindings";
import { Icon } from "../../components/icons";
import { Confirm, Dialog } from "../../components/overlays";
import { useStore } from "../../state/context";
import { bytes, dayAndTime, errorText, hasKey, type Key, locale, number, t, tn } from "../../texts";
import "./minds.css";

export function Minds() {
  const store = useStore();
  const { minds } = store;
  const list = minds.list.value;
  useEffect(() => {
    void minds.load();
  }, []);
  if (!list) {
    const failed = minds.problem.value;
    return (
      <p class={failed ? "error-text" : "quiet-text"} role="status">
        {failed ? errorText(failed.error) : t("ui.loading")}
      </p>
    );
  }
  const found = list.minds.filter((each) => each.kind === "found");
  return (
    <section class="minds" aria-label={t("minds.title")}>
      {list.problem && (
        <div class="fault" role="alert">
          <Icon name="warning" />
          <p>{errorText({ code: list.problem, args: {}, retryable: false })}</p>
        </div>
      )}
      <Running list={list} />
      <Offered minds={list.minds.filter((each) => each.kind !== "found")} list={list} />
      <p class="note">{t("minds.room", { free: bytes(list.free_disk) })}</p>
      <div class="mind-look">
        <button type="button" class="quiet-button" disabled={minds.looking.value} onClick={() => void minds.look()}>
          <Icon name="search" />
          {t(minds.looking.value ? "welcome.think.looking" : "minds.look")}
        </button>
        <button type="button" class="quiet-button" onClick={() => void minds.choose()}>
          <Icon name="file" />
          {t("minds.choose_file")}
        </button>
        <p class="note" role="status">
          {minds.looked.value && lookedWords(found.length, minds.looked.value)}
        </p>
      </div>
      {found.length > 0 && (
        <ul class="mind-list">
          {found.map((mind) => (
            <Mind key={mind.id} mind={mind} list={list} />
          ))}
        </ul>
      )}
    </section>
  );
}

/** The one that fits this computer and those that are here, the recommended one first; the others on demand. */
function Offered({ minds, list }: { minds: MindInfo[]; list: MindList }) {
  const fetching = useStore().minds.fetching.value;
  const ahead = (mind: MindInfo) =>
    (mind.recommended && !mind.fits) || mind.here || mind.chosen || mind.part > 0 || mind.id === fetching;
  const first = minds.filter(ahead).sort((a, b) => Number(b.recommended) - Number(a.recommended));
  const others = minds.filter((mind) => !ahead(mind));
  const cards = (some: MindInfo[]) => (
    <ul class="mind-list">
      {some.map((mind) => (
        <Mind key={mind.id} mind={mind} list={list} />
      ))}
    </ul>
  );
  if (first.length === 0) return cards(minds);
  return (
    <>
      {cards(first)}
      {others.length > 0 && (
        <details class="mind-others">
          <summary>{tn("minds.other", "minds.others", others.length)}</summary>
          {cards(others)}
        </details>
      )}
    </>
  );
}

function lookedWords(count: number, at: Date): string {
  const time = dayAndTime(at.toISOString());
  return count === 0 ? t("minds.looked_none", { time }) : t("minds.looked", { count, time });
}

/** What the model in use is doing now. */
function Running({ list }: { list: MindList }) {
  const store = useStore();
  const { mind, phase, problem } = list.state;
  const running = list.minds.find((each) => each.id === mind);
  if (!running?.chosen || phase === "absent") return null;
  return (
    <p class={phase === "failed" ? "mind-state failed" : "mind-state"} role="status">
      <span class={`mind-dot ${phase}`} aria-hidden="true" />
      <span>{`${running.name}: ${t(`mind.phase.${phase}`)}`}</span>
      {phase === "failed" && problem && <span class="error-text">{problemText(running, problem)}</span>}
      {(phase === "ready" || phase === "starting") && (
        <button type="button" class="link" onClick={() => void store.minds.stop()}>
          {t("minds.stop")}
        </button>
      )}
      {phase === "failed" && (
        <button type="button" class="link" onClick={() => void store.minds.use(mind)}>
          {t("minds.again")}
        </button>
      )}
    </p>
  );
}

function Mind({ mind, list }: { mind: MindInfo; list: MindList }) {
  const store = useStore();
  const [deleting, setDeleting] = useState(false);
  const problem = store.minds.problem.value;
  const about = hasKey(mind.about) ? t(mind.about) : "";
  const fetching = store.minds.fetching.value === mind.id;
  const classes = ["mind", mind.chosen ? "chosen" : "", mind.fits ? "unfit" : ""].filter(Boolean).join(" ");
  return (
    <li class={classes}>
      <div class="mind-head">
        <b>{mind.name}</b>
        {mind.by && <span class="quiet-text">{t("mind.by", { maker: mind.by })}</span>}
        {mind.recommended && !mind.fits && <span class="badge good">{t("mind.recommended")}</span>}
        {mind.chosen && <span class="badge">{t("mind.chosen")}</span>}
      </div>
      {about && <p>{about}</p>}
      <p class="mind-facts">{facts(mind)}</p>
      {mind.fits && <p class="mind-unfit">{fitText(mind)}</p>}
      {fetching ? <Arriving mind={mind} /> : <Acts mind={mind} list={list} onDelete={() => setDeleting(true)} />}
      {problem?.mind === mind.id && (
        <p class="error-text" role="alert">
          {errorText(problem.error)}
        </p>
      )}
      {mind.kind !== "found" && !mind.fits && (
        <details class="mind-more">
          <summary>{t("minds.expect")}</summary>
          <p>{expectation(mind)}</p>
        </details>
      )}
      {deleting && (
        <Confirm
          title={t("minds.delete_title", { name: mind.name })}
          text={t("minds.delete_text", { size: bytes(mind.here ? mind.size : mind.part) })}
          action={t("minds.delete")}
          onClose={() => setDeleting(false)}
          onConfirm={() => void store.minds.remove(mind.id)}
        />
      )}
    </li>
  );
}

interface ActsProps {
  mind: MindInfo;
  list: MindList;
  onDelete: () => void;
}

function Acts({ mind, list, onDelete }: ActsProps) {
  const { minds } = useStore();
  const able = !mind.fits && !list.problem;
  const began = !mind.here && mind.part > 0;
  const busy = minds.fetching.value !== "";
  const own = mind.kind === "catalogue";
  return (
    <div class="mind-acts">
      {mind.here && !mind.chosen && able && (
        <button type="button" class="primary" onClick={() => void minds.use(mind.id)}>
          {t("minds.use")}
        </button>
      )}
      {!mind.here && able && (
        <button
          type="button"
          class={mind.recommended || began ? "primary" : ""}
          disabled={busy}
          onClick={() => void minds.fetch(mind.id)}
        >
          {began ? t("minds.resume") : t("minds.fetch", { size: bytes(mind.size) })}
        </button>
      )}
      {began && (
        <span class="quiet-text">{t("mind.part", { done: gigabytes(mind.part), size: gigabytes(mind.size) })}</span>
      )}
      {!mind.here && !began && able && <span class="quiet-text">{t("minds.from", { host: mind.host })}</span>}
      {own && (mind.here || began) && (
        <button type="button" class="link soft" onClick={onDelete}>
          {t("minds.delete")}
        </button>
      )}
    </div>
  );
}

/** A download on its way: how much, how fast, how long still, and from where. */
function Arriving({ mind }: { mind: MindInfo }) {
  const { minds } = useStore();
  const arriving = minds.arriving.value;
  const total = arriving?.total || mind.size;
  const done = arriving?.done ?? mind.part;
  return (
    <div class="mind-arriving">
      <progress value={done} max={total} aria-label={t("minds.progress", { name: mind.name })} />
      <p class="mind-facts">
        {arriving?.checking ? t("minds.checking") : t("minds.done", { done: bytes(done), total: bytes(total) })}
        {arriving && arriving.speed > 0 && ` · ${t("minds.speed", { speed: bytes(arriving.speed) })}`}
        {arriving?.seconds_left != null && ` · ${leftWords(arriving.seconds_left)}`}
        {` · ${t("minds.from", { host: arriving?.host || mind.host })}`}
      </p>
      <div class="mind-acts">
        <button type="button" onClick={() => void minds.pause()}>
          {t("minds.pause")}
        </button>
        <span class="quiet-text">{t("minds.meanwhile")}</span>
      </div>
    </div>
  );
}

function leftWords(seconds: number): string {
  if (seconds < 60) return t("minds.left_seconds", { count: Math.max(1, Math.round(seconds)) });
  return t("minds.left_minutes", { count: Math.round(seconds / 60) });
}

function gigabytes(count: number): string {
  return number(Math.round(count / 1e8) / 10);
}

function facts(mind: MindInfo): string {
  const spoken = languageNames(mind.languages);
  return [t("mind.need", { size: gigabytes(mind.size), need: gigabytes(mind.need) }), mind.licence, spoken]
    .filter(Boolean)
    .join(" · ");
}

function languageNames(codes: readonly string[]): string {
  const names = new Intl.DisplayNames(locale(), { type: "language" });
  const shown = codes.slice(0, 4).map((code) => names.of(code) ?? code);
  const rest = codes.length - shown.length;
  return shown.join(t("ui.list.and")) + (rest > 0 ? t("minds.languages_more", { count: rest }) : "");
}

function fitText(mind: MindInfo): string {
  const key = `mind.fits.${mind.fits.replace(/^mind_/, "")}`;
  return hasKey(key) ? t(key) : problemText(mind, mind.fits);
}

/** A code alone has no figures: those of the model itself stand in. */
function problemText(mind: MindInfo, code: string): string {
  const args = { name: mind.name, file: mind.name, need: gigabytes(mind.need), mind: mind.name };
  const error: ErrorInfo = { code, args, retryable: false };
  return errorText(error);
}

function expectation(mind: MindInfo): string {
  const key: Key = "mind.before";
  return t(key, { size: gigabytes(mind.size), need: gigabytes(mind.need), licence: mind.licence });
}

export function MindOffer() {
  const { minds } = useStore();
  const offered = minds.offered.value;
  if (!offered) return null;
  const { mind, name, size, need, error } = offered;
  const close = () => {
    minds.offered.value = null;
  };
  return (
    <Dialog title={t(error ? "minds.offer_refused" : "minds.offer_title", { name })} onClose={close}>
      {error ? (
        <p role="alert">{errorText(error)}</p>
      ) : (
        <>
          <p>{t("minds.offer_text", { size: bytes(size), need: bytes(need) })}</p>
          <p class="note">{t("choice.stays")}</p>
        </>
      )}
      <div class="row">
        {!error && (
          <button
            type="button"
            class="primary"
            onClick={() => {
              close();
              void minds.use(mind);
            }}
          >
            {t("minds.offer_use")}
          </button>
        )}
        <button type="button" onClick={close}>
          {t(error ? "ui.close" : "ui.cancel")}
        </button>
      </div>
    </Dialog>
  );
}
