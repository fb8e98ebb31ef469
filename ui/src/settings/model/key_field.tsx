/** The API key of one address: write-only, with where it is kept, and forgetting it. No command gives it back. */
import { useEffect, useState } from "preact/hooks";
import type { ConnectionInfo, SetKeyArgs } from "../../bindings";
import { Confirm } from "../../components/overlays/dialog";
import { useStore } from "../../state/context";
import { errorText, KEYRING_LOCKED, t } from "../../texts";
import { Choice, Row } from "../form";

/** Set while something typed is not saved: saving it, and whether that worked. */
export interface Unsaved {
  current: (() => Promise<boolean>) | null;
}

interface KeyProps {
  connection: Pick<ConnectionInfo, "id" | "host" | "key" | "key_needed">;
  unsaved: Unsaved;
}

/** Write-only: what is typed goes to the core and is gone from here. */
export function KeyField({ connection, unsaved }: KeyProps) {
  const store = useStore();
  const { host, key_needed } = connection;
  const { set, source, last4, keyring_available: keyring, locked } = connection.key;
  const [key, setKey] = useState("");
  const id = `key-${connection.id}`;
  const [forgetting, setForgetting] = useState(false);
  const [keep, setKeep] = useState<SetKeyArgs["keep"]>(keyring ? "keyring" : "session");
  useEffect(
    () => () => {
      unsaved.current = null;
    },
    [unsaved],
  );

  async function save(): Promise<boolean> {
    const sent = key.trim();
    if (!sent) return false;
    const state = await store.attempt(() => store.commands.setKey({ connection: connection.id, key: sent, keep }));
    if (!state) return false;
    setKey("");
    await store.attempt(() => Promise.all([store.connections.load(), store.loadApp()]));
    return true;
  }
  unsaved.current = key.trim() ? save : null;

  const none = locked ? errorText(KEYRING_LOCKED) : t("ui.key.none");
  const status = set ? t(`ui.key.source_${source}`, { last4 }) : key_needed ? none : t("ui.key.not_needed");
  const options: { value: SetKeyArgs["keep"]; label: string }[] = [
    ...(keyring ? [{ value: "keyring" as const, label: t("ui.key.keep_keyring") }] : []),
    { value: "session", label: t("ui.key.keep_session") },
    { value: "file", label: t("ui.key.keep_file") },
  ];
  return (
    <div class="key-block">
      <Row id={id} label={t("ui.key.label", { host })} note={status}>
        <form
          class="inline"
          onSubmit={(event) => {
            event.preventDefault();
            void save();
          }}
        >
          <input
            id={id}
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
            name={`keep-${connection.id}`}
            value={keep}
            options={options}
            onChange={(value) => setKeep(value === "keyring" || value === "file" ? value : "session")}
          />
          {keep === "file" && <p class="note warning">{t("ui.key.file_note")}</p>}
        </>
      )}
      {forgetting && (
        <Confirm
          title={t("ui.key.delete_title", { host })}
          text={t("ui.key.delete_text")}
          action={t("ui.key.delete")}
          onClose={() => setForgetting(false)}
          onConfirm={() =>
            void store.attempt(async () => {
              await store.commands.deleteKey({ connection: connection.id });
              await Promise.all([store.connections.load(), store.loadApp()]);
            })
          }
        />
      )}
    </div>
  );
}
