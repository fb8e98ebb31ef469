/** Starting texts. One goes into the editor, where the owner reads and saves it; nothing is written here. */
import { useEffect, useState } from "preact/hooks";
import type { TemplateInfo } from "../bindings";
import { Markdown } from "../markdown/markdown";
import { Dialog } from "../parts/dialog";
import { useStore } from "../state/context";
import { t } from "../texts";

interface Props {
  file: string;
  onChoose: (text: string) => void;
  onClose: () => void;
}

export function Templates({ file, onChoose, onClose }: Props) {
  const store = useStore();
  const [templates, setTemplates] = useState<TemplateInfo[] | null>(null);

  useEffect(() => {
    void store
      .attempt(() => store.commands.listTemplates())
      .then((list) => setTemplates(list?.templates.filter((each) => each.file === file) ?? []));
  }, [file]);

  return (
    <Dialog title={t("ui.templates.title", { file })} onClose={onClose}>
      {templates?.length === 0 && <p class="quiet-text">{t("ui.templates.none")}</p>}
      {templates?.map((template) => (
        <section key={template.id} class="template">
          <div class="row">
            <h3>{template.title}</h3>
            <button
              type="button"
              class="primary"
              onClick={() => {
                onChoose(template.text);
                onClose();
              }}
            >
              {t("ui.templates.use")}
            </button>
          </div>
          {template.about && <p class="template-about">{template.about}</p>}
          <details open={templates.length === 1}>
            <summary>{t("settings.templates.read")}</summary>
            <Markdown text={template.text} onLink={() => undefined} />
          </details>
        </section>
      ))}
      <p class="note">{t("ui.templates.note")}</p>
    </Dialog>
  );
}
