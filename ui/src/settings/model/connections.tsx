/**
 * Settings > Model: the saved connections (address, key, model) and the models on this computer. One is the default;
 * a pet may have its own. Changes hold at once.
 */

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type ConnectionInfo, type ErrorInfo, type LocalServer, PRESETS } from "../../bindings";
import { Icon } from "../../components/icons";
import { Confirm } from "../../components/overlays";
import { COMPUTER, type Draft } from "../../state/connections";
import { useStore } from "../../state/context";
import type { OwnModel } from "../../state/extra";
import type { Store } from "../../state/store";
import { type ConnectionField, errorText, t } from "../../texts";
import { Row } from "../form";
import { refusalText, type Unsaved } from "./model";
import { ServiceForm } from "./service";
import "./connections.css";
import { Fault, Refusal } from "../../components/controls";

interface Props {
  /** chooses the demo */
  onDemo: () => Promise<unknown>;
}

export function Connections({ onDemo }: Props) {
  const store = useStore();
  const { connections, models } = store;
  const [opened, setOpen] = useState<string | null>(null);
  const single = useRef<string | null>(null);
  const changes = store.settingsChange.value;
  useEffect(() => {
    void connections.load();
    void models?.load();
  }, [changes]);
  const list = connections.list.value;
  const requested = connections.requestedField.value;
  const wanted = requested && list ? requested.connection || list.pet || list.default : null;
  useLayoutEffect(() => {
    if (wanted === null) return;
    setOpen(wanted);
    // After the fields, which are drawn below.
    connections.requestedField.value = null;
  }, [wanted]);
  const problem = connections.problem.value;
  if (!list) {
    return (
      <p class={problem ? "error-text" : "quiet-text"} role="status">
        {problem ? errorText(problem.error) : t("ui.loading")}
      </p>
    );
  }
  const here = models?.list().filter(({ usable, chosen }) => usable || chosen) ?? [];
  // A single connection is expanded unless a model of this computer answers, and stays so when that is known later.
  const [only, ...more] = list.connections;
  if (only && more.length === 0 && list.default !== COMPUTER) single.current ??= only.id;
  const open = wanted ?? opened ?? single.current ?? "";
  const known = ["", COMPUTER, ...list.connections.map((each) => each.id)].includes(list.default);
  return (
    <section class="connections" aria-label={t("connections.title")}>
      {!known && (
        <Fault>
          <p>{t("connections.gone")}</p>
        </Fault>
      )}
      <ul class="connection-list">
        {list.connections.map((each) => (
          <Entry
            key={each.id}
            connection={each}
            open={open === each.id}
            focus={wanted === each.id ? requested?.field : undefined}
            onOpen={setOpen}
          />
        ))}
        {here.map((localModel) => (
          <Here key={localModel.id} localModel={localModel} />
        ))}
        <Choosable
          {...ofDefault(t("welcome.demo.name"))}
          ready
          facts={t("welcome.think.demo_note")}
          chosen={list.default === ""}
          onChoose={() => void onDemo().then(() => connections.load())}
        />
      </ul>
      <Add onOpen={() => setOpen("")} onAdded={setOpen} />
      <Refusal why={problem?.id === "" ? refusalText(problem.error) : ""} />
      <PetModel here={here} />
    </section>
  );
}

interface EntryProps {
  connection: ConnectionInfo;
  open: boolean;
  /** the field to focus */
  focus: ConnectionField | undefined;
  onOpen: (id: string) => void;
}

function Entry({ connection, open, focus, onOpen }: EntryProps) {
  const { connections } = useStore();
  const { id, title, host, model } = connection;
  const problem = connections.problem.value;
  const facts = [title === host ? "" : host, model || t("connections.no_model"), keyWords(connection)].filter(
    Boolean,
  );
  return (
    <Choosable
      {...ofDefault(title)}
      facts={facts.join(" · ")}
      chosen={connection.default}
      ready={model !== ""}
      problem={problem?.id === id ? problem.error : undefined}
      onChoose={() => void connections.use(id)}
      button={
        <button type="button" class="quiet-button" aria-expanded={open} onClick={() => onOpen(open ? "" : id)}>
          {t(open ? "connections.close" : "connections.edit")}
        </button>
      }
    >
      {open && <Editor connection={connection} focus={focus} />}
    </Choosable>
  );
}

function keyWords({ key, key_needed }: ConnectionInfo): string {
  if (key.set) return key.last4 ? t("connections.key", { last4: key.last4 }) : t("connections.key_set");
  if (!key_needed) return "";
  return t(key.locked ? "connections.key_locked" : "connections.no_key");
}

