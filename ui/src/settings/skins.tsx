/** Skins: choosing, dropping, and downloading from an address (by the core, after showing host and size). */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { SkinPicture } from "../avatar/pet_avatar";
import type { GivenFile, SkinImported, SkinInfo, SkinOffer } from "../bindings";
import { Icon } from "../components/icons";
import { Loading, useLoad } from "../components/loading";
import { Menu } from "../components/menu";
import { Confirm, Dialog } from "../components/overlays";
import { filesOf, useDropZone } from "../input/drops";
import { LARGEST, packFile } from "../ipc/upload";
import { useStore } from "../state/context";
import { bytes, errorOf, errorText, number, t } from "../texts";
import "./skins.css";

interface Props {
  onTaken: (taken: SkinImported) => void;
  onClose: () => void;
}

type Step = { at: "asking" } | { at: "looking" } | { at: "offered"; offer: SkinOffer } | { at: "coming" };

function SkinAddress({ onTaken, onClose }: Props) {
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

  function inspect(): void {
    setStep({ at: "looking" });
    void attempt(async () => ({ at: "offered", offer: await store.commands.checkSkinAddress({ address }) }));
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
          if (address.trim() && !busy) inspect();
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

/** Return the host of an address, for display only: the core decides. */
function hostOf(address: string): string {
  try {
    const url = new URL(address.trim());
    return new URL(url.searchParams.get("imageUrl") ?? url.href).host;
  } catch {
    return address.trim().slice(0, 60);
  }
}

export function Skins() {
  const store = useStore();
  const loaded = useLoad(() => store.commands.listSkins(), [store.settingsChange.value]);
  const skins = loaded.value?.skins;
  const [failed, setFailed] = useState("");
  const [deleting, setDeleting] = useState<SkinInfo | null>(null);
  const [arrived, setArrived] = useState<SkinInfo | null>(null);
  const [asking, setAsking] = useState(false);
  const { over, zone } = useDropZone(
    () => true,
    (transfer) => void dropped(transfer),
  );

  async function act(action: () => Promise<{ skins: SkinInfo[] }>): Promise<void> {
    try {
      loaded.set({ skins: (await action()).skins });
      setFailed("");
    } catch (thrown) {
      setFailed(errorText(errorOf(thrown)));
    }
  }

  const wear = (skin: SkinInfo) => void act(() => store.commands.chooseSkin({ skin: skin.id }));
  return (
    <section class={over ? "skins over" : "skins"} aria-label={t("ui.skins.title")} {...zone}>
      <h3>{t("ui.skins.title")}</h3>
      {over && <p class="drop-words">{t("skins.drop")}</p>}
      {failed && (
        <div class="fault" role="alert">
          <Icon name="warning" />
          <p>{failed}</p>
        </div>
      )}
      <Loading of={loaded} lines={3} />
      <ul class="wardrobe">
        {skins?.map((skin) => (
          <SkinCard
            key={skin.id}
            skin={skin}
            onChoose={() => wear(skin)}
            onCopy={() => void act(async () => welcomed(await store.commands.copySkin({ skin: skin.id })))}
            onExport={() => void exported(skin)}
            onDelete={() => setDeleting(skin)}
          />
        ))}
      </ul>
      {arrived && (
        <Arrived
          skin={skins?.find((each) => each.id === arrived.id) ?? arrived}
          onWear={() => {
            wear(arrived);
            setArrived(null);
          }}
          onLater={() => setArrived(null)}
        />
      )}
      <Import onFiles={(files) => void take(files)} onAddress={() => setAsking(true)} />
      {asking && <SkinAddress onTaken={(given) => loaded.set(welcomed(given))} onClose={() => setAsking(false)} />}
      <p class="note">{t("ui.skins.note")}</p>
      {deleting && (
        <Confirm
          title={t("ui.skins.delete_title", { name: deleting.name })}
          text={t("ui.skins.delete_text")}
          action={t("ui.skins.delete")}
          onClose={() => setDeleting(null)}
          onConfirm={() => void act(() => store.commands.deleteSkin({ skin: deleting.id }))}
        />
      )}
    </section>
  );

  async function take(files: File[]): Promise<void> {
    if (files.length === 0) return setFailed(t("skins.nothing_dropped"));
    if (files.reduce((sum, file) => sum + file.size, 0) > LARGEST)
      return setFailed(t("ui.skins.too_large", { limit: number(LARGEST / 1_000_000) }));
    const given: GivenFile[] | null = await Promise.all(files.map(packFile)).catch(() => null);
    if (given === null) return setFailed(t("skins.unreadable"));
    await act(async () => welcomed(await store.commands.importSkin({ files: given })));
  }

  async function dropped(transfer: DataTransfer | null): Promise<void> {
    const files = await filesOf(transfer).catch(() => null);
    if (files === null) setFailed(t("skins.unreadable"));
    else await take(files);
  }

  /** The notes of a new skin, shown once. */
  function welcomed({ skin, skins: all }: SkinImported): { skins: SkinInfo[] } {
    setArrived(skin);
    setFailed("");
    return { skins: all.map((each) => (each.id === skin.id ? skin : each)) };
  }

  async function exported(skin: SkinInfo): Promise<void> {
    const done = await store.notices.attempt(() => store.commands.exportSkin({ skin: skin.id }));
    if (done) store.notices.tell(t("ui.skins.exported", { path: done.path }), "downloads");
  }
}

interface CardProps {
  skin: SkinInfo;
  onChoose: () => void;
  onCopy: () => void;
  onExport: () => void;
  onDelete: () => void;
}

function SkinCard({ skin, onChoose, onCopy, onExport, onDelete }: CardProps) {
  const { name, author, licence, description, origin, problem, current } = skin;
  const foreign = origin === "codex" || origin === "petdex";
  const [live, setLive] = useState(false);
  return (
    <li class={current ? "skin current" : "skin"}>
      <button
        type="button"
        class="skin-main"
        aria-pressed={current}
        disabled={problem !== null}
        data-tip={description}
        onClick={onChoose}
        onPointerEnter={() => setLive(true)}
        onPointerLeave={() => setLive(false)}
        onFocus={() => setLive(true)}
        onBlur={() => setLive(false)}
      >
        <SkinPicture skin={skin} live={live && !problem} />
        <span class="title">{name}</span>
        {author && <span class="quiet-text">{t("ui.skins.by", { author })}</span>}
        {licence && <span class="quiet-text credit">{t("skins.licence", { licence })}</span>}
        {foreign && <span class="quiet-text credit">{t(`skins.from.${origin}`)}</span>}
      </button>
      {problem && <p class="error-text">{errorText(problem)}</p>}
      {skin.notes.map((note) => (
        <p key={errorText(note)} class="note">
          {errorText(note)}
        </p>
      ))}
      <Menu
        label={t("ui.skins.more", { name })}
        items={[
          ...(foreign && !problem ? [{ label: t("skins.copy"), icon: "copy" as const, onChoose: onCopy }] : []),
          { label: t("ui.skins.export"), icon: "folder", disabled: problem !== null, onChoose: onExport },
          ...(skin.deletable ? [{ label: t("ui.skins.delete"), icon: "trash" as const, onChoose: onDelete }] : []),
        ]}
      >
        <Icon name="more" />
      </Menu>
    </li>
  );
}

/** A new skin: in motion, with its author. */
function Arrived({ skin, onWear, onLater }: { skin: SkinInfo; onWear: () => void; onLater: () => void }) {
  return (
    <div class="arrived" role="status">
      <SkinPicture skin={skin} live={!skin.problem} />
      <div class="about">
        <strong>{t("skins.arrived", { name: skin.name })}</strong>
        {skin.author && <span class="quiet-text">{t("ui.skins.by", { author: skin.author })}</span>}
        {skin.licence && <span class="quiet-text">{t("skins.licence", { licence: skin.licence })}</span>}
      </div>
      <div class="row">
        <button type="button" onClick={onLater}>
          {t("skins.later")}
        </button>
        <button type="button" class="primary" disabled={skin.problem !== null} onClick={onWear}>
          {t("skins.wear")}
        </button>
      </div>
    </div>
  );
}

function Import({ onFiles, onAddress }: { onFiles: (files: File[]) => void; onAddress: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <div class="row">
      <button type="button" onClick={() => field.current?.click()}>
        <Icon name="plus" />
        {t("ui.skins.import")}
      </button>
      <button type="button" onClick={onAddress}>
        {t("skins.address")}
      </button>
      <input
        ref={field}
        type="file"
        class="sr"
        tabIndex={-1}
        aria-hidden="true"
        multiple
        accept=".zip,.png,.webp,.gif,.jpg,.jpeg"
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])];
          event.currentTarget.value = "";
          if (files.length > 0) onFiles(files);
        }}
      />
    </div>
  );
}
