/**
 * Models that the program runs itself: a catalogue with size, memory, licence and languages; one click downloads and
 * uses one. Other programs' models are listed on request.
 */
import { createContext } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import type { ErrorInfo, LocalModelInfo, LocalModelList } from "../../bindings";
import { Icon } from "../../components/icons";
import { Confirm, Dialog } from "../../components/overlays";
import { bytes, dayAndTime, errorText, hasKey, locale, number } from "../../texts";
import "./local_models.css";
import { Fault, Refusal } from "../../components/controls";
import type { LocalModelsState } from "./state";
import { t } from "./words";

export const ModelsContext = createContext<LocalModelsState | null>(null);

function useModels(): LocalModelsState {
  const models = useContext(ModelsContext);
  if (!models) throw new Error("outside of the models' page");
  return models;
}

export function LocalModels() {
  const localModels = useModels();
  const list = localModels.list.value;
  /** Known when the list opened: above the others. Those of a later search come below, so that nothing moves. */
  const foundFirst = useRef<boolean | null>(null);
  useEffect(() => {
    void localModels.load();
  }, []);
  if (!list) {
    const failed = localModels.problem.value;
    return (
      <p class={failed ? "error-text" : "quiet-text"} role="status">
        {failed ? errorText(failed.error) : t("ui.loading")}
      </p>
    );
  }
  const others = list.local_models.filter((each) => each.kind === "found");
  foundFirst.current ??= others.length > 0;
  const found = others.length > 0 && (
    <ul class="local-model-list">
      {others.map((localModel) => (
        <LocalModel key={localModel.id} localModel={localModel} list={list} />
      ))}
    </ul>
  );
  return (
    <section class="local-models" aria-label={t("local_models.title")}>
      {list.problem && (
        <Fault>
          <p>{errorText({ code: list.problem, args: {}, retryable: false })}</p>
        </Fault>
      )}
      <Running list={list} />
      {foundFirst.current && found}
      <Offered localModels={list.local_models.filter((each) => each.kind !== "found")} list={list} />
      {!foundFirst.current && found}
      <p class="note">{t("local_models.room", { free: bytes(list.free_disk) })}</p>
      <div class="local-model-look">
        <button
          type="button"
          class="quiet-button"
          disabled={localModels.searching.value}
          onClick={() => void localModels.search()}
        >
          <Icon name="search" />
          {t(localModels.searching.value ? "welcome.think.looking" : "local_models.look")}
        </button>
        <button type="button" class="quiet-button" onClick={() => void localModels.choose()}>
          <Icon name="file" />
          {t("local_models.choose_file")}
        </button>
        <p class="note" role="status">
          {localModels.searchedAt.value && searchedText(others.length, localModels.searchedAt.value)}
        </p>
      </div>
    </section>
  );
}

/** Fitting and downloaded models, the recommended one first; the others on demand. */
function Offered({ localModels, list }: { localModels: LocalModelInfo[]; list: LocalModelList }) {
  const { fetching, problem } = useModels();
  const seen = [fetching.value, problem.value?.localModel]; // also after a failure: its card shows the reason
  const ahead = (localModel: LocalModelInfo) =>
    (localModel.recommended && !localModel.fits) ||
    localModel.here ||
    localModel.chosen ||
    localModel.part > 0 ||
    seen.includes(localModel.id);
  const first = localModels.filter(ahead).sort((a, b) => Number(b.recommended) - Number(a.recommended));
  const others = localModels.filter((localModel) => !ahead(localModel));
  const cards = (some: LocalModelInfo[]) => (
    <ul class="local-model-list">
      {some.map((localModel) => (
        <LocalModel key={localModel.id} localModel={localModel} list={list} />
      ))}
    </ul>
  );
  if (first.length === 0) return cards(localModels);
  return (
    <>
      {cards(first)}
      {others.length > 0 && (
        <details class="local-model-others">
          <summary>{t("local_models.others", { count: others.length })}</summary>
          {cards(others)}
        </details>
      )}
    </>
  );
}

function searchedText(count: number, at: Date): string {
  const time = dayAndTime(at.toISOString());
  return count === 0 ? t("local_models.looked_none", { time }) : t("local_models.looked", { count, time });
}