function Here({ localModel }: { localModel: OwnModel }) {
  const { models, connections } = useStore();
  const { failed, problem } = localModel;
  return (
    <Choosable
      {...ofDefault(localModel.name)}
      facts={failed ? `${t("connections.here")} · ${t("local_model.phase.failed")}` : t("connections.here")}
      ready={!failed}
      chosen={localModel.chosen && connections.list.value?.default === COMPUTER}
      problem={problem}
      onChoose={() => void models?.use(localModel.id).then(() => connections.load())}
    />
  );
}

const ofDefault = (name: string) => ({ group: "who-thinks", name, label: t("connections.use", { name }) });

interface ChoosableProps {
  /** of the radio buttons */
  group: string;
  label: string;
  name: string;
  facts: string;
  chosen: boolean;
  /** it is marked as the default once it is chosen */
  ready?: boolean;
  problem?: ErrorInfo | undefined;
  onChoose: () => void;
  button?: ComponentChildren;
  children?: ComponentChildren;
}

/** A row of the list of what can answer. */
export function Choosable({
  group,
  label,
  name,
  facts,
  chosen,
  ready = false,
  problem,
  onChoose,
  button,
  children,
}: ChoosableProps) {
  return (
    <li class={chosen ? "connection chosen" : "connection"}>
      <div class="connection-head">
        <label>
          <input type="radio" name={group} checked={chosen} aria-label={label} onChange={onChoose} />
          <span>
            <b>{name}</b>
            <span class="connection-facts">{facts}</span>
          </span>
        </label>
        {chosen && ready && <span class="badge good">{t("connections.default")}</span>}
        {button}
      </div>
      <Refusal why={problem ? refusalText(problem) : ""} />
      {children}
    </li>
  );
}

function Editor({ connection, focus }: Pick<EntryProps, "connection" | "focus">) {
  const store = useStore();
  const { connections } = store;
  const unsaved: Unsaved = useRef(null);
  const [removing, setRemoving] = useState(false);
  const { id, name, title, base_url, model } = connection;
  useLayoutEffect(() => {
    if (focus) document.getElementById(`${focus}-${id}`)?.focus();
  }, [focus]);
  async function save(change: Partial<Draft>): Promise<void> {
    const first = nothingAnswers(store);
    await connections.change(id, change);
    if (first && !connections.problem.value) await use();
  }
  const use = () => connections.use(id);
  /** the model that went with another server's address */
  const [left, setLeft] = useState<{ model: string; host: string } | null>(null);

  function move(address: string): void {
    if (originOf(address) === originOf(base_url)) return void save({ base_url: address });
    const known = PRESETS.find((each) => each.base_url === address)?.model ?? "";
    setLeft({ model, host: connection.host });
    void save({ base_url: address, model: known });
  }

  return (
    <div class="connection-edit">
      <ServiceForm
        connection={connection}
        unsaved={unsaved}
        tested={id}
        onKey={() => nothingAnswers(store) && void use()}
        onAddress={move}
        onProtocol={(value) => void save({ protocol: value })}
        onModel={(wanted) => void save({ model: wanted })}
        note={
          left?.model &&
          model === "" && (
            <p class="note" role="status">
              {t("connections.model_left", left)}
            </p>
          )
        }
      >
        <button type="button" class="link soft" onClick={() => setRemoving(true)}>
          {t("connections.remove")}
        </button>
      </ServiceForm>
      <Row id={`name-${id}`} label={t("connections.name")}>
        <input
          id={`name-${id}`}
          key={name}
          defaultValue={name}
          placeholder={connection.host}
          maxLength={60}
          onChange={(event) => void save({ name: event.currentTarget.value.trim() })}
        />
      </Row>
      {removing && (
        <Confirm
          title={t("connections.remove_title", { name: title })}
          text={t("connections.remove_text")}
          action={t("connections.remove")}
          onClose={() => setRemoving(false)}
          onConfirm={() => void connections.remove(id)}
        />
      )}
    </div>
  );
}

/** Whether no usable model was chosen: the service that the owner sets up now becomes the default. */
function nothingAnswers({ connections, app }: Store): boolean {
  const now = connections.list.value;
  const thinks = now?.connections.find((each) => each.id === now.default);
  const unusable = now?.default !== COMPUTER && (!thinks || (thinks.key_needed && !thinks.key.set));
  return unusable || app.value?.unchosen === true;
}

