/** Models that the program runs itself, in Settings > Model, at the first start, and among what can answer. */
import type { LocalModelInfo } from "../../bindings";
import type { ExtraPage, OwnModel } from "../../state/extra";
import type { Store } from "../../state/store";
import { LocalModelOffer, LocalModels, ModelsContext } from "./local_models";
import { LocalModelsState, UNUSABLE } from "./state";
import { t } from "./words";

export function makeExtra({ commands }: Store): ExtraPage {
  const state = new LocalModelsState(commands);
  const View = ({ titled = false }) => (
    <ModelsContext.Provider value={state}>
      {titled && <h3>{t("local_models.title")}</h3>}
      <LocalModels />
    </ModelsContext.Provider>
  );
  return {
    onEvent: (event) => state.apply(event),
    resync: () => state.resync(),
    models: {
      load: () => state.load(),
      list: () => state.list.value?.local_models.map((each) => ownModel(state, each)) ?? [],
      use: (id) => state.use(id),
      search: () => state.search(false),
      searching: () => state.searching.value,
      arriving: () => state.fetching.value !== "",
      starting: () => state.phase.value === "starting",
      unusable: ({ code }) => UNUSABLE.has(code),
      View,
      Offer: () => (
        <ModelsContext.Provider value={state}>
          <LocalModelOffer />
        </ModelsContext.Provider>
      ),
    },
  };
}

function ownModel(state: LocalModelsState, { id, name, kind, chosen, here, fits }: LocalModelInfo): OwnModel {
  const problem = state.problem.value;
  return {
    id,
    name,
    kind,
    chosen,
    usable: here && !fits,
    failed: state.couldNotStart(id),
    problem: problem?.localModel === id ? problem.error : undefined,
  };
}
