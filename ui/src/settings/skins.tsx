/** What the pet can wear: a look at each, choosing, taking in, exporting, deleting. Pictures alone; nothing is loaded. */
import { useRef, useState } from "preact/hooks";
import type { SkinFile, SkinInfo } from "../bindings";
import { Confirm } from "../parts/dialog";
import { Icon } from "../parts/icons";
import { Loading, useLoad } from "../parts/loading";
import { Menu } from "../parts/menu";
import { useStore } from "../state/context";
import { errorOf, errorText, number, t } from "../texts";
import { LARGEST, packed } from "./given";
import { SkinPicture } from "./skin_picture";

export function Skins() {
  const store = useStore();
  const loaded = useLoad(() => store.commands.listSkins(), [store.settingsChange.value]);
  const skins = loaded.value?.skins;
  const [failed, setFailed] = useState("");
  const [deleting, setDeleting] = useState<SkinInfo | null>(null);

  async function act(action: () => Promise<{ skins: SkinInfo[] }>): Promise<void> {
    try {
      loaded.set({ skins: (await action()).skins });
      setFailed("");
    } catch (thrown) {
      setFailed(errorText(errorOf(thrown)));
    }
  }

  return (
    <section class="skins" aria-label={t("ui.skins.title")}>
      <h3>{t("ui.skins.title")}</h3>
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
            onChoose={() => void act(() => store.commands.chooseSkin({ skin: skin.id }))}
            onExport={() => void exported(skin)}
            onDelete={() => setDeleting(skin)}
          />
        ))}
      </ul>
      <Import onFiles={(files) => void act(() => taken(files))} onFailed={setFailed} />
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

  /** With what had to be helped in it, which is told once. */
  async function taken(files: SkinFile[]): Promise<{ skins: SkinInfo[] }> {
    const { skin, skins: all } = await store.commands.importSkin({ files });
    return { skins: all.map((each) => (each.id === skin.id ? skin : each)) };
  }

  async function exported(skin: SkinInfo): Promise<void> {
    const done = await store.attempt(() => store.commands.exportSkin({ skin: skin.id }));
    if (done) store.notify(t("ui.skins.exported", { path: done.path }));
  }
}

interface CardProps {
  skin: SkinInfo;
  onChoose: () => void;
  onExport: () => void;
  onDelete: () => void;
}

function SkinCard({ skin, onChoose, onExport, onDelete }: CardProps) {
  const { name, author, description, problem, current } = skin;
  const [live, setLive] = useState(false);
  return (
    <li class={current ? "skin current" : "skin"}>
      <button
        type="button"
        class="skin-main"
        aria-pressed={current}
        disabled={problem !== null}
        title={description}
        onClick={onChoose}
        onPointerEnter={() => setLive(true)}
        onPointerLeave={() => setLive(false)}
        onFocus={() => setLive(true)}
        onBlur={() => setLive(false)}
      >
        <SkinPicture skin={skin} live={live && !problem} />
        <span class="title">{name}</span>
        {author && <span class="quiet-text">{t("ui.skins.by", { author })}</span>}
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
          { label: t("ui.skins.export"), icon: "folder", disabled: problem !== null, onChoose: onExport },
          ...(skin.deletable ? [{ label: t("ui.skins.delete"), icon: "trash" as const, onChoose: onDelete }] : []),
        ]}
      >
        <Icon name="more" />
      </Menu>
    </li>
  );
}

interface ImportProps {
  onFiles: (files: SkinFile[]) => void;
  onFailed: (words: string) => void;
}

function Import({ onFiles, onFailed }: ImportProps) {
  const field = useRef<HTMLInputElement>(null);

  async function take(list: FileList | null): Promise<void> {
    const files = [...(list ?? [])];
    if (field.current) field.current.value = "";
    if (files.length === 0) return;
    if (files.reduce((sum, file) => sum + file.size, 0) > LARGEST) {
      onFailed(t("ui.skins.too_large", { limit: number(LARGEST / 1_000_000) }));
      return;
    }
    onFiles(await Promise.all(files.map(packed)));
  }

  return (
    <div class="row">
      <button type="button" onClick={() => field.current?.click()}>
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
        onChange={(event) => void take(event.currentTarget.files)}
      />
    </div>
  );
}
