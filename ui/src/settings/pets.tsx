/** Settings > Who I am > Pets: make, rename, duplicate, delete and switch pets. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { CurrentPet, PetPicture, Portrait } from "../avatar/pet_avatar";
import type { PetInfo, PetList, TemplateInfo } from "../bindings";
import { ExtraLinks, Refusal, RenameField } from "../components/controls";
import { Icon } from "../components/icons";
import { Loading, useLoad } from "../components/loading";
import { Menu } from "../components/menu";
import { Confirm, Dialog } from "../components/overlays";
import { useStore } from "../state/context";
import { isDirty } from "../state/editing";
import type { Store } from "../state/store";
import { dayAndTime, errorOf, errorText, inARow, language, t } from "../texts";
import "../components/option.css";
import "./pets.css";

interface GalleryProps {
  souls: TemplateInfo[];
  chosen: string;
  onChoose: (soul: TemplateInfo) => void;
  /** bodies and names alone, with what the chosen one is like below */
  small?: boolean;
}

export function SoulGallery({ souls, chosen, onChoose, small = false }: GalleryProps) {
  const about = souls.find(({ id }) => id === chosen)?.about;
  return (
    <fieldset class={small ? "gallery small" : "gallery"}>
      <legend class="sr">{t("welcome.who.gallery")}</legend>
      {souls.map((soul) => (
        <label key={soul.id} class={soul.id === chosen ? "soul-card chosen" : "soul-card"}>
          <input
            type="radio"
            class="sr"
            name="personality"
            checked={soul.id === chosen}
            onChange={() => onChoose(soul)}
          />
          {soul.body && <Portrait size={small ? 56 : 72} body={soul.body} />}
          <span class="option-name">{soul.title}</span>
          {!small && <span class="note">{soul.about}</span>}
        </label>
      ))}
      {small && <p class="note">{about}</p>}
    </fieldset>
  );
}

interface NewPetProps {
  pets: PetInfo[];
  /** the one to duplicate */
  of?: PetInfo;
  onClose: () => void;
  onMade: (list: PetList) => void;
}

function NewPet({ pets, of, onClose, onMade }: NewPetProps) {
  const store = useStore();
  const field = useRef<HTMLInputElement>(null);
  const [name, setName] = useState(of ? t("ui.pets.second", { name: of.name }) : "");
  const [profile, setProfile] = useState("");
  const [soul, setSoul] = useState("");
  const given = useRef("");
  const loaded = useLoad(() => store.commands.listTemplates(), [language.value]);
  const souls = loaded.value?.templates.filter((each) => each.file === "SOUL.md" && each.name !== "") ?? [];
  const [failed, setFailed] = useState("");
  const [busy, setBusy] = useState(false);
  useLayoutEffect(() => field.current?.focus(), []);
  useEffect(() => {
    // The first whose name no pet has: a new pet is one click.
    const first = souls.find((each) => pets.every((pet) => pet.name !== each.name)) ?? souls[0];
    if (first && !of && soul === "") choose(first);
  }, [loaded.value]);

  function choose(each: TemplateInfo): void {
    // A name the owner typed stays; one that came with a personality is replaced with it.
    if (name.trim() === "" || name === given.current) setName(each.name);
    given.current = each.name;
    setSoul(each.id);
  }

  async function make(): Promise<void> {
    const wanted = name.trim();
    if (!wanted || busy) return;
    setBusy(true);
    setFailed("");
    try {
      const list = of
        ? await store.commands.duplicatePet({ pet: of.id, name: wanted })
        : await store.commands.createPet({
            name: wanted,
            ...(profile ? { profile_of: profile } : {}),
            ...(soul ? { soul } : {}),
          });
      onMade(list);
      onClose();
      // It is on the desktop at once: a pet that is only a row in a list was asked where it is.
      const born = of ? undefined : list.pets.find(({ id }) => pets.every((each) => each.id !== id));
      if (born) await store.others?.bring(born.id);
    } catch (thrown) {
      setFailed(errorText(errorOf(thrown)));
      setBusy(false);
    }
  }

  return (
    <Dialog title={of ? t("ui.pets.duplicate_title", { name: of.name }) : t("ui.pets.new_title")} onClose={onClose}>
      <form
        class="new-pet"
        onSubmit={(event) => {
          event.preventDefault();
          void make();
        }}
      >
        {!of && <SoulGallery small souls={souls} chosen={soul || (souls[0]?.id ?? "")} onChoose={choose} />}
        <div class="setting">
          <label for="pet-name">{t("ui.pets.name")}</label>
          <input
            id="pet-name"
            ref={field}
            value={name}
            maxLength={60}
            autocomplete="off"
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </div>
        {of ? (
          <p class="note">{t("ui.pets.duplicate_note")}</p>
        ) : (
          <div class="setting">
            <label for="pet-profile">{t("ui.pets.profile")}</label>
            <select
              id="pet-profile"
              value={profile}
              onChange={(event) => setProfile(event.currentTarget.value)}
              aria-describedby="pet-profile-note"
            >
              <option value="">{t("ui.pets.profile_none")}</option>
              {pets.map((pet) => (
                <option key={pet.id} value={pet.id}>
                  {t("ui.pets.profile_of", { name: pet.name })}
                </option>
              ))}
            </select>
            <p class="note" id="pet-profile-note">
              {t("ui.pets.profile_note")}
            </p>
          </div>
        )}
        <Refusal why={failed} />
        <div class="row end foot">
          <button type="button" onClick={onClose}>
            {t("ui.cancel")}
          </button>
          <button type="submit" class="primary" disabled={!name.trim() || busy}>
            {t(of ? "ui.pets.duplicate" : "ui.pets.create")}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

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
    <section class="pets-part" aria-label={t("ui.section.pets")}>
      <h3>{t("ui.section.pets")}</h3>
      <Loading of={loaded} lines={3} />
      <ul class="cards pets">
        {pets?.map((pet) => (
          <PetRow key={pet.id} pet={pet} onAsk={(what) => setAsking({ what, pet })} onChanged={take} />
        ))}
      </ul>
      <div class="row">
        <button type="button" onClick={() => setAsking({ what: "new" })}>
          <Icon name="plus" />
          {t("ui.pets.new")}
        </button>
        <ExtraLinks from="pets" />
      </div>
      {asking?.what === "new" && <NewPet pets={pets ?? []} onClose={close} onMade={take} />}
      {asking?.what === "duplicate" && <NewPet pets={pets ?? []} of={asking.pet} onClose={close} onMade={take} />}
      {asking?.what === "delete" && (
        <Confirm
          title={t("ui.pets.delete_title", { name: asking.pet.name })}
          text={t("ui.pets.delete_text", { name: asking.pet.name })}
          action={t("ui.pets.delete")}
          onClose={close}
          onConfirm={() =>
            void store.notices.attempt(() => store.commands.deletePet({ pet: asking.pet.id })).then(take)
          }
        />
      )}
      {asking?.what === "switch" && (
        <Confirm
          title={t("ui.pets.switch_title", { name: asking.pet.name })}
          text={inARow(t("ui.pets.switch_text", { name: asking.pet.name }), ...unsaved(store))}
          action={t("ui.pets.switch")}
          danger={false}
          onClose={close}
          onConfirm={() =>
            void store.notices.attempt(async () => {
              await store.saver.now();
              await store.commands.switchPet({ pet: asking.pet.id });
            })
          }
        />
      )}
    </section>
  );
}

