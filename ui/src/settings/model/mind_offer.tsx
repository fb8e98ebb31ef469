/** A model file was dropped on the pet or chosen: one click lets it think, or a sentence says why it can't. */
import { Dialog } from "../../components/overlays/dialog";
import { useStore } from "../../state/context";
import { bytes, errorText, t } from "../../texts";

export function MindOffer() {
  const { minds } = useStore();
  const offered = minds.offered.value;
  if (!offered) return null;
  const { mind, name, size, need, error } = offered;
  const close = () => {
    minds.offered.value = null;
  };
  return (
    <Dialog title={t(error ? "minds.offer_refused" : "minds.offer_title", { name })} onClose={close}>
      {error ? (
        <p role="alert">{errorText(error)}</p>
      ) : (
        <>
          <p>{t("minds.offer_text", { size: bytes(size), need: bytes(need) })}</p>
          <p class="note">{t("choice.stays")}</p>
        </>
      )}
      <div class="row">
        {!error && (
          <button
            type="button"
            class="primary"
            onClick={() => {
              close();
              void minds.use(mind);
            }}
          >
            {t("minds.offer_use")}
          </button>
        )}
        <button type="button" onClick={close}>
          {t(error ? "ui.close" : "ui.cancel")}
        </button>
      </div>
    </Dialog>
  );
}
