/** Headers that go with each request of a connection. Their values are write-only, like keys. */
import { useState } from "preact/hooks";
import type { ConnectionInfo } from "../../bindings";
import { useStore } from "../../state/context";
import { t } from "../../texts";
import { Keep, type Keeping } from "./model";

export function HeaderFields({ connection: { id, key } }: { connection: ConnectionInfo }) {
  const store = useStore();
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const [chosen, setChosen] = useState<Keeping | null>(null);
  const keep = chosen ?? (key.keyring_available ? "keyring" : "session"); // never a file unasked

  async function set(name: string, value: string): Promise<void> {
    const kept = await store.notices.attempt(() =>
      store.commands.setHeader({ connection: id, name: name.trim(), value: value.trim(), keep }),
    );
    if (!kept) return;
    setName("");
    setValue("");
    await store.notices.attempt(() => Promise.all([store.connections.load(), store.loadApp()]));
  }

  return (
    <fieldset class="setting headers">
      <legend>{t("connections.headers")}</legend>
      <p class="note">{t("connections.headers_note")}</p>
      {key.headers.map((each) => (
        <div key={each} class="inline">
          <code>{each}</code>
          <span aria-hidden="true">•••</span>
          <button
            type="button"
            class="link soft"
            aria-label={t("connections.header_forget", { name: each })}
            onClick={() => void set(each, "")}
          >
            {t("ui.key.delete")}
          </button>
        </div>
      ))}
      <form
        class="inline"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() && value.trim()) void set(name, value);
        }}
      >
        <input
          value={name}
          spellcheck={false}
          placeholder={t("connections.header_name")}
          aria-label={t("connections.header_name")}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <input
          type="password"
          autocomplete="off"
          value={value}
          placeholder={t("connections.header_value")}
          aria-label={t("connections.header_value")}
          onInput={(event) => setValue(event.currentTarget.value)}
        />
        <button type="submit" disabled={!name.trim() || !value.trim()}>
          {t("connections.header_add")}
        </button>
      </form>
      {value && <Keep name={`keep-headers-${id}`} keep={keep} keyring={key.keyring_available} onChange={setChosen} />}
    </fieldset>
  );
}
