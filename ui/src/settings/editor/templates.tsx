/** Templates: previewed, then put into the editor, unsaved. Replacing text there needs confirmation. */
import { useState } from "preact/hooks";
import type { TemplateInfo } from "../../bindings";
import { Loading, useLoad } from "../../components/loading";
import { Dialog } from "../../components/overlays";
import { useStore } from "../../state/context";
import { t } from "../../texts";
import { FileText } from "./file_text";

interface Props {
  file: string;
  /** the editor's text */
  now: string;
  onChoose: (text: string) => void;
  onClose: () => void;
}

export function Templates({ file, now, onChoose, onClose }: Props) {
  const store = useStore();
  const loaded = useLoad(() => store.commands.listTemplates(), [], file);
  const [id, setId] = useState<string | null>(null);
  const [asking, setAsking] = useState(false);
  const templates = loaded.value?.templates.filter((each) => each.file === file);
  const chosen = templates?.find((each) => each.id === id) ?? templates?.[0];

  function use(template: TemplateInfo): void {
    // Replacing loses nothing for an empty text, an unchanged template, or the same text.
    const plain = now.trim() === "" || (templates?.some((each) => each.text.trim() === now.trim()) ?? false);
    if (!plain && !asking) {
      setAsking(true);
      return;
    }
    onChoose(template.text);
    onClose();
  }

  return (
    <Dialog title={t("ui.templates.title", { file })} onClose={onClose} wide>
      <Loading of={loaded} lines={4} />
      {templates?.length === 0 && <p class="quiet-text">{t("ui.templates.none")}</p>}
      {templates && chosen && (
        <div class="templates">
          {templates.length > 1 && (
            <fieldset class="template-list">
              <legend class="sr">{t("ui.templates.title", { file })}</legend>
              {templates.map((each) => (
                <TemplateCard
                  key={each.id}
                  template={each}
                  chosen={each === chosen}
                  onChoose={() => {
                    setId(each.id);
                    setAsking(false);
                  }}
                />
              ))}
            </fieldset>
          )}
          <div class="template-view">
            {templates.length === 1 && <h3>{chosen.title}</h3>}
            {chosen.about && templates.length === 1 && <p class="note">{chosen.about}</p>}
            <FileText key={chosen.id} text={chosen.text} label={chosen.title} />
          </div>
        </div>
      )}
      {asking && (
        <p class="note warning" role="alert">
          {t("ui.templates.replaces", { file })}
        </p>
      )}
      <p class="note">{t("ui.templates.own", { folder: loaded.value?.folder ?? "" })}</p>
      <div class="row end">
        <p class="note grow">{t("ui.templates.note")}</p>
        <button type="button" onClick={onClose}>
          {t("ui.cancel")}
        </button>
        {chosen && (
          <button type="button" class="primary" onClick={() => use(chosen)}>
            {t(asking ? "ui.templates.replace" : "ui.templates.use")}
          </button>
        )}
      </div>
    </Dialog>
  );
}

interface CardProps {
  template: TemplateInfo;
  chosen: boolean;
  onChoose: () => void;
}

function TemplateCard({ template, chosen, onChoose }: CardProps) {
  return (
    <label class={chosen ? "soul-card chosen" : "soul-card"}>
      <input type="radio" class="sr" name="template" checked={chosen} onChange={onChoose} />
      <span class="option-name">{template.title}</span>
      {template.own && <span class="category">{t("ui.templates.yours")}</span>}
      {template.about && <span class="note">{template.about}</span>}
    </label>
  );
}