/** Whether unsaved edits would be lost. */
function unsaved(store: Store): string[] {
  const files = [...store.files.edits].flatMap(([file, editing]) => (isDirty(editing) ? file : []));
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
    onChanged(await store.notices.attempt(() => store.commands.renamePet({ pet: pet.id, name: wanted })));
    if (pet.current) await store.notices.attempt(() => store.loadApp());
  }

  const { others } = store;
  const here = pet.beside ? others : undefined;
  return (
    <li class={pet.current ? "card-row pet-row current" : "card-row pet-row"}>
      {pet.current ? <CurrentPet size={SIZE} /> : <PetPicture pet={pet.id} size={SIZE} />}
      {!renaming ? (
        <div class="card-main">
          <span class="title" dir="auto">
            {pet.name}
          </span>
          <span class="quiet-text dotted">
            {[...(here ? [here.here()] : []), ...about(pet)].map((each) => (
              <span key={each}>{each}</span>
            ))}
          </span>
        </div>
      ) : (
        <RenameField name={pet.name} label={t("ui.pets.rename")} look="card-main" most={60} onDone={rename} />
      )}
      {pet.current ? <span class="here">{t("ui.pets.current")}</span> : others && <others.ComeOrGo pet={pet} />}
      <Menu
        label={t("ui.pets.more", { name: pet.name })}
        items={[
          ...(pet.current
            ? []
            : [
                {
                  label: t("ui.pets.switch_to", { name: pet.name }),
                  icon: "twins" as const,
                  onChoose: () => onAsk("switch"),
                },
              ]),
          { label: t("ui.pets.rename"), icon: "pencil", onChoose: () => setRenaming(true) },
          { label: t("ui.pets.duplicate"), icon: "copy", onChoose: () => onAsk("duplicate") },
          {
            label: here?.undeletable() ?? t(pet.current ? "ui.pets.delete_not_here" : "ui.pets.delete"),
            icon: "trash",
            disabled: pet.current || pet.beside,
            onChoose: () => onAsk("delete"),
          },
        ]}
      >
        <Icon name="more" />
      </Menu>
    </li>
  );
}

function about(pet: PetInfo): string[] {
  const talks = t("ui.pets.talks", { count: pet.conversations });
  const last = pet.changed_at ? [dayAndTime(pet.changed_at)] : [];
  return [talks, ...last];
}
