/** The end of everything: a dialog that names the folders and takes a typed word. Enter alone never does it. */
import { useState } from "preact/hooks";
import type { ErrorInfo } from "../../bindings";
import { Loading, useLoad } from "../../components/loading";
import { Dialog } from "../../components/overlays/dialog";
import { useStore } from "../../state/context";
import { errorOf, errorText, t } from "../../texts";

export function Erase() {
  const [open, setOpen] = useState(false);
  return (
    <section class="erase" aria-label={t("settings.privacy.erase")}>
      <h3>{t("settings.privacy.erase")}</h3>
      <p class="note">{t("settings.privacy.erase_note")}</p>
      <button type="button" onClick={() => setOpen(true)}>
        {t("settings.privacy.erase_do")}
      </button>
      {open && <Question onClose={() => setOpen(false)} />}
    </section>
  );
}

function Question({ onClose }: { onClose: () => void }) {
  const store = useStore();
  const loaded = useLoad(() => store.commands.listFolders());
  const [typed, setTyped] = useState("");
  const [failed, setFailed] = useState<ErrorInfo | null>(null);
  const word = t("settings.privacy.erase_word");
  const meant = loaded.value !== null && typed.trim().toLowerCase() === word.toLowerCase();

  async function erase(): Promise<void> {
    try {
      await store.commands.eraseEverything({ confirm: typed });
    } catch (thrown) {
      setFailed(errorOf(thrown));
    }
  }

  return (
    <Dialog title={t("settings.privacy.erase_title")} onClose={onClose}>
      <p>{t("settings.privacy.erase_text")}</p>
      <Loading of={loaded} lines={3} />
      <ul class="erase-paths">
        {loaded.value?.folders.map((folder) => (
          <li key={folder}>{folder}</li>
        ))}
      </ul>
      <label for="erase-word" class="erase-word">
        {t("settings.privacy.erase_type", { word })}
        <input
          id="erase-word"
          autocomplete="off"
          spellcheck={false}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </label>
      <div role="status">{failed && <p class="error-text">{errorText(failed)}</p>}</div>
      <div class="row end">
        <button type="button" onClick={onClose}>
          {t("ui.cancel")}
        </button>
        <button type="button" class="danger" disabled={!meant} onClick={() => void erase()}>
          {t("settings.privacy.erase")}
        </button>
      </div>
    </Dialog>
  );
}
