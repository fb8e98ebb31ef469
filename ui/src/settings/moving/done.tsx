/** What came of an import, and the way back. */

import type { ImportDone } from "../../bindings";
import { Icon } from "../../components/icons";
import { useStore } from "../../state/context";
import { t } from "../../texts";
import { brought, UndoImport } from "./past";

export function Done({ done }: { done: ImportDone }) {
  const store = useStore();
  const heading = done.new_pet ? t("moving.done_pet", { name: done.name }) : t("moving.done");

  async function visit(): Promise<void> {
    await store.saveTabsNow();
    await store.commands.switchPet({ pet: done.pet });
  }

  return (
    <div class="moving-card moving-done" role="status">
      <p class="moving-head">
        <Icon name="check" />
        <b>{heading}</b>
      </p>
      {done.kind !== "pet" && <p>{brought(done)}</p>}
      <div class="row">
        {done.new_pet ? (
          <button type="button" class="primary" onClick={() => void store.attempt(visit)}>
            {t("moving.visit", { name: done.name })}
          </button>
        ) : (
          <>
            {done.files + done.days > 0 && (
              <button
                type="button"
                class="primary"
                onClick={() => {
                  store.memory.tab.value = "browse";
                }}
              >
                {t("moving.see_memory")}
              </button>
            )}
            {done.conversations > 0 && (
              <button type="button" onClick={() => store.show("history")}>
                {t("moving.see_talks")}
              </button>
            )}
          </>
        )}
        <UndoImport done={done} />
        <button type="button" class="link soft" onClick={() => void store.moving.stop()}>
          {t("moving.other")}
        </button>
      </div>
    </div>
  );
}