/** Return scheme, host and port of an address; any other text unchanged. */
function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : address;
}

/** Add a connection: a known service, a server on this computer, or any address. */
function Add({ onOpen, onAdded }: { onOpen: () => void; onAdded: (id: string) => void }) {
  const store = useStore();
  const [open, setOpen] = useState(false);
  const [servers, setServers] = useState<LocalServer[] | null>(null);
  const [busy, setBusy] = useState(false);
  const adding = useRef(false);
  const form = useRef<HTMLFieldSetElement>(null);
  // The whole form comes into sight, not only its first line, and the keyboard into its field.
  useLayoutEffect(() => {
    form.current?.scrollIntoView?.({ block: "nearest" });
    form.current?.querySelector<HTMLInputElement>("[name=address]")?.focus({ preventScroll: true });
  }, [open]);

  async function add(name: string, base_url: string, model: string): Promise<void> {
    if (adding.current) return;
    adding.current = true;
    const id = await store.connections.save({ id: "", name, base_url, protocol: "auto", model });
    adding.current = false;
    if (id === null) return;
    if (nothingAnswers(store)) await store.connections.use(id);
    setOpen(false);
    onAdded(id);
  }

  async function findServers(): Promise<void> {
    setBusy(true);
    const reply = await store.notices.attempt(() => store.commands.findServers());
    setServers(reply?.servers ?? null);
    setBusy(false);
  }

  if (!open) {
    return (
      <button
        type="button"
        class="quiet-button"
        onClick={() => {
          setOpen(true);
          onOpen(); // one form at a time
        }}
      >
        <Icon name="plus" />
        {t("connections.add")}
      </button>
    );
  }
  return (
    <fieldset class="connection-add" ref={form}>
      <legend>{t("connections.add")}</legend>
      <p class="note">{t("connections.add_note")}</p>
      <div class="presets">
        {PRESETS.map(({ name, base_url, model }) => (
          <button type="button" key={base_url} class="chip" onClick={() => void add(name, base_url, model)}>
            {name}
          </button>
        ))}
        {servers?.map((server) => (
          <button
            type="button"
            key={server.base_url}
            class="chip"
            onClick={() => void add(server.name, server.base_url, server.models[0] ?? "")}
          >
            {t("welcome.think.found", { count: server.models.length, name: server.name })}
          </button>
        ))}
      </div>
      <form
        class="inline"
        onSubmit={(event) => {
          event.preventDefault();
          const typed = new FormData(event.currentTarget).get("address");
          if (typeof typed === "string" && typed.trim()) void add("", typed.trim(), "");
        }}
      >
        <input
          name="address"
          inputMode="url"
          spellcheck={false}
          placeholder="https://"
          aria-label={t("connections.own")}
        />
        <button type="submit">{t("connections.add_own")}</button>
      </form>
      <div class="connection-acts">
        <button type="button" class="quiet-button" disabled={busy} onClick={() => void findServers()}>
          <Icon name="search" />
          {t(busy ? "welcome.think.looking" : "thinking.look")}
        </button>
        <button type="button" class="link soft" onClick={() => setOpen(false)}>
          {t("ui.cancel")}
        </button>
      </div>
      <p class="note" role="status">
        {servers?.length === 0 && t("welcome.think.none")}
      </p>
    </fieldset>
  );
}

/** The connection and model of this pet alone. */
function PetModel({ here }: { here: OwnModel[] }) {
  const { connections, app } = useStore();
  const list = connections.list.value;
  if (!list || list.connections.length + here.length < 2) return null;
  const value = list.pet === COMPUTER ? `${COMPUTER} ${list.pet_model}` : list.pet;
  return (
    <Row
      id="pet-model"
      label={t("connections.pet", { name: app.value?.pet_name ?? "" })}
      note={t("connections.pet_note")}
    >
      <select
        id="pet-model"
        value={value}
        onChange={(event) => {
          const [connection = "", ...model] = event.currentTarget.value.split(" ");
          void connections.forPet(connection, model.join(" "));
        }}
      >
        <option value="">{t("connections.pet_default")}</option>
        {list.connections.map((each) => (
          <option key={each.id} value={each.id}>
            {each.title}
          </option>
        ))}
        {here.map((localModel) => (
          <option key={localModel.id} value={`${COMPUTER} ${localModel.id}`}>
            {`${localModel.name} (${t("connections.here")})`}
          </option>
        ))}
      </select>
    </Row>
  );
}
