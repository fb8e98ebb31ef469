/** A key that is missing, as after a restart, is asked for in the chat, by the settings' own field. */
import { expect, it } from "vitest";
import type { AppState } from "../../bindings";
import { faults } from "../axe";
import type { FakeCore } from "../core/core";
import { infoOf } from "../core/models";
import { turnView } from "../core/records";
import { button, find, type Mounted, many, mountTalk, settle, type } from "../render";

const MISSING: AppState["key"] = {
  set: false,
  source: "none",
  last4: "",
  keyring_available: false,
  locked: false,
  headers: [],
};

function keyless(core: FakeCore): void {
  core.app = { ...core.app, key: MISSING };
}

const failed = (code: string) =>
  turnView("t1", "Look at this", "", {
    end: "failed",
    error: { code, args: { host: "api.anthropic.com" }, retryable: true },
  });

async function enter(page: Mounted, id: string): Promise<void> {
  await settle(() => type(find<HTMLInputElement>(page.root, `#key-${id}`), "sk-secret-1234"));
  await settle(() => find<HTMLInputElement>(page.root, `input[name=keep-${id}][value=file]`).click());
  await settle(() => button(page.root, "Save").click());
}

it.each([
  ["a conversation", many(2), ".key-notice"],
  ["an empty one", [], ".no-key"],
])("in %s it is entered after one click", async (_, turns, place) => {
  const page = await mountTalk(turns, keyless);
  expect(find(page.root, place).textContent).toContain("api.anthropic.com");
  await settle(() => button(page.root, "Enter the key").click());
  expect(document.activeElement?.id).toBe("key-main");
  expect(await faults(page.root)).toEqual([]);
  await enter(page, "main");
  expect(page.core.called("set_key")).toEqual([{ connection: "main", key: "sk-secret-1234", keep: "file" }]);
  expect(page.root.querySelector(place)).toBeNull();
  expect(document.activeElement?.tagName).toBe("TEXTAREA");
  expect(document.documentElement.outerHTML).not.toContain("sk-secret");
  expect(page.store.navigation.view.value).toBe("chat");
});

it.each(["fault_no_key", "fault_bad_key"])(
  "after %s it is entered there, and the message sent again",
  async (code) => {
    const page = await mountTalk([failed(code)], keyless);
    expect(page.root.querySelector(".key-notice")).toBeNull();
    expect(find(page.root, ".fault").textContent).not.toContain("settings");
    await settle(() => button(page.root, "Enter the key").click());
    expect(document.activeElement?.id).toBe("key-main");
    await enter(page, "main");
    expect(page.core.called("set_key")).toHaveLength(1);
    expect(page.core.called("resend")).toEqual([{ conversation: "c1", turn: "t1" }]);
  },
);

it("is that of the connection that the conversation has chosen", async () => {
  const page = await mountTalk([failed("fault_no_key")], (core) => {
    core.connections.more = [
      { ...infoOf("work", "Work", "https://work.invalid", "m"), key: MISSING, key_needed: true },
    ];
    const view = core.conversations.get("c1");
    const chosen = { connection: "work", model: "m", origin: "https://work.invalid", name: "Work" };
    if (view) view.info = { ...view.info, chosen };
  });
  await settle(() => button(page.root, "Enter the key").click());
  expect(find(page.root, ".key-block").textContent).toContain("work.invalid");
  await enter(page, "work");
  expect(page.core.called("set_key")).toEqual([{ connection: "work", key: "sk-secret-1234", keep: "file" }]);
});

it("of a connection that is gone is left to the settings", async () => {
  const page = await mountTalk([failed("fault_no_key")], (core) => {
    const view = core.conversations.get("c1");
    const chosen = { connection: "gone", model: "m", origin: "https://gone.invalid", name: "Gone" };
    if (view) view.info = { ...view.info, chosen };
  });
  await settle(() => button(page.root, "Enter the key").click());
  expect(page.store.navigation.view.value).toBe("settings");
});

it.each([
  ["there is one", {}],
  ["none is needed", { key: MISSING, key_needed: false }],
])("is not asked for where %s", async (_, app) => {
  const page = await mountTalk(many(2), (core) => {
    core.app = { ...core.app, ...app };
  });
  expect(page.root.querySelector(".key-notice")).toBeNull();
});
