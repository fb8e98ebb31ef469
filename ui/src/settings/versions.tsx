/** The kept versions of a file: who made each, what has changed since, and the way back. */
import { useEffect, useState } from "preact/hooks";
import type { Diff, VersionInfo } from "../bindings";
import { Dialog } from "../parts/dialog";
import { DiffView } from "../parts/diff";
import { SideBySide } from "../parts/side_by_side";
import { useStore } from "../state/context";
import { dayAndTime, type Key, t } from "../texts";

interface Props {
  file: string;
  onClose: () => void;
  onRestored: () => void;
}

const AUTHORS: Record<VersionInfo["author"], Key> = {
  owner: "ui.author.owner",
  pet: "ui.author.pet",
  outside: "ui.author.outside",
  system: "ui.author.system",
};

/** From here on two texts fit beside each other. */
const WIDE = 960;

function Lines({ diff }: { diff: Diff }) {
  return <DiffView diff={diff} label={t("ui.versions.since")} />;
}

function Beside({ diff, then }: { diff: Diff; then: VersionInfo }) {
  const left = `${t("settings.versions.then")} · ${dayAndTime(then.at)}`;
  return <SideBySide diff={diff} left={left} right={t("settings.versions.now")} label={t("ui.versions.since")} />;
}

export function Versions({ file, onClose, onRestored }: Props) {
  const store = useStore();
  const [versions, setVersions] = useState<VersionInfo[] | null>(null);
  const [chosen, setChosen] = useState<VersionInfo | null>(null);
  const [diff, setDiff] = useState<Diff | null>(null);
  const [wide, setWide] = useState(window.innerWidth >= WIDE);

  useEffect(() => {
    void store.attempt(() => store.commands.listVersions({ file })).then((list) => setVersions(list?.versions ?? []));
  }, [file]);

  async function choose(version: VersionInfo): Promise<void> {
    setChosen(version);
    setDiff(null);
    setDiff(await store.attempt(() => store.commands.diffVersions({ file, old: version.id })));
  }

  async function restore(version: VersionInfo): Promise<void> {
    const done = await store.attempt(() => store.commands.restoreVersion({ file, version: version.id }));
    if (!done) return;
    onRestored();
    onClose();
  }

  return (
    <Dialog title={t("ui.versions.title", { file })} onClose={onClose} wide>
      {versions?.length === 0 && <p class="quiet-text">{t("ui.versions.none")}</p>}
      <div class="versions">
        <ul>
          {versions?.map((version) => (
            <li key={version.id}>
              <button
                type="button"
                aria-pressed={chosen?.id === version.id}
                class={chosen?.id === version.id ? "version chosen" : "version"}
                onClick={() => void choose(version)}
              >
                <span>{dayAndTime(version.at)}</span>
                <span class="quiet-text">
                  {t(AUTHORS[version.author])}
                  {version.current && ` · ${t("ui.versions.current")}`}
                  {version.backup && ` · ${t("ui.versions.backup")}`}
                </span>
              </button>
            </li>
          ))}
        </ul>
        <div class="version-view">
          {!chosen && <p class="quiet-text">{t("ui.versions.choose")}</p>}
          {chosen && diff && (
            <>
              <p class="note">{t(chosen.current ? "ui.versions.is_current" : "ui.versions.since")}</p>
              {!chosen.current && (wide ? <Beside diff={diff} then={chosen} /> : <Lines diff={diff} />)}
              {!chosen.current && (
                <button type="button" class="quiet-button beside" aria-pressed={wide} onClick={() => setWide(!wide)}>
                  {t("settings.versions.beside")}
                </button>
              )}
              {!chosen.current && (
                <div class="row end">
                  <button type="button" class="primary" onClick={() => void restore(chosen)}>
                    {t("ui.versions.restore")}
                  </button>
                </div>
              )}
            </>
          )}
        </div>
      </div>
    </Dialog>
  );
}
