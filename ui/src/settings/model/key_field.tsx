/** The API key of one address: write-only, with where it is kept, and forgetting it. No command gives it back. */
import { useEffect, useState } from "preact/hooks";
import type { KeyArgs } from "../../bindings";
import { Confirm } from "../../parts/dialog";
import { useStore } from "../../state/context";
import { t } from "../../texts";
import { Choice, Row } from "../form";

/** Set while something typed is not saved: saving it, and whether that worked. */
export interface Unsaved {
  current: (() => Promise<boolean>) | null;
}

interface KeyProps {
  unsaved: Unsaved;
}

/** Write-only: what is typed goes to the core and is gone from here. */
export function KeyField({ unsaved }: KeyProps) {
  const store = useStore();
  const app = store.app.value;
  const keyring = app?.key.keyring_available === true;
  const [key, setKey] = useState("");
  const [forgetting, setForgetting] = useState(false);
  const [keep, setKeep] = useState<KeyArgs["keep"]>(keyring ? "keyring" : "session");
  useEffect(
    () => () => {
      unsaved.current = null;
    },
    [unsaved],
  );
  if (!app) return null;
  const { set, source, last4 } = app.key;

  async function save(): Promise<boolean> {
    const sent = key.trim();
    if (!sent) return false;
    const state = await store.attempt(() => store.commands.setKey({ key: sent, keep }));
    if (!state) return false;
    setKey("");
    await store.attempt(() => store.loadApp());
    return true;
  }
  unsaved.current = key.trim() ? save : null;

  const status = set
    ? t(`ui.key.source_${source}`, { last4 })
    : t(app.key_needed ? "ui.key.none" : "ui.key.not_needed");
  const options: { value: KeyArgs["keep"]; label: string }[] = [
    ...(keyring ? [{ value: "keyring" as const, label: t("ui.key.keep_keyring") }] : []),
    { value: "session", label: t("ui.key.keep_session") },
    { value: "file", label: t("ui.key.keep_file") },
  ];
  return (
    <div class="key-block">
      <Row id="key" label={t("ui.key.label", { host: app.host })} note={status}>
        <form
          class="inline"
          onSubmit={(event) => {
            event.preventDefault();
            void save();
          }}
        >
          <input
            id="key"
            type="password"
            autocomplete="off"
            spellcheck={false}
            value={key}
            placeholder={set ? t("ui.key.replace") : t("ui.key.enter")}
            onInput={(event) => setKey(event.currentTarget.value)}
          />
          <button type="submit" disabled={!key.trim()}>
            {t("ui.key.save")}
          </button>
          {set && source !== "environment" && (
            <button type="button" onClick={() => setForgetting(true)}>
              {t("ui.key.delete")}
            </button>
          )}
        </form>
      </Row>
      {key && (
        <>
          <Choice
            label={t("ui.key.keep")}
            name="keep"
            value={keep}
            options={options}
            onChange={(value) => setKeep(value === "keyring" || value === "file" ? value : "session")}
          />
          {keep === "file" && <p class="note warning">{t("ui.key.file_note")}</p>}
        </>
      )}
      {forgetting && (
        <Confirm
          title={t("ui.key.delete_title", { host: app.host })}
          text={t("ui.key.delete_text")}
          action={t("ui.key.delete")}
          onClose={() => setForgetting(false)}
          onConfirm={() =>
            void store.attempt(async () => {
              await store.commands.deleteKey({});
              await store.loadApp();
            })
          }
        />
      )}
    </div>
  );
}
