/** Settings > Pets: who lives here; make, rename, duplicate, bin, switch; and the skills of the one that is here now. */

import { useState } from "preact/hooks";
import { Itself } from "../../avatar/pet_avatar";
import { PetPicture } from "../../avatar/pet_picture";
import type { PetInfo, PetList } from "../../bindings";
import { Icon } from "../../components/icons";
import { Loading, useLoad } from "../../components/loading";
import { Confirm } from "../../components/overlays/dialog";
import { Menu } from "../../components/overlays/menu";
import { RenameField } from "../../components/rename_field";
import { useStore } from "../../state/context";
import { dirty } from "../../state/editing";
import type { Store } from "../../state/store";
import { dayAndTime, t, tn } from "../../texts";
import { NewPet } from "./new_pet";
import { Skills } from "./skills";

const SIZE = 44;

type Asking = { what: "new" } | { what: "duplicate" | "delete" | "switch"; pet: PetInfo };

export function Pets() {
  const store = useStore();
  const loaded = useLoad(() => store.commands.listPets(), [store.memory.pets.value]);
  const pets = loaded.value?.pets;
  const take = (list: PetList | null) => list && loaded.set(list);
  const [asking, setAsking] = useState<Asking | null>(null);
  const close = () => setAsking(null);
  return (
    <>
      <h2>{t("ui.section.pets")}</h2>
      <Loading of={loaded} lines={3} />
      <ul class="cards pets">
        {pets?.map((pet) => (
          <PetRow key={pet.id} pet={pet} onAsk={(what) => setAsking({ what, pet })} onChanged={take} />
        ))}
      </ul>
      <button type="button" class="primary" onClick={() => setAsking({ what: "new" })}>
        <Icon name="plus" />
        {t("ui.pets.new")}
      </button>
      <button type="button" class="link alone" onClick={() => store.openMoving()}>
        {t("moving.link_pets")}
      </button>
      <Skills />
      {asking?.what === "new" && <NewPet pets={pets ?? []} onClose={close} onMade={take} />}
      {asking?.what === "duplicate" && <NewPet pets={pets ?? []} of={asking.pet} onClose={close} onMade={take} />}
      {asking?.what === "delete" && (
        <Confirm
          title={t("ui.pets.delete_title", { name: asking.pet.name })}
          text={t("ui.pets.delete_text", { name: asking.pet.name })}
          action={t("ui.pets.delete")}
          onClose={close}
          onConfirm={() => void store.attempt(() => store.commands.deletePet({ pet: asking.pet.id })).then(take)}
        />
      )}
      {asking?.what === "switch" && (
        <Confirm
          title={t("ui.pets.switch_title", { name: asking.pet.name })}
          text={[t("ui.pets.switch_text", { name: asking.pet.name }), ...unsaved(store)].join(" ")}
          action={t("ui.pets.switch")}
          danger={false}
          onClose={close}
          onConfirm={() =>
            void store.attempt(async () => {
              await store.saveTabsNow();
              await store.commands.switchPet({ pet: asking.pet.id });
            })
          }
        />
      )}
    </>
  );
}

/** What stands in an editor alone would be lost. */
function unsaved(store: Store): string[] {
  const files = [...store.edits].flatMap(([file, editing]) => (dirty(editing) ? file : []));
  return files.length > 0 ? [`${files.join(t("ui.list.and"))}: ${t("ui.file.unsaved")}.`] : [];
}

interface PetRowProps {
  pet: PetInfo;
  onAsk: (what: "duplicate" | "delete" | "switch") => void;
  onChanged: (list: PetList | null) => void;
}

function PetRow({ pet, onAsk, onChanged }: PetRowProps) {
  const store = useStore();
  const [renaming, setRenaming] = useState(false);

  async function rename(wanted: string | null): Promise<void> {
    setRenaming(false);
    if (wanted === null) return;
    onChanged(await store.attempt(() => store.commands.renamePet({ pet: pet.id, name: wanted })));
    if (pet.current) await store.attempt(() => store.loadApp());
  }

  return (
    <li class={pet.current ? "card-row pet-row current" : "card-row pet-row"}>
      {pet.current ? <Itself size={SIZE} /> : <PetPicture pet={pet.id} size={SIZE} />}
      {!renaming ? (
        <div class="card-main">
          <span class="title" dir="auto">
            {pet.name}
          </span>
          <span class="quiet-text">{about(pet)}</span>
        </div>
      ) : (
        <RenameField name={pet.name} label={t("ui.pets.rename")} look="card-main" most={60} onDone={rename} />
      )}
      {pet.current ? (
        <span class="here">{t("ui.pets.current")}</span>
      ) : (
        <button type="button" aria-label={t("ui.pets.switch_to", { name: pet.name })} onClick={() => onAsk("switch")}>
          {t("ui.pets.switch")}
        </button>
      )}
      <Menu
        label={t("ui.pets.more", { name: pet.name })}
        items={[
          { label: t("ui.pets.rename"), icon: "pencil", onChoose: () => setRenaming(true) },
          { label: t("ui.pets.duplicate"), icon: "copy", onChoose: () => onAsk("duplicate") },
          {
            label: t(pet.current ? "ui.pets.delete_not_here" : "ui.pets.delete"),
            icon: "trash",
            disabled: pet.current,
            onChoose: () => onAsk("delete"),
          },
        ]}
      >
        <Icon name="more" />
      </Menu>
    </li>
  );
}

function about(pet: PetInfo): string {
  const talks = tn("ui.pets.talk", "ui.pets.talks", pet.conversations);
  return pet.changed_at ? `${talks} · ${dayAndTime(pet.changed_at)}` : talks;
}
