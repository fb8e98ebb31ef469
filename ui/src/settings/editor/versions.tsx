/** The kept versions of a file: author and changes of each, and restoring one. */

import { useState } from "preact/hooks";
import type { Diff, KeptVersion } from "../../bindings";
import { DiffView, SideBySide } from "../../components/diff";
import { Loading, useLoad } from "../../components/loading";
import { Dialog } from "../../components/overlays";
import { useStore } from "../../state/context";
import { dayAndTime, type Key, t } from "../../texts";

interface Props {
  file: string;
  onClose: () => void;
  onRestored: () => void;
}

const AUTHORS: Record<KeptVersion["author"], Key> = {
  owner: "ui.author.owner",
  pet: "ui.author.pet",
  outside: "ui.author.outside",
  system: "ui.author.system",
};

/** CSS pixels from which two texts fit side by side. */
const WIDE = 960;

export function Versions({ file, onClose, onRestored }: Props) {
  const store = useStore();
  const changed = store.files.versionsOf((each) => each === file);
  const loaded = useLoad(() => store.commands.listVersions({ file }), [changed], file);
  const [id, setId] = useState<string | null>(null);
  const versions = loaded.value?.versions;
  // The dialog opens on the last version whose text differs from the current one.
  const now = versions?.find((each) => each.current)?.version;
  const chosen = versions?.find((each) => (id === null ? each.version !== now : each.id === id)) ?? versions?.[0];
  return (
    <Dialog title={t("ui.versions.title", { file })} onClose={onClose} wide>
      <Loading of={loaded} lines={4} />
      {versions?.length === 0 && <p class="quiet-text">{t("ui.versions.none")}</p>}
      {versions && versions.length > 0 && (
        <div class="versions">
          <ul>
            {versions.map((version) => (
              <li key={version.id}>
                <VersionButton version={version} chosen={version === chosen} onChoose={() => setId(version.id)} />
              </li>
            ))}
          </ul>
          <div class="version-view">
            {chosen?.version === now && <p class="note">{t("ui.versions.is_current")}</p>}
            {chosen && chosen.version !== now && (
              <Then
                key={chosen.id}
                version={chosen}
                changed={changed}
                onRestored={() => {
                  onRestored();
                  onClose();
                }}
              />
            )}
          </div>
        </div>
      )}
    </Dialog>
  );
}

interface VersionButtonProps {
  version: KeptVersion;
  chosen: boolean;
  onChoose: () => void;
}

function VersionButton({ version, chosen, onChoose }: VersionButtonProps) {
  return (
    <button type="button" aria-pressed={chosen} class={chosen ? "version chosen" : "version"} onClick={onChoose}>
      <span>{dayAndTime(version.at)}</span>
      <span class="quiet-text">
        {version.source?.agent || t(AUTHORS[version.author])}
        {version.current && ` · ${t("ui.versions.current")}`}
        {version.backup && ` · ${t("ui.versions.backup")}`}
      </span>
    </button>
  );
}

interface ThenProps {
  version: KeptVersion;
  /** the newest known version; the difference is loaded again when it changes */
  changed: string;
  onRestored: () => void;
}

/** The file then, compared with now. */
function Then({ version, changed, onRestored }: ThenProps) {
  const store = useStore();
  const { file, id } = version;
  const loaded = useLoad(() => store.commands.diffVersions({ file, old: id }), [changed], id);
  const [wide, setWide] = useState(window.innerWidth >= WIDE);
  const [busy, setBusy] = useState(false);

  async function restore(): Promise<void> {
    setBusy(true);
    const done = await store.notices.attempt(() => store.commands.restoreVersion({ file, version: id }));
    setBusy(false);
    if (done) onRestored();
  }

  return (
    <>
      <Loading of={loaded} lines={6} />
      {loaded.value && (
        <>
          <div class="row">
            <p class="note">{t("ui.versions.since")}</p>
            <span class="space" />
            <button type="button" class="quiet-button" aria-pressed={wide} onClick={() => setWide(!wide)}>
              {t("settings.versions.beside")}
            </button>
          </div>
          <Change diff={loaded.value} then={version} wide={wide} />
          <div class="row end">
            <button type="button" class="primary" disabled={busy} onClick={() => void restore()}>
              {t("ui.versions.restore")}
            </button>
          </div>
        </>
      )}
    </>
  );
}

function Change({ diff, then, wide }: { diff: Diff; then: KeptVersion; wide: boolean }) {
  const label = t("ui.versions.since");
  if (!wide) return <DiffView diff={diff} label={label} />;
  const left = `${t("settings.versions.then")} · ${dayAndTime(then.at)}`;
  return <SideBySide diff={diff} left={left} right={t("settings.versions.now")} label={label} />;
}
