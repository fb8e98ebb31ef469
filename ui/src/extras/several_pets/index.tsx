/** Several pets on the desktop: in Settings > Who I am > Pets, another pet comes too and goes home. */
import type { PetInfo } from "../../bindings";
import { Icon } from "../../components/icons";
import { useStore } from "../../state/context";
import type { ExtraPage } from "../../state/extra";
import type { Store } from "../../state/store";
import { t } from "./words";

export function makeExtra(store: Store): ExtraPage {
  return {
    others: {
      ComeOrGo,
      here: () => t("ui.pets.beside"),
      undeletable: () => t("ui.pets.delete_not_beside"),
      bring: (pet) => store.notices.attempt(() => store.commands.bringPet({ pet })),
    },
  };
}

function ComeOrGo({ pet: { id: pet, beside } }: { pet: PetInfo }) {
  const { notices, commands } = useStore();
  const comeOrGo = () => notices.attempt(() => (beside ? commands.sendPetHome({ pet }) : commands.bringPet({ pet })));
  return (
    <button type="button" onClick={() => void comeOrGo()}>
      <Icon name="paw" />
      {t(beside ? "ui.pets.go_home" : "ui.pets.come_too")}
    </button>
  );
}
