/** The name of one of the pet's files, in grey, which opens it in the editor. */
import { Icon } from "../components/icons";
import { useStore } from "../state/context";
import { isDirty } from "../state/editing";
import { t } from "../texts";

export function FileLink({ name }: { name: string }) {
  const store = useStore();
  return (
    <button type="button" class="file-link" onClick={() => store.openFile(name)}>
      {name}
      <FileMarks name={name} />
    </button>
  );
}

/** What waits in a file: unsaved text, and a copy that a sync program left. */
export function FileMarks({ name }: { name: string }) {
  const store = useStore();
  // The signal says when to check again.
  const editing = store.files.unsaved.value >= 0 ? store.files.edits.get(name) : undefined;
  return (
    <>
      {editing && isDirty(editing) && (
        <span class="unsaved" data-tip={t("ui.file.unsaved")}>
          <span class="sr">{t("ui.file.unsaved")}</span>
        </span>
      )}
      {store.memory.copies.value.some((copy) => copy.file === name) && (
        <span class="has-copy" data-tip={t("ui.copies.waiting")}>
          <Icon name="twins" />
          <span class="sr">{t("ui.copies.waiting")}</span>
        </span>
      )}
    </>
  );
}
