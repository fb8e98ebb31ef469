/** A new pet: its name, and whether it shall know what another one was told; or a second one just like another. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { PetInfo, PetList, TemplateInfo } from "../../bindings";
import { useLoad } from "../../components/loading";
import { Dialog } from "../../components/overlays/dialog";
import { useStore } from "../../state/context";
import { errorOf, errorText, language, t } from "../../texts";
import { SoulGallery } from "./soul_gallery";

interface Props {
  pets: PetInfo[];
  /** the one to duplicate */
  of?: PetInfo;
  onClose: () => void;
  onMade: (list: PetList) => void;
}

export function NewPet({ pets, of, onClose, onMade }: Props) {
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

  function choose(each: TemplateInfo): void {
    // A name the owner has typed stays; one that came with a personality goes with it.
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
      onMade(
        of
          ? await store.commands.duplicatePet({ pet: of.id, name: wanted })
          : await store.commands.createPet({
              name: wanted,
              ...(profile ? { profile_of: profile } : {}),
              ...(soul ? { soul } : {}),
            }),
      );
      onClose();
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
        {!of && <SoulGallery souls={souls} chosen={soul || (souls[0]?.id ?? "")} onChoose={choose} />}
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
        {failed && (
          <p class="error-text" role="alert">
            {failed}
          </p>
        )}
        <div class="row end">
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
