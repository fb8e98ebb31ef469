/** The file changed elsewhere while the owner was typing: theirs, mine, or both. */
import type { FileView } from "../../bindings";
import { DiffView } from "../../components/diff/diff";
import { Icon } from "../../components/icons";
import { Loading, useLoad } from "../../components/loading";
import { useStore } from "../../state/context";
import type { Editing } from "../../state/editing";
import { t } from "../../texts";

interface Props {
  editing: Editing;
  onTheirs: () => void;
  onMine: () => void;
  onJoin: () => void;
}

export function Conflict({ editing, onTheirs, onMine, onJoin }: Props) {
  const { theirs, text } = editing;
  if (!theirs) return null;
  const { file } = editing.file;
  const broken = theirs.state === "broken";
  return (
    <section class="conflict" aria-label={t("ui.conflict.title", { file })}>
      <div role="alert">
        <h3>
          <Icon name="warning" />
          {t("ui.conflict.title", { file })}
        </h3>
        <p>{t(broken ? "ui.conflict.broken" : "ui.conflict.text")}</p>
      </div>
      {!broken && <Difference theirs={theirs} mine={text} />}
      {editing.overlap && (
        <p class="error-text" role="alert">
          {t("ui.conflict.overlap")}
        </p>
      )}
      <div class="row end">
        <button type="button" onClick={onTheirs}>
          {t("ui.conflict.theirs")}
        </button>
        <button type="button" disabled={broken} onClick={onMine}>
          {t("ui.conflict.mine")}
        </button>
        <button type="button" class="primary" disabled={broken || editing.overlap} onClick={onJoin}>
          {t("ui.conflict.both")}
        </button>
      </div>
    </section>
  );
}

/** Kept up while both sides go on writing. */
function Difference({ theirs, mine }: { theirs: FileView; mine: string }) {
  const store = useStore();
  const ask = () => store.commands.diffTexts({ old: theirs.text, new: mine });
  const loaded = useLoad(ask, [mine], theirs.version);
  return (
    <>
      <Loading of={loaded} lines={3} />
      {loaded.value && <DiffView diff={loaded.value} label={t("ui.conflict.diff")} />}
    </>
  );
}
