/**
 * The first step: the model. A choice holds at once, except a detected server: it is used once the owner tests it or
 * goes on.
 */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ConnectionInfo, LocalServer, SettingsView } from "../bindings";
import { Option } from "../components/controls";
import { Icon } from "../components/icons";
import { Loading, useLoad } from "../components/loading";
import { type Changes, Problems, Row, type SettingsForm } from "../settings/form";
import { ANTHROPIC, isLocal, MAIN, service, Test, type Unsaved } from "../settings/model/model";
import { ServiceForm } from "../settings/model/service";
import { useStore } from "../state/context";
import type { Store } from "../state/store";
import { dayAndTime, inARow, t } from "../texts";
import { StepFooter } from "./steps";

export type Way = "local" | "key" | "demo";

interface Props {
  form: SettingsForm;
  /** the way that was chosen, for a step that is opened again */
  kept: { current: Way | null };
  onNext: () => void;
  onLeave: () => void;
}

export function ThinkingStep({ form, kept, onNext, onLeave }: Props) {
  const store = useStore();
  const [servers, setServers] = useState<LocalServer[] | null>(null);
  const [searchedAt, setSearchedAt] = useState<Date | null>(null);
  const [way, setWay] = useState<Way | null>(kept.current ?? known(form));
  const [lacking, setLacking] = useState<"" | "key" | "model">("");
  const unsaved: Unsaved = useRef(null);
  const touched = useRef(false);
  const rests = useRef("");
  /** The address under "A service" when another way was looked at: it may be on this computer as well. */
  const Own = store.models?.View;
  const left = useRef<Changes>({});
  /** Whether they were found before the owner did anything: only then they are listed above the downloads. */
  const serversFirst = useRef(false);
  useEffect(() => {
    kept.current = way;
  }, [way]);
  // A completed download selects this way, whatever was chosen before.
  useEffect(() => {
    if (form.settings?.local_model) setWay("local");
  }, [form.settings?.local_model]);
  const fixed = form.settings?.overridden.includes("base_url") === true;
  const nothingHere =
    way === "local" && form.settings !== null && !form.settings.local_model && !isLocal(form.settings.base_url);

  async function findServers(): Promise<void> {
    setServers(null);
    const reply = await store.notices.attempt(() => store.commands.findServers());
    setServers(reply?.servers ?? []);
    setSearchedAt(new Date());
    if (!reply?.servers.length) return;
    if (!touched.current) serversFirst.current = true;
    open();
  }

  /** Show what there is already, unless the owner has chosen, or is about to: nothing moves under the pointer. */
  function open(): void {
    if (!touched.current) setWay((now) => now ?? "local");
  }

  useEffect(() => {
    if (fixed) return;
    void findServers();
    void store.models?.search().then(() => {
      if (store.models?.list().some(({ usable, kind }) => usable && kind !== "tiny")) open();
    });
  }, []);

  async function choose(next: Way): Promise<void> {
    touched.current = true;
    setWay(next);
    const { settings } = form;
    if (!settings) return;
    if (way === "key" && next !== "key") left.current = { base_url: settings.base_url, model: settings.model };
    if (next === "demo") await form.change({ demo: true, local_model: "" });
    if (next !== "key") return;
    if (!store.connections.list.value) await store.connections.load();
    const connection = chosenConnection(store, settings.connection);
    await form.change(
      connection === MAIN && isLocal(settings.base_url)
        ? { ...ANTHROPIC, ...left.current }
        : { connection, demo: false, local_model: "" },
    );
  }

  async function next(): Promise<void> {
    if (unsaved.current) {
      if (!(await unsaved.current())) return;
    } else if (nothingHere && store.app.value?.unchosen === false && !store.app.value.key.set) {
      // Until a choice is made or loaded, nothing goes to the shipped settings' service.
      await form.change({ demo: true });
    }
    const lacks = lacksNow();
    if (lacks === "" || lacks === lacking) onNext();
    else setLacking(lacks);
  }

  /** Return what the chosen service lacks before it can answer; "" for nothing. */
  function lacksNow(): "" | "key" | "model" {
    if (way !== "key" || fixed) return "";
    const asked = awaited(store) ?? store.app.value;
    if (asked?.key_needed && !asked.key.set) return "key";
    const own = store.connections.list.value?.connections.find((each) => each.id === form.settings?.connection);
    return (own && own.id !== MAIN ? own : form.settings)?.model === "" ? "model" : "";
  }

  const touch = () => {
    touched.current = true;
  };
  /** A window that opens or moves below a resting pointer sends a move as well, from the same place of the screen. */
  function move({ screenX, screenY }: PointerEvent): void {
    const at = `${screenX} ${screenY}`;
    if (rests.current !== "" && rests.current !== at) touch();
    rests.current = at;
  }
  /** What was said to be lacking, until it is there. */
  const missing = lacking === lacksNow() ? lacking : "";
  const found = (
    <Servers
      servers={servers}
      searchedAt={searchedAt}
      form={form}
      unsaved={unsaved}
      onLook={() => void findServers()}
    />
  );
  return (
    <section
      class="welcome-step"
      aria-label={t("welcome.step_1")}
      onPointerMove={move}
      onPointerDown={touch}
      onKeyDown={touch}
    >
      <p>{t("welcome.think.text")}</p>
      <Problems form={form} except="base_url" />
      {fixed ? (
        <div class="option chosen">
          <div class="option-body alone">
            <p>{t("welcome.think.fixed", { host: store.app.value?.host ?? "" })}</p>
            <Test />
          </div>
        </div>
      ) : (
        <fieldset class="options">
          <legend class="sr">{t("welcome.think.choices")}</legend>
          <Searched servers={servers} />
          <Option
            group="way"
            icon="computer"
            label={t("welcome.think.local")}
            note={t("welcome.think.local_note")}
            chosen={way === "local"}
            onChoose={() => void choose("local")}
          >
            {serversFirst.current ? found : null}
            {Own && <Own />}
            {!serversFirst.current && (
              <>
                <h3 class="welcome-or">{t("welcome.think.programs")}</h3>
                {found}
              </>
            )}
          </Option>
          <Option
            group="way"
            icon="key"
            label={t("welcome.think.key")}
            note={t("welcome.think.key_note")}
            chosen={way === "key"}
            onChoose={() => void choose("key")}
          >
            <Service form={form} unsaved={unsaved} />
          </Option>
          <Option
            group="way"
            icon="spark"
            label={t("welcome.think.demo")}
            note={t("welcome.think.demo_note")}
            chosen={way === "demo"}
            onChoose={() => void choose("demo")}
          ></Option>
        </fieldset>
      )}
      <StepFooter onLeave={onLeave} note={missing && t(`welcome.think.no_${missing}`)}>
        {(way === null || (nothingHere && !servers?.length)) && !fixed ? (
          <button type="button" onClick={() => void next()}>
            {t("welcome.skip")}
          </button>
        ) : (
          <button type="button" class="primary" onClick={() => void next()}>
            {t(missing ? "welcome.next_without" : "welcome.next")}
          </button>
        )}
      </StepFooter>
    </section>
  );

  /** Return the earlier choice, for a step that is opened again. */
  function known({ settings }: SettingsForm): Way | null {
    if (settings?.local_model) return "local";
    if (settings?.demo) return "demo";
    if (settings && isLocal(inUse(store, settings).base_url)) return "local";
    return store.app.value?.key.set || store.app.value?.unchosen === false ? "key" : null;
  }
}

