/**
 * Imports: a page of Settings > Privacy and the links to it, character cards beside the soul and at the first start, and
 * what becomes of a card that is dropped on the pet.
 */
import { signal } from "@preact/signals";
import type { ExtraPage } from "../../state/extra";
import type { Store } from "../../state/store";
import { errorOf } from "../../texts";
import { CardImport, CardOffer, Cards, type OfferedCard } from "./cards";
import { Import } from "./imports";
import { ImportsContext, ImportsState } from "./state";
import { t } from "./words";

const PAGE = "extra_imports";

export function makeExtra(store: Store): ExtraPage {
  const imports = new ImportsState(store.commands);
  const offers = signal<OfferedCard | null>(null);
  return {
    onEvent(event) {
      imports.apply(event);
      if (event.type === "import_moved" && event.phase === "done") store.listed.value += 1;
    },
    resync: () => imports.resync(),
    page: {
      id: PAGE,
      icon: "out",
      label: () => t("moving.tab"),
      View: () => (
        <ImportsContext.Provider value={imports}>
          <Import />
        </ImportsContext.Provider>
      ),
    },
    link: {
      label: (from) => t(from === "memory" ? "moving.link" : from === "pets" ? "moving.link_pets" : "moving.welcome"),
      open: () => store.navigation.openSettings("privacy", PAGE),
    },
    greeting: async () => (await store.commands.getGreeting()).text,
    BesideSoul: Cards,
    soulSource: {
      label: () => t("welcome.who.card"),
      note: () => t("welcome.who.card_note"),
      View: CardImport,
    },
    async takesDropped(conversation, file) {
      if (offers.value || !/\.(png|json|charx)$/i.test(file.name)) return false;
      try {
        const card = await store.commands.previewCard({ file });
        if (card.declared) offers.value = { conversation, file, card };
        return card.declared;
      } catch (thrown) {
        errorOf(thrown); // it is an ordinary file
        return false;
      }
    },
    Question: () => <CardOffer offers={offers} />,
  };
}
