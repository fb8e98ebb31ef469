/** Adding MCP servers: by a form, by pasting what a server's page shows, or from another program's file. */
import { useState } from "preact/hooks";
import type { FoundServers, NewServer } from "../../bindings";
import { Refusal } from "../../components/controls";
import { Loading, useLoad } from "../../components/loading";
import { Choice, Row } from "../../settings/form";
import { useStore } from "../../state/context";
import { errorOf, errorText } from "../../texts";
import { t } from "./words";

type Keep = NonNullable<NewServer["keep"]>;
type Add = (ask: () => Promise<unknown>) => Promise<void>;
const WAYS = ["paste", "form", "program"] as const;
const KEEPS = ["keyring", "session", "file"] as const;

export function AddServer({ onDone }: { onDone: () => void }) {
  const [way, setWay] = useState<(typeof WAYS)[number]>("paste");
  const [keep, setKeep] = useState<Keep>("keyring");
  const [failed, setFailed] = useState("");

  const add: Add = async (ask) => {
    try {
      await ask();
      setFailed("");
      if (way !== "program") onDone();
    } catch (thrown) {
      setFailed(errorText(errorOf(thrown)));
    }
  };
  return (
    <div class="mcp-new">
      <Choice
        label={t("ui.mcp.way")}
        name="mcp-way"
        value={way}
        options={WAYS.map((each) => ({ value: each, label: t(`ui.mcp.by_${each}`) }))}
        onChange={(value) => setWay(value as typeof way)}
      />
      {way === "paste" && <ByPaste keep={keep} add={add} />}
      {way === "form" && <ByForm keep={keep} add={add} />}
      {way === "program" && <ByProgram keep={keep} add={add} />}
      <Choice
        label={t("ui.mcp.keep")}
        name="mcp-keep"
        value={keep}
        options={KEEPS.map((each) => ({ value: each, label: t(`ui.mcp.keep_${each}`) }))}
        onChange={(value) => setKeep(value as Keep)}
      />
      <Refusal why={failed} />
      <div class="row end">
        <button type="button" onClick={onDone}>
          {t("ui.mcp.close")}
        </button>
        {way !== "program" && (
          <button type="submit" class="primary" form="mcp-new">
            {t("ui.mcp.save")}
          </button>
        )}
      </div>
    </div>
  );
}

interface WayProps {
  keep: Keep;
  add: Add;
}

function ByPaste({ keep, add }: WayProps) {
  const store = useStore();
  const [text, setText] = useState("");
  return (
    <form
      id="mcp-new"
      onSubmit={(event) => {
        event.preventDefault();
        void add(() => store.commands.pasteMcpServers({ text, keep }));
      }}
    >
      <Row id="mcp-paste" label={t("ui.mcp.paste")} note={t("ui.mcp.paste_note")}>
        <textarea
          id="mcp-paste"
          rows={8}
          spellcheck={false}
          value={text}
          placeholder={EXAMPLE}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </Row>
    </form>
  );
}

const EXAMPLE = '{ "mcpServers": { "time": { "command": "uvx", "args": ["mcp-server-time"] } } }';

function ByForm({ keep, add }: WayProps) {
  const store = useStore();
  const [name, setName] = useState("");
  const [command, setCommand] = useState("");
  const [env, setEnv] = useState("");
  const pairs = () =>
    Object.fromEntries(
      env
        .split("\n")
        .map((line) => /^\s*([^=:\s]+)\s*[=:]\s*(.*)$/.exec(line))
        .flatMap((match) => (match ? [[match[1] ?? "", match[2] ?? ""]] : [])),
    );
  return (
    <form
      id="mcp-new"
      onSubmit={(event) => {
        event.preventDefault();
        void add(() => store.commands.addMcpServer({ name, command, env: pairs(), keep }));
      }}
    >
      <Row id="mcp-name" label={t("ui.mcp.name")}>
        <input id="mcp-name" value={name} maxLength={40} onInput={(event) => setName(event.currentTarget.value)} />
      </Row>
      <Row id="mcp-command" label={t("ui.mcp.command")} note={t("ui.mcp.command_hint")}>
        <input
          id="mcp-command"
          value={command}
          spellcheck={false}
          onInput={(event) => setCommand(event.currentTarget.value)}
        />
      </Row>
      <Row id="mcp-env" label={t("ui.mcp.env")} note={t("ui.mcp.env_note")}>
        <textarea
          id="mcp-env"
          rows={3}
          spellcheck={false}
          value={env}
          onInput={(event) => setEnv(event.currentTarget.value)}
        />
      </Row>
    </form>
  );
}

function ByProgram({ keep, add }: WayProps) {
  const store = useStore();
  const [taken, setTaken] = useState(0);
  const found = useLoad<FoundServers>(() => store.commands.findMcpServers(), [taken]);
  if (!found.value) return <Loading of={found} lines={2} />;
  if (found.value.servers.length === 0) return <p class="note">{t("ui.mcp.nothing_found")}</p>;
  return (
    <ul class="cards">
      {found.value.servers.map(({ program, name, command, added }) => (
        <li key={`${program} ${name}`} class="card-row">
          <div class="card-main">
            <span class="title">{name}</span> <span class="quiet-text">{program}</span>
            <code class="mcp-command">{command}</code>
          </div>
          {added ? (
            <span class="quiet-text">{t("ui.mcp.taken")}</span>
          ) : (
            <button
              type="button"
              onClick={() =>
                void add(() => store.commands.takeMcpServer({ program, name, keep })).then(() => setTaken(taken + 1))
              }
            >
              {t("ui.mcp.take")}
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