/** The state of the model in use. */
function Running({ list }: { list: LocalModelList }) {
  const models = useModels();
  const { local_model: localModel, phase, problem } = list.state;
  const running = list.local_models.find((each) => each.id === localModel);
  if (!running?.chosen || phase === "absent") return null;
  return (
    <p class={phase === "failed" ? "local-model-state failed" : "local-model-state"} role="status">
      <span class={`local-model-dot ${phase}`} aria-hidden="true" />
      <span>{`${running.name}: ${t(`local_model.phase.${phase}`)}`}</span>
      {phase === "failed" && problem && <span class="error-text">{problemText(running, problem)}</span>}
      {(phase === "ready" || phase === "starting") && (
        <button type="button" class="link" onClick={() => void models.stop()}>
          {t("local_models.stop")}
        </button>
      )}
      {phase === "failed" && (
        <button type="button" class="link" onClick={() => void models.use(localModel)}>
          {t("local_models.again")}
        </button>
      )}
    </p>
  );
}

function LocalModel({ localModel, list }: { localModel: LocalModelInfo; list: LocalModelList }) {
  const models = useModels();
  const [deleting, setDeleting] = useState(false);
  const problem = models.problem.value;
  const about = hasKey(localModel.about) ? t(localModel.about) : "";
  const fetching = models.fetching.value === localModel.id;
  const classes = ["local-model", localModel.chosen ? "chosen" : "", localModel.fits ? "unfit" : ""]
    .filter(Boolean)
    .join(" ");
  return (
    <li class={classes}>
      <div class="local-model-head">
        <b>{localModel.name}</b>
        {localModel.by && <span class="quiet-text">{t("local_model.by", { maker: localModel.by })}</span>}
        {localModel.recommended && !localModel.fits && <span class="badge good">{t("local_model.recommended")}</span>}
        {localModel.chosen && (
          <span class="badge">
            {t(models.couldNotStart(localModel.id) ? "local_model.phase.failed" : "local_model.chosen")}
          </span>
        )}
      </div>
      {about && <p>{about}</p>}
      <p class="local-model-facts">{facts(localModel)}</p>
      {localModel.fits && <p class="local-model-unfit">{fitText(localModel)}</p>}
      {fetching ? (
        <Arriving localModel={localModel} />
      ) : (
        <Acts localModel={localModel} list={list} onDelete={() => setDeleting(true)} />
      )}
      <Refusal why={problem?.localModel === localModel.id ? errorText(problem.error) : ""} />
      {localModel.kind !== "found" && localModel.kind !== "tiny" && !localModel.fits && (
        <details class="local-model-more">
          <summary>{t("local_models.expect")}</summary>
          <p>{expectation(localModel)}</p>
        </details>
      )}
      {deleting && (
        <Confirm
          title={t("local_models.delete_title", { name: localModel.name })}
          text={t("local_models.delete_text", {
            size: bytes(localModel.here ? localModel.size : localModel.part),
          })}
          action={t("local_models.delete")}
          onClose={() => setDeleting(false)}
          onConfirm={() => void models.remove(localModel.id)}
        />
      )}
    </li>
  );
}

interface ActsProps {
  localModel: LocalModelInfo;
  list: LocalModelList;
  onDelete: () => void;
}

function Acts({ localModel, list, onDelete }: ActsProps) {
  const localModels = useModels();
  const able = !localModel.fits && !list.problem;
  const began = !localModel.here && localModel.part > 0;
  const busy = localModels.fetching.value !== "";
  const own = localModel.kind === "catalogue";
  return (
    <div class="local-model-acts">
      {localModel.here && !localModel.chosen && able && (
        <button type="button" class="primary" onClick={() => void localModels.use(localModel.id)}>
          {t("local_models.use")}
        </button>
      )}
      {!localModel.here && able && (
        <button
          type="button"
          class={localModel.recommended || began ? "primary" : ""}
          disabled={busy}
          onClick={() => void localModels.fetch(localModel.id)}
        >
          {began ? t("local_models.resume") : t("local_models.fetch", { size: bytes(localModel.size) })}
        </button>
      )}
      {began && (
        <span class="quiet-text">
          {t("local_model.part", { done: gigabytes(localModel.part), size: gigabytes(localModel.size) })}
        </span>
      )}
      {!localModel.here && !began && able && (
        <span class="quiet-text">{t("local_models.from", { host: localModel.host })}</span>
      )}
      {own && (localModel.here || began) && (
        <button type="button" class="link soft" onClick={onDelete}>
          {t("local_models.delete")}
        </button>
      )}
    </div>
  );
}

