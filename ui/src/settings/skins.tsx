/** Skins: choosing, dropping, exporting. */
import { useRef, useState } from "preact/hooks";
import { SkinPicture } from "../avatar/pet_avatar";
import type { GivenFile, SkinImported, SkinInfo } from "../bindings";
import { Icon } from "../components/icons";
import { Loading, useLoad } from "../components/loading";
import { Menu } from "../components/menu";
import { Confirm } from "../components/overlays";
import { filesOf, useDropZone } from "../input/drops";
import { LARGEST, packFile } from "../ipc/upload";
import { useStore } from "../state/context";
import { errorOf, errorText, number, t } from "../texts";
import "./skins.css";

export function Skins() {
  const store = useStore();
  const loaded = useLoad(() => store.commands.listSkins(), [store.settingsChange.value]);
  const skins = loaded.value?.skins;
  const [failed, setFailed] = useState("");
  const [deleting, setDeleting] = useState<SkinInfo | null>(null);
  const [arrived, setArrived] = useState<SkinInfo | null>(null);
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
      <Import onFiles={(files) => void take(files)} />
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

function Import({ onFiles }: { onFiles: (files: File[]) => void }) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <div class="row">
      <button type="button" data-tip={t("ui.skins.note")} onClick={() => field.current?.click()}>
        <Icon name="plus" />
        {t("ui.skins.import")}
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
