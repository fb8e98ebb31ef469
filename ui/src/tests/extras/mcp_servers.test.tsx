/** Settings > Thinking > Tool servers, and the calls of their tools in a reply. */
import { describe, expect, it } from "vitest";
import type { McpServerView } from "../../bindings";
import { button, find, mountApp, mountSettings, press, settle, type } from "../render";

const SERVER: McpServerView = {
  name: "time",
  command: "uvx mcp-server-time",
  env: ["ZONE=Oslo"],
  secrets: ["TIME_TOKEN", "KEY\u200b"],
  digest: "d1",
  is_allowed: false,
  state: "stopped",
  problem: null,
  tools: [],
  too_large: 0,
};

function servers(...list: McpServerView[]) {
  return mountSettings("advanced", (core) => {
    core.handlers.list_mcp_servers = () => ({ servers: list, most: 30 });
    core.handlers.allow_mcp_server = () => ({});
    core.handlers.test_mcp_server = () => SERVER;
    core.handlers.choose_mcp_tool = () => ({});
    core.handlers.paste_mcp_servers = () => ({ names: ["time"] });
  });
}

describe("the owner's tool servers", () => {
  it("are shown with all that is run, and allowed as it was shown, by a click", async () => {
    const page = await servers(SERVER);
    const card = find(page.root, ".mcp-server");
    expect(find(card, ".mcp-command").textContent).toBe("ZONE=Oslo\nuvx mcp-server-time");
    expect(card.textContent).toContain("Keys: TIME_TOKEN, KEYU+200B");
    await settle(() => press(button(page.root, "Allow and test"), "Enter"));
    expect(page.core.called("allow_mcp_server")).toHaveLength(0);
    await settle(() => button(page.root, "Allow and test").click());
    expect(page.core.called("allow_mcp_server")).toEqual([{ name: "time", digest: "d1" }]);
    expect(page.core.called("test_mcp_server")).toEqual([{ name: "time" }]);
  });

  it("say why one failed, and let single tools be left out", async () => {
    const tool = { name: "now", about: "The time.", wanted: true, changes: false, always: true };
    const problem = { code: "mcp_died", args: { server: "time", seconds: 0 }, retryable: false };
    const page = await servers({ ...SERVER, is_allowed: true, state: "failed", problem, tools: [tool] });
    expect(find(page.root, ".mcp-server [role=alert]").textContent).toContain("time ended in the middle");
    await settle(() => find(page.root, ".mcp-tools input").click());
    expect(page.core.called("choose_mcp_tool")).toEqual([{ server: "time", tool: "now", wanted: false }]);
    expect(button(page.root, "Ask me again before each tool")).toBeTruthy();
  });

  it("are added from what a server's page shows", async () => {
    const page = await servers();
    await settle(() => button(page.root, "Add a server").click());
    await settle(() => type(find<HTMLTextAreaElement>(page.root, "#mcp-paste"), '{"mcpServers": {}}'));
    await settle(() => button(page.root, "Add").click());
    expect(page.core.called("paste_mcp_servers")).toEqual([{ text: '{"mcpServers": {}}', keep: "keyring" }]);
  });
});

it("their switch is all that the menu of a temporary conversation has, and is shown while it is on", async () => {
  const page = await mountApp();
  await settle(() => page.store.tabs.create(true));
  await settle(() => find(page.root, ".memory-menu").click());
  const items = [...page.root.querySelectorAll<HTMLElement>("[role^=menuitem]")];
  expect(items.map((each) => each.textContent)).toEqual(["Use my tool servers"]);
  await settle(() => items[0]?.click());
  expect(page.core.called("set_switch")).toMatchObject([{ name: "mcp_servers", on: true }]);
  expect(page.root.querySelector('.field [aria-label="Use my tool servers"]')).not.toBeNull();
});

it("a turn that does without one says why", async () => {
  const page = await mountApp();
  const error = { code: "mcp_slow", args: { server: "time", seconds: 30 }, retryable: false };
  await settle(() => page.core.emit({ type: "tools_missing", conversation: "c1", turn: "t1", error }));
  expect(find(page.root, ".notices").textContent).toContain("time said nothing for 30 seconds");
});
