/** Character cards in the settings: one comes in and becomes the soul, or the pet goes out as one. */
import { useState } from "preact/hooks";
import { Icon } from "../../components/icons";
import { Dialog } from "../../components/overlays/dialog";
import { useStore } from "../../state/context";
import { t } from "../../texts";
import { CardImport } from "./card";

export function Cards({ onTaken }: { onTaken: () => void }) {
  const store = useStore();
  const [open, setOpen] = useState(false);

  async function exported(): Promise<void> {
    const done = await store.attempt(() => store.commands.exportCard());
    if (done) store.tell(t("card.exported", { path: done.path }), "downloads");
  }

  return (
    <section class="soul-cards" aria-label={t("card.title")}>
      <h3>{t("card.title")}</h3>
      <p class="note">{t("card.note")}</p>
      <div class="row">
        <button type="button" onClick={() => setOpen(true)}>
          <Icon name="user" />
          {t("card.import")}
        </button>
        <button type="button" onClick={() => void exported()}>
          <Icon name="forward" />
          {t("card.export")}
        </button>
      </div>
      {open && (
        <Dialog title={t("card.title")} onClose={() => setOpen(false)} wide>
          <CardImport
            onTaken={(name, changed) => {
              setOpen(false);
              store.tell(changed ? t("card.used", { name }) : t("card.same"));
              onTaken();
            }}
          />
        </Dialog>
      )}
    </section>
  );
}
