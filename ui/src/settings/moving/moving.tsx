/**
 * Settings > Memory > Bring along: another program's memories and conversations, or a whole pet, moved in. The owner
 * chooses with the system's own dialog or pastes a list, sees every change, and only then lets it in.
 */
import { useEffect, useState } from "preact/hooks";
import type { ErrorInfo, ImportState } from "../../bindings";
import { Icon, type IconName } from "../../components/icons";
import { useDropZone } from "../../input/drop_zone";
import { useStore } from "../../state/context";
import { bytes, errorText, type Key, t } from "../../texts";
import { Done } from "./done";
import { Past } from "./past";
import { Preview } from "./preview";
import "./moving.css";

const CAN: { id: "pet" | "workspace" | "chats" | "tavern"; icon: IconName }[] = [
  { id: "workspace", icon: "folder" },
  { id: "chats", icon: "chat" },
  { id: "tavern", icon: "user" },
  { id: "pet", icon: "paw" },
];

export function Moving() {
  const { moving } = useStore();
  useEffect(() => void moving.load(), []);
  const now = moving.now.value;
  const phase = now?.phase ?? "none";
  const problem = moving.problem.value;
  const free = (phase === "none" || phase === "failed" || phase === "done") && !moving.choosing.value;
  const { over, zone } = useDropZone(
    (event) => free && event.dataTransfer?.types.includes("Files") === true,
    (transfer) => void moving.take(transfer?.files.length ?? 0),
  );
  return (
    <section class="moving" aria-label={t("moving.title")} {...zone}>
      {over && (
        <div class="drop-here" aria-hidden="true">
          <Icon name="file" />
          {t("moving.drop")}
        </div>
      )}
      {problem && <Fault error={problem} />}
      {phase === "none" && <Start />}
      {now && (phase === "writing" || (phase === "reading" && !now.preview)) && <Underway now={now} />}
      {now?.preview && (phase === "ready" || phase === "reading") && <Preview now={now} preview={now.preview} />}
      {now?.done && phase === "done" && <Done done={now.done} />}
      {now?.error && phase === "failed" && <Failed now={now} error={now.error} />}
      {(phase === "none" || phase === "done") && <Past except={now?.done?.id ?? ""} />}
    </section>
  );
}

function Start() {
  const { moving } = useStore();
  const [pasting, setPasting] = useState(false);
  const busy = moving.choosing.value;
  return (
    <>
      <h3>{t("moving.title")}</h3>
      <p>{t("moving.note")}</p>
      <div class="row moving-ways">
        <button type="button" class="primary" disabled={busy} onClick={() => void moving.choose("file")}>
          <Icon name="file" />
          {t("moving.file")}
        </button>
        <button type="button" disabled={busy} onClick={() => void moving.choose("folder")}>
          <Icon name="folder" />
          {t("moving.folder")}
        </button>
        <button type="button" aria-expanded={pasting} onClick={() => setPasting(!pasting)}>
          <Icon name="copy" />
          {t("moving.paste")}
        </button>
      </div>
      {pasting && <Paste />}
      <h4>{t("moving.can")}</h4>
      <ul class="moving-can">
        {CAN.map(({ id, icon }) => (
          <li key={id}>
            <Icon name={icon} />
            <div>
              <b>{t(`moving.can.${id}`)}</b>
              <p class="note">{t(`moving.can.${id}_how`)}</p>
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

function Paste() {
  const { moving } = useStore();
  const [text, setText] = useState("");
  return (
    <form
      class="moving-paste"
      onSubmit={(event) => {
        event.preventDefault();
        void moving.paste(text);
      }}
    >
      <label for="moving-list">{t("moving.paste_label")}</label>
      <textarea
        id="moving-list"
        rows={7}
        dir="auto"
        maxLength={900_000}
        value={text}
        placeholder={t("moving.paste_hint")}
        ref={(field) => field?.focus()}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <div class="row end">
        <button type="submit" class="primary" disabled={!text.trim()}>
          {t("moving.look")}
        </button>
      </div>
    </form>
  );
}

function Underway({ now }: { now: ImportState }) {
  const { moving } = useStore();
  const writing = now.phase === "writing";
  const { done, total } = moving.moved.value;
  const words = writing ? t("moving.writing") : readingWords(now.source);
  return (
    <div class="moving-card" role="status">
      <p class="moving-head">{words}</p>
      <progress aria-label={words} {...(total > 0 ? { value: Math.min(done, total), max: total } : {})} />
      <div class="row">
        <button type="button" onClick={() => void moving.stop()}>
          {t(writing ? "moving.stop" : "ui.cancel")}
        </button>
        <span class="quiet-text">
          {writing ? t("moving.stop_note") : done > 0 && t("moving.so_far", { size: bytes(done) })}
        </span>
      </div>
    </div>
  );
}

function readingWords(source: string): string {
  const key: Key = source ? "moving.reading" : "moving.reading_pasted";
  return t(key, { source });
}

function Failed({ now, error }: { now: ImportState; error: ErrorInfo }) {
  const { moving } = useStore();
  const before = now.preview;
  return (
    <Fault error={error}>
      <div class="row">
        <button type="button" onClick={() => void moving.stop()}>
          {t("moving.other")}
        </button>
        {before && (
          <button
            type="button"
            onClick={() => void moving.change(before.instructions, before.new_pet && !before.pet)}
          >
            {t("moving.again")}
          </button>
        )}
      </div>
    </Fault>
  );
}

function Fault({ error, children }: { error: ErrorInfo; children?: preact.ComponentChildren }) {
  return (
    <div class="fault" role="alert">
      <Icon name="warning" />
      <p>{errorText(error)}</p>
      {children}
    </div>
  );
}
