/**
 * A skin from a pasted address: asked about first, with who would send it and how large it is, then downloaded by the
 * core and never by the page, with its progress and a way out.
 */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { SkinImported, SkinOffer } from "../../bindings";
import { Dialog } from "../../components/overlays/dialog";
import { useStore } from "../../state/context";
import { bytes, errorOf, errorText, t } from "../../texts";

interface Props {
  onTaken: (taken: SkinImported) => void;
  onClose: () => void;
}

type Step = { at: "asking" } | { at: "looking" } | { at: "offered"; offer: SkinOffer } | { at: "coming" };

export function SkinAddress({ onTaken, onClose }: Props) {
  const store = useStore();
  const [address, setAddress] = useState("");
  const [step, setStep] = useState<Step>({ at: "asking" });
  const [failed, setFailed] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const here = useRef(true);
  useLayoutEffect(() => {
    field.current?.focus();
    return () => {
      here.current = false;
      void store.commands.stopFetchingSkin().catch(() => undefined);
    };
  }, [store]);

  async function attempt(next: () => Promise<Step | null>): Promise<void> {
    setFailed("");
    try {
      const then = await next();
      if (then && here.current) setStep(then);
    } catch (thrown) {
      if (!here.current) return;
      setFailed(errorText(errorOf(thrown)));
      setStep({ at: "asking" });
    }
  }

  function look(): void {
    setStep({ at: "looking" });
    void attempt(async () => ({ at: "offered", offer: await store.commands.lookAtSkin({ address }) }));
  }

  function get(): void {
    store.skinArriving.value = null;
    setStep({ at: "coming" });
    void attempt(async () => {
      onTaken(await store.commands.fetchSkin({ address }));
      onClose();
      return null;
    });
  }

  const busy = step.at === "looking" || step.at === "coming";
  return (
    <Dialog title={t("skins.address.title")} onClose={onClose}>
      <form
        class="skin-address"
        onSubmit={(event) => {
          event.preventDefault();
          if (address.trim() && !busy) look();
        }}
      >
        <label>
          <span>{t("skins.address.field")}</span>
          <input
            ref={field}
            type="text"
            inputMode="url"
            autocomplete="off"
            spellcheck={false}
            value={address}
            disabled={busy}
            placeholder="https://"
            aria-describedby="skin-address-hint"
            onInput={(event) => {
              setAddress(event.currentTarget.value);
              setStep({ at: "asking" });
              setFailed("");
            }}
          />
        </label>
        <p id="skin-address-hint" class="note">
          {t("skins.address.hint")}
        </p>
        <div role="status">
          {step.at === "looking" && <p>{t("skins.address.looking", { host: hostOf(address) })}</p>}
          {step.at === "offered" && <p class="offer">{offered(step.offer)}</p>}
          {step.at === "coming" && <Progress />}
          {failed && <p class="error-text">{failed}</p>}
        </div>
        <p class="note">{t("skins.address.note")}</p>
        <div class="row end">
          <button type="button" onClick={onClose}>
            {t(step.at === "coming" ? "skins.address.stop" : "ui.cancel")}
          </button>
          {step.at === "offered" ? (
            <button type="button" class="primary" onClick={get}>
              {t("skins.address.get")}
            </button>
          ) : (
            <button type="submit" class="primary" disabled={busy || !address.trim()}>
              {t("skins.address.look")}
            </button>
          )}
        </div>
      </form>
    </Dialog>
  );
}

function Progress() {
  const { done, of } = useStore().skinArriving.value ?? { done: 0, of: null };
  const words =
    of === null
      ? t("skins.address.progress_unknown", { done: bytes(done) })
      : t("skins.address.progress", { done: bytes(done), of: bytes(of) });
  return (
    <div class="arriving">
      <progress value={of === null ? undefined : done} max={of ?? 1} aria-label={t("skins.address.get")} />
      <p class="quiet-text">{words}</p>
    </div>
  );
}

function offered({ host, name, size }: SkinOffer): string {
  const what = { host, name: name || t("skins.address.unnamed") };
  return size === null
    ? t("skins.address.offer_unknown", what)
    : t("skins.address.offer", { ...what, size: bytes(size) });
}

/** For showing alone: what it is the core decides. */
function hostOf(address: string): string {
  try {
    const url = new URL(address.trim());
    return new URL(url.searchParams.get("imageUrl") ?? url.href).host;
  } catch {
    return address.trim().slice(0, 60);
  }
}