/** One line, whatever it says: what is below it stays under the pointer when the search ends. */
function Searched({ servers }: { servers: LocalServer[] | null }) {
  const { models } = useStore();
  const files = models?.list().filter(({ chosen, kind, usable }) => chosen || (kind === "found" && usable)) ?? [];
  const names = [...(servers ?? []), ...files].map((each) => each.name).join(t("ui.list.and"));
  const words = names ? t("welcome.think.here", { names }) : t("welcome.think.nothing_here");
  return (
    <p class="welcome-search" role="status">
      {servers === null || models?.searching() ? t("welcome.think.searching") : words}
    </p>
  );
}

/** Websites of programs that run models. */
const PROGRAMS = [
  { name: "Ollama", url: "https://ollama.com/download" },
  { name: "LM Studio", url: "https://lmstudio.ai/download" },
];

interface ServersProps {
  servers: LocalServer[] | null;
  /** when servers were last searched */
  searchedAt: Date | null;
  form: SettingsForm;
  unsaved: Unsaved;
  onLook: () => void;
}

interface Picked {
  server: LocalServer;
  model: string;
}

/** Propose the first server, unless a local model is in use or downloading. */
function Servers({ servers, searchedAt, form, unsaved, onLook }: ServersProps) {
  const store = useStore();
  const { settings } = form;
  const [own, setOwn] = useState<Picked | null>(null);
  const now = settings ? inUse(store, settings) : { base_url: "", model: "" };
  const kept = now.model;
  const proposed =
    settings?.local_model || store.models?.arriving()
      ? undefined
      : (servers?.find((each) => each.base_url === now.base_url) ?? servers?.[0]);
  const picked = own ?? (proposed ? withModel(proposed) : null);
  useEffect(() => {
    if (settings?.local_model) setOwn(null);
  }, [settings?.local_model]);
  useLayoutEffect(() => {
    unsaved.current = picked && !isSaved(picked) ? () => save(picked) : null;
    return () => {
      unsaved.current = null;
    };
  });

  function withModel(server: LocalServer): Picked {
    return { server, model: server.models.includes(kept) ? kept : (server.models[0] ?? kept) };
  }
  function isSaved({ server, model }: Picked): boolean {
    return !settings?.local_model && !settings?.demo && now.base_url === server.base_url && kept === model;
  }
  function save({ server, model }: Picked): Promise<boolean> {
    return form.change({ base_url: server.base_url, model, connection: MAIN, demo: false, local_model: "" });
  }

  if (servers === null) {
    return (
      <p class="quiet-text" role="status">
        {t("welcome.think.looking")}
      </p>
    );
  }
  if (servers.length === 0) {
    return (
      <>
        <p class="note" role="status">
          {inARow(
            t("welcome.think.none"),
            searchedAt ? t("welcome.think.looked", { time: dayAndTime(searchedAt.toISOString()) }) : "",
          )}
        </p>
        <div class="presets">
          <button type="button" onClick={onLook}>
            <Icon name="again" />
            {t("welcome.think.again")}
          </button>
          {PROGRAMS.map(({ name, url: site }) => (
            <button
              type="button"
              key={site}
              class="link"
              onClick={() => void store.notices.attempt(() => store.commands.openLink({ url: site }))}
            >
              {t("welcome.think.get", { name })}
            </button>
          ))}
        </div>
      </>
    );
  }
  return (
    <>
      <fieldset class="presets">
        <legend class="sr">{t("welcome.think.server")}</legend>
        {servers.map((server) => (
          <button
            type="button"
            key={server.base_url}
            class={server === picked?.server ? "chip chosen" : "chip"}
            aria-pressed={server === picked?.server}
            onClick={() => setOwn(withModel(server))}
          >
            {t("welcome.think.found", { count: server.models.length, name: server.name })}
          </button>
        ))}
      </fieldset>
      {picked && (
        <>
          <Row id="welcome-model" label={t("welcome.think.model")}>
            <select
              id="welcome-model"
              value={picked.model}
              onChange={(event) => setOwn({ ...picked, model: event.currentTarget.value })}
            >
              {picked.server.models.map((model) => (
                <option key={model} value={model}>
                  {model}
                </option>
              ))}
            </select>
          </Row>
          <Test key={`${picked.server.base_url} ${picked.model}`} unsaved={unsaved} />
        </>
      )}
    </>
  );
}

