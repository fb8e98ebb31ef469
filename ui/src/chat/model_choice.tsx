/** The model of one conversation: its dialog, and the line above the messages while it has its own. */
import { useEffect, useState } from "preact/hooks";
import { Icon } from "../components/icons";
import type { MenuItem } from "../components/menu";
import { Dialog } from "../components/overlays";
import { Choosable } from "../settings/model/connections";
import { Model } from "../settings/model/model";
import type { Conversation } from "../state/chat/conversation";
import { COMPUTER } from "../state/connections";
import { useStore } from "../state/context";
import type { Store } from "../state/store";
import { t } from "../texts";

/** Draws nothing for a conversation with the default model. */
export function ModelLine({ conversation }: { conversation: Conversation }) {
  const store = useStore();
  const { chosen } = conversation.info;
  if (!chosen) return null;
  const here = chosen.connection === COMPUTER;
  const model = here ? chosen.name : chosen.model;
  const where = here ? t("connections.here") : chosen.name;
  return (
    <button
      type="button"
      class="model-line"
      aria-label={t("choice.shown", { model: `${model}, ${where}` })}
      onClick={() => (store.connections.choosing.value = true)}
    >
      <Icon name={here ? "computer" : "key"} />
      {`${model} · ${where}`}
    </button>
  );
}

/** The item of a menu that opens the dialog. */
export function modelItem({ connections }: Store): MenuItem {
  return { label: t("choice.menu"), icon: "bulb", onChoose: () => (connections.choosing.value = true) };
}

export function ModelChoice() {
  const store = useStore();
  const id = store.tabs.active.value;
  const conversation = id === null ? null : store.conversations.of(id).value;
  if (!store.connections.choosing.value || !conversation) return null;
  return <Choosing key={id} conversation={conversation} />;
}

interface Wanted {
  connection: string;
  model: string;
}

function Choosing({ conversation }: { conversation: Conversation }) {
  const store = useStore();
  const { connections, models, app } = store;
  const { id, chosen } = conversation.info;
  const [wanted, setWanted] = useState<Wanted>({ connection: chosen?.connection ?? "", model: chosen?.model ?? "" });
  useEffect(() => {
    void connections.load();
    void models?.load();
  }, []);
  const list = connections.list.value?.connections ?? [];
  const here = models?.list().filter(({ usable }) => usable) ?? [];
  const close = () => {
    connections.choosing.value = false;
    store.navigation.focusComposer();
  };

  async function use(): Promise<void> {
    const done = await store.notices.attempt(() => store.commands.chooseModel({ conversation: id, ...wanted }));
    if (!done) return;
    const held = store.conversations.of(id);
    if (held.value) held.value = { ...held.value, info: { ...held.value.info, chosen: done.chosen } };
    close();
  }

  function option(connection: string, model: string, title: string, facts: string) {
    const mine = wanted.connection === connection && (connection !== COMPUTER || wanted.model === model);
    return (
      <Choosable
        key={`${connection} ${model}`}
        group="model-here"
        label={[title, facts].filter(Boolean).join(", ")}
        name={title}
        facts={facts}
        chosen={mine}
        onChoose={() => setWanted({ connection, model })}
      >
        {mine && connection !== "" && connection !== COMPUTER && (
          <div class="connection-edit">
            <Model
              connection={connection}
              model={wanted.model}
              onChange={(named) => setWanted({ connection, model: named })}
              inForm={false}
            />
          </div>
        )}
      </Choosable>
    );
  }

  return (
    <Dialog title={t("choice.title")} onClose={close}>
      <p class="note">{t("choice.note")}</p>
      <ul class="connection-list">
        {option("", "", t("choice.default"), [app.value?.model, app.value?.host].filter(Boolean).join(" · "))}
        {list.map((each) =>
          option(
            each.id,
            each.model,
            each.title,
            [each.title === each.host ? "" : each.host, each.model].filter(Boolean).join(" · "),
          ),
        )}
        {here.map((localModel) =>
          option(COMPUTER, localModel.id, localModel.name, `${t("connections.here")} · ${t("choice.stays")}`),
        )}
      </ul>
      <div class="row">
        <button type="button" class="primary" onClick={() => void use()}>
          {t("choice.use")}
        </button>
      </div>
    </Dialog>
  );
}
