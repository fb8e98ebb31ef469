/** Settings > Privacy > Advanced > Tool servers: each with what it runs, its tools, and what to do with it. */
import type { Signal } from "@preact/signals";
import { useState } from "preact/hooks";
import type { McpServerView, McpToolView } from "../../bindings";
import { revealHidden } from "../../components/diff";
import { Icon } from "../../components/icons";
import { Loading, useLoad } from "../../components/loading";

import { Rows } from "../../settings/rows";
import { useStore } from "../../state/context";
import type { PaneProps } from "../../state/extra";
import { errorText } from "../../texts";
import { AddServer } from "./add";
import "./servers.css";
import { Folded, Refusal } from "../../components/controls";
import { t } from "./words";

export function Servers({ changes, form, settings }: PaneProps & { changes: Signal<number> }) {
  const store = useStore();
  const [adding, setAdding] = useState(false);
  const loaded = useLoad(() => store.commands.listMcpServers(), [changes.value]);
  const list = loaded.value;
  return (
    <section class="mcp" aria-label={t("ui.mcp.title")}>
      <h3>{t("ui.mcp.title")}</h3>
      <p class="note">{t("ui.mcp.about")}</p>
      {list ? (
        <ul class="cards">
          {list.servers.map((server) => (
            <Server key={server.name} server={server} most={list.most} />
          ))}
        </ul>
      ) : (
        <Loading of={loaded} lines={2} />
      )}
      {list?.servers.length === 0 && !adding && <p class="quiet-text">{t("ui.mcp.none")}</p>}
      {adding ? (
        <AddServer onDone={() => setAdding(false)} />
      ) : (
        <button type="button" class="mcp-add" onClick={() => setAdding(true)}>
          <Icon name="plus" />
          {t("ui.mcp.add")}
        </button>
      )}
      {list && list.servers.length > 0 && (
        <Folded title={t("ui.mcp.limits")}>
          <Rows at="servers" form={form} settings={settings} />
        </Folded>
      )}
    </section>
  );
}

function Server({ server, most }: { server: McpServerView; most: number }) {
  const store = useStore();
  const [busy, setBusy] = useState(false);
  const {
    name,
    command,
    env,
    secrets,
    digest,
    is_allowed: allowed,
    state,
    problem,
    tools,
    too_large: tooLarge,
  } = server;
  const address = /^https?:/.test(command);

  async function act(ask: () => Promise<unknown>): Promise<void> {
    setBusy(true);
    await store.notices.attempt(ask);
    setBusy(false);
  }
  const test = () => store.commands.testMcpServer({ name });
  const allow = async () => {
    await store.commands.allowMcpServer({ name, digest });
    await test();
  };

  return (
    <li class="card-row mcp-server">
      <div class="card-main">
        <div class="mcp-head">
          <span class="title">{revealHidden(name)}</span>
          <span class="quiet-text" role="status">
            {busy ? t("ui.mcp.testing") : t(allowed ? `ui.mcp.state_${state}` : "ui.mcp.state_waits")}
          </span>
        </div>
        {!allowed && <p class="mcp-asks">{t(address ? "ui.mcp.allow_address" : "ui.mcp.allow_title")}</p>}
        <code class="mcp-command">{revealHidden([...env, command].join("\n"))}</code>
        {secrets.length > 0 && <p class="note">{revealHidden(t("ui.mcp.keys", { names: secrets.join(", ") }))}</p>}
        <Refusal why={allowed && problem ? errorText(problem) : ""} />
        {tools.length > 0 && <Tools server={name} tools={tools} most={most} />}
        {tooLarge > 0 && <p class="note">{t("ui.mcp.too_large", { count: tooLarge })}</p>}
        <div class="row">
          <button
            type="button"
            class={allowed ? "" : "primary"}
            disabled={busy}
            onKeyDown={(event) => !allowed && event.key === "Enter" && event.preventDefault()}
            onClick={() => void act(allowed ? test : allow)}
          >
            {t(allowed ? "ui.mcp.test" : "ui.mcp.allow")}
          </button>
          {tools.some((tool) => tool.always) && (
            <button
              type="button"
              disabled={busy}
              onClick={() => void act(() => store.commands.askMcpTools({ server: name }))}
            >
              {t("ui.mcp.ask_again")}
            </button>
          )}
          <button
            type="button"
            disabled={busy}
            onClick={() => void act(() => store.commands.removeMcpServer({ name }))}
          >
            {t("ui.mcp.remove")}
          </button>
        </div>
      </div>
    </li>
  );
}

function Tools({ server, tools, most }: { server: string; tools: McpToolView[]; most: number }) {
  const store = useStore();
  const count = tools.length;
  return (
    <details class="mcp-tools">
      <summary>
        <Icon name="chevron" />
        {t("ui.mcp.tools", { count })}
      </summary>
      <p class="note">{t("ui.mcp.tools_note", { most })}</p>
      <ul>
        {tools.map(({ name, about, wanted, changes }) => (
          <li key={name}>
            <label>
              <input
                type="checkbox"
                checked={wanted}
                onChange={(event) =>
                  void store.notices.attempt(() =>
                    store.commands.chooseMcpTool({ server, tool: name, wanted: event.currentTarget.checked }),
                  )
                }
              />
              <span>
                <b>{revealHidden(name)}</b>
                {changes && <span class="mcp-changes">{t("ui.mcp.changes")}</span>}
                <span class="note">{revealHidden(about)}</span>
              </span>
            </label>
          </li>
        ))}
      </ul>
    </details>
  );
}