/** A download under way: amount, speed, time left, host. */
function Arriving({ localModel }: { localModel: LocalModelInfo }) {
  const localModels = useModels();
  const arriving = localModels.arriving.value;
  const total = arriving?.total || localModel.size;
  const done = arriving?.done ?? localModel.part;
  return (
    <div class="local-model-arriving">
      <progress value={done} max={total} aria-label={t("local_models.progress", { name: localModel.name })} />
      <p class="local-model-facts">
        {arriving?.checking
          ? t("local_models.checking")
          : t("local_models.done", { done: bytes(done), total: bytes(total) })}
        {arriving && arriving.speed > 0 && ` · ${t("local_models.speed", { speed: bytes(arriving.speed) })}`}
        {arriving?.seconds_left != null && ` · ${leftWords(arriving.seconds_left)}`}
        {` · ${t("local_models.from", { host: arriving?.host || localModel.host })}`}
      </p>
      <div class="local-model-acts">
        <button type="button" onClick={() => void localModels.pause()}>
          {t("local_models.pause")}
        </button>
        <span class="quiet-text">{t("local_models.meanwhile")}</span>
      </div>
    </div>
  );
}

function leftWords(seconds: number): string {
  if (seconds < 60) return t("local_models.left_seconds", { count: Math.max(1, Math.round(seconds)) });
  return t("local_models.left_minutes", { count: Math.round(seconds / 60) });
}

function gigabytes(count: number): string {
  return number(Math.round(count / 1e8) / 10);
}

function facts(localModel: LocalModelInfo): string {
  const spoken = languageNames(localModel.languages);
  return [
    t("local_model.need", { size: gigabytes(localModel.size), need: gigabytes(localModel.need) }),
    localModel.licence,
    spoken,
  ]
    .filter(Boolean)
    .join(" · ");
}

function languageNames(codes: readonly string[]): string {
  const names = new Intl.DisplayNames(locale(), { type: "language" });
  const shown = codes.slice(0, 4).map((code) => names.of(code) ?? code);
  const rest = codes.length - shown.length;
  return shown.join(t("ui.list.and")) + (rest > 0 ? t("local_models.languages_more", { count: rest }) : "");
}

function fitText(localModel: LocalModelInfo): string {
  const key = `local_model.fits.${localModel.fits.replace(/^local_model_/, "")}`;
  return hasKey(key) ? t(key) : problemText(localModel, localModel.fits);
}

/** An error without figures gets those of the model. */
function problemText(localModel: LocalModelInfo, code: string): string {
  const args = {
    name: localModel.name,
    file: localModel.name,
    need: gigabytes(localModel.need),
    local_model: localModel.name,
  };
  const error: ErrorInfo = { code, args, retryable: false };
  return errorText(error);
}

function expectation(localModel: LocalModelInfo): string {
  return t("local_model.before", {
    size: gigabytes(localModel.size),
    need: gigabytes(localModel.need),
    licence: localModel.licence,
  });
}

export function LocalModelOffer() {
  const localModels = useModels();
  const offered = localModels.offered.value;
  if (!offered) return null;
  const { local_model: localModel, name, size, need, error } = offered;
  const close = () => {
    localModels.offered.value = null;
  };
  return (
    <Dialog title={t(error ? "local_models.offer_refused" : "local_models.offer_title", { name })} onClose={close}>
      {error ? (
        <p role="alert">{errorText(error)}</p>
      ) : (
        <>
          <p>{t("local_models.offer_text", { size: bytes(size), need: bytes(need) })}</p>
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
              void localModels.use(localModel);
            }}
          >
            {t("local_models.offer_use")}
          </button>
        )}
        <button type="button" onClick={close}>
          {t(error ? "ui.close" : "ui.cancel")}
        </button>
      </div>
    </Dialog>
  );
}