/** Return address and model of what is used: of a connection that was chosen in a terminal as well. */
function inUse(store: Store, { base_url, model }: SettingsView): { base_url: string; model: string } {
  const app = store.app.value;
  return !app || app.unchosen || app.demo || app.local_model ? { base_url, model } : app;
}

/** Return the connection whose form is shown: one chosen in a terminal stays. */
function chosenConnection(store: Store, wanted: string): string {
  return store.connections.list.value?.connections.some((each) => each.id === wanted) ? wanted : MAIN;
}

/** Until a key is there the app's state is that of what answers meanwhile, which needs none. */
function awaited(store: Store): ConnectionInfo | undefined {
  if (!store.app.value?.unchosen) return undefined;
  return store.connections.list.value?.connections.find((each) => each.id === MAIN);
}

interface ServiceProps {
  form: SettingsForm;
  unsaved: Unsaved;
}

function Service({ form, unsaved }: ServiceProps) {
  const store = useStore();
  const app = store.app.value;
  const { settings } = form;
  const loaded = useLoad(() => store.connections.load(), [settings?.base_url, settings?.model, settings?.protocol]);
  const id = chosenConnection(store, settings?.connection ?? MAIN);
  const shown = store.connections.list.value?.connections.find((each) => each.id === id);
  const save = (change: Pick<Partial<ConnectionInfo>, "protocol" | "model">) =>
    id === MAIN ? form.change(change) : store.connections.change(id, change);
  if (!shown) return <Loading of={loaded} lines={4} />;
  return (
    <ServiceForm
      connection={shown}
      unsaved={unsaved}
      tested={app?.unchosen ? MAIN : ""}
      refused={form.refused?.args["setting"] === "base_url" ? form.refused : undefined}
      brief
      onAddress={(wanted) => {
        if (!settings) return;
        const to = service(wanted, id === MAIN ? settings : shown);
        void (id === MAIN
          ? form.change(to)
          : store.connections.change(id, { base_url: wanted, model: String(to["model"]) }));
      }}
      onProtocol={(protocol) => void save({ protocol })}
      onModel={(model) => void save({ model })}
    />
  );
}
