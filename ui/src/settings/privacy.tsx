/** Settings > Privacy: where files are, what leaves the computer and to whom, and erasing everything. */
import { useState } from "preact/hooks";
import type { AppState, ErrorInfo, Place } from "../bindings";
import { CopyButton } from "../components/controls";
import { Icon, type IconName } from "../components/icons";
import { Loading, useLoad } from "../components/loading";
import { Dialog } from "../components/overlays";
import { useStore } from "../state/context";
import { bytes, errorOf, errorText, t } from "../texts";
import { Advanced } from "./form";
import "./rows.css";

function Erase() {
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

export function Privacy() {
  const store = useStore();
  const app = store.app.value;
  const [busy, setBusy] = useState(false);
  if (!app) return null;

  async function packFile(): Promise<void> {
    setBusy(true);
    const done = await store.notices.attempt(() => store.commands.exportPet());
    setBusy(false);
    if (done) store.notices.tell(t("settings.privacy.exported", { path: done.path }), "downloads");
  }

  return (
    <>
      <h2>{t("ui.section.privacy")}</h2>
      <ul class="assurances">
        <Assurance icon="file" words={[t("ui.privacy.files")]} />
        <Assurance icon="brain" words={leaves(app)} />
        <Assurance icon="shield" words={[t("ui.privacy.telemetry"), t("desktop.goes.updates")]} />
        <Assurance icon="bell" words={[t("desktop.goes.notices")]} />
      </ul>
      <h3>{t("desktop.key.title")}</h3>
      <p>{t(`desktop.key.${app.key.source}`, { last4: app.key.last4 || "…" })}</p>
      <h3>{t("ui.privacy.where")}</h3>
      <PlaceList />
      <h3>{t("settings.privacy.export")}</h3>
      <p class="note">{t("settings.privacy.export_note")}</p>
      <button type="button" disabled={busy} onClick={() => void packFile()}>
        <Icon name="forward" />
        {t("settings.privacy.export_do", { name: app.pet_name })}
      </button>
      <Erase />
      <p class="note">{t("ui.privacy.about", { version: app.version, backend: app.backend })}</p>
    </>
  );
}

function Assurance({ icon, words }: { icon: IconName; words: string[] }) {
  return (
    <li>
      <Icon name={icon} />
      <div>
        {words.map((each) => (
          <p key={each}>{each}</p>
        ))}
      </div>
    </li>
  );
}

/** Return what leaves this computer, and to which host. */
function leaves({ demo, host, key_needed }: AppState): string[] {
  if (demo) return [t("desktop.goes.demo")];
  if (!key_needed) return [t("ui.privacy.host_here")];
  return [t("ui.privacy.host", { host }), t("ui.host.goes", { host }), t("desktop.goes.when")];
}

function PlaceList() {
  const store = useStore();
  const places = useLoad(() => store.commands.listPlaces());
  if (!places.value) return <Loading of={places} lines={6} />;
  return (
    <>
      <button type="button" onClick={() => void store.notices.attempt(() => store.commands.openFolder({}))}>
        <Icon name="folder" />
        {t("ui.privacy.open_folder")}
      </button>
      <Advanced>
        <ul class="places">
          {places.value.places.map((place) => (
            <PlaceRow key={place.name} place={place} />
          ))}
        </ul>
      </Advanced>
    </>
  );
}

function PlaceRow({ place }: { place: Place }) {
  const store = useStore();
  const name = t(`desktop.place.${place.name}`);
  const open = t("desktop.place.open", { name });
  return (
    <li>
      <div>
        <strong>{name}</strong> <span class="note">{t(`desktop.place.${place.name}_note`)}</span>
        <code>{place.path}</code>
        <span class="note amount">{amount(place)}</span>
      </div>
      <CopyButton text={place.path} label={t("ui.privacy.copy_path")} />
      <button
        type="button"
        class="quiet"
        aria-label={open}
        data-tip=""
        onClick={() => void store.notices.attempt(() => store.commands.openFolder({ place: place.name }))}
      >
        <Icon name="folder" />
      </button>
    </li>
  );
}

function amount({ files, bytes: size }: Place): string {
  if (files === 0) return t("desktop.place.empty");
  return t("desktop.place.size", { files, size: bytes(size) });
}
