/** Skins of others: dropped or chosen files, exporting, copying and deleting. */
import { useRef, useState } from "preact/hooks";
import { SkinPicture } from "../../avatar/pet_avatar";
import type { GivenFile, SkinImported, SkinInfo } from "../../bindings";
import { Icon } from "../../components/icons";
import { Menu } from "../../components/menu";
import { Confirm } from "../../components/overlays";
import { useDropZone } from "../../input/drops";
import { LARGEST, packFile } from "../../ipc/upload";
import { SkinCards, useSkins } from "../../settings/looks";
import { useStore } from "../../state/context";
import { number } from "../../texts";
import { filesOf } from "./folders";
import "./skins.css";
import { t } from "./words";

const isForeign = ({ origin }: SkinInfo) => origin === "codex" || origin === "petdex";

export function Skins() {
  const store = useStore();
  const listed = useSkins();
  const { skins, setFailed, act, wear } = listed;
  const [deleting, setDeleting] = useState<SkinInfo | null>(null);
  const [arrived, setArrived] = useState<SkinInfo | null>(null);
  const { over, zone } = useDropZone(
    () => true,
    (transfer) => void dropped(transfer),
  );

  return (
    <section class={over ? "skins over" : "skins"} aria-label={t("ui.skins.title")} {...zone}>
      <h3>{t("ui.skins.title")}</h3>
      {over && <p class="drop-words">{t("skins.drop")}</p>}
      <SkinCards
        of={listed}
        credits={(skin) => <Credits skin={skin} />}
        more={(skin) => (
          <More
            skin={skin}
            onCopy={() => void act(async () => welcomed(await store.commands.copySkin({ skin: skin.id })))}
            onExport={() => void exported(skin)}
            onDelete={() => setDeleting(skin)}
          />
        )}
      />
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
    return { skins: all.map((each) => (each.id === skin.id ? skin : each)) };
  }

  async function exported(skin: SkinInfo): Promise<void> {
    const done = await store.notices.attempt(() => store.commands.exportSkin({ skin: skin.id }));
    if (done) store.notices.tell(t("ui.skins.exported", { path: done.path }), "downloads");
  }
}

function Credits({ skin }: { skin: SkinInfo }) {
  const { author, licence, origin } = skin;
  return (
    <>
      {author && <span class="quiet-text">{t("ui.skins.by", { author })}</span>}
      {licence && <span class="quiet-text credit">{t("skins.licence", { licence })}</span>}
      {(origin === "codex" || origin === "petdex") && (
        <span class="quiet-text credit">{t(`skins.from.${origin}`)}</span>
      )}
    </>
  );
}

interface MoreProps {
  skin: SkinInfo;
  onCopy: () => void;
  onExport: () => void;
  onDelete: () => void;
}

function More({ skin, onCopy, onExport, onDelete }: MoreProps) {
  const { name, problem, deletable } = skin;
  return (
    <Menu
      label={t("ui.skins.more", { name })}
      items={[
        ...(isForeign(skin) && !problem ? [{ label: t("skins.copy"), icon: "copy" as const, onChoose: onCopy }] : []),
        { label: t("ui.skins.export"), icon: "folder", disabled: problem !== null, onChoose: onExport },
        ...(deletable ? [{ label: t("ui.skins.delete"), icon: "trash" as const, onChoose: onDelete }] : []),
      ]}
    >
      <Icon name="more" />
    </Menu>
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
