import { EXTRAS } from "../extras/list";
import { Store } from "../state/store";
import { FakeCore } from "./core/core";

/** Return a store over a fake core that delivers to it. */
export function makeStore(prepare: (core: FakeCore) => void = () => undefined, extras = EXTRAS) {
  const core = new FakeCore();
  prepare(core);
  const store = new Store(core.commands, extras);
  core.deliver = store.deliver;
  return { core, store };
}
