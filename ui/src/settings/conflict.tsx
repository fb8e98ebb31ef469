/** The file changed elsewhere while the owner was typing: theirs, mine, or both (PRODUCT §8.4). */
import { useEffect, useState } from "preact/hooks";
import type { Diff } from "../bindings";
import { DiffView } from "../parts/diff";
import { Icon } from "../parts/icons";
import { useStore } from "../state/context";
import { t } from "../texts";
import type { Editing } from "./editing";

interface Props {
  editing: Editing;
  onTheirs: () => void;
  onMine: () => void;
  onJoin: () => void;
}

export function Conflict({ editing, onTheirs, onMine, onJoin }: Props) {
  const store = useStore();
  const { file } = editing.file;
  const theirs = editing.theirs;
  const [diff, setDiff] = useState<Diff | null>(null);

  useEffect(() => {
    let here = true;
    if (!theirs) return;
    void store
      .attempt(() => store.commands.diffTexts({ old: theirs.text, new: editing.text }))
      .then((made) => here && setDiff(made));
    return () => {
      here = false;
    };
  }, [theirs, editing.text]);

  if (!theirs) return null;
  const broken = theirs.state === "broken";
  return (
    <section class="conflict" role="alert">
      <h3>
        <Icon name="warning" />
        {t("ui.conflict.title", { file })}
      </h3>
      <p>{t(broken ? "ui.conflict.broken" : "ui.conflict.text")}</p>
      {diff && !broken && <DiffView diff={diff} label={t("ui.conflict.diff")} />}
      {editing.overlap && <p class="error-text">{t("ui.conflict.overlap")}</p>}
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
