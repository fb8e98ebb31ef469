import { afterEach, expect, it, vi } from "vitest";
import { button, find, many, mountApp, mountTalk, settle } from "../render";

const broken = vi.hoisted(() => ({ part: "" }));

/** Return the real part, unless it is the broken one. */
const guarded = vi.hoisted(() => <P,>(name: string, Real: (props: P) => unknown) => (props: P) => {
  if (broken.part === name) throw new Error(`${name} is broken`);
  return Real(props);
});

vi.mock("../../chat/messages", async (real) => {
  const module = await real<typeof import("../../chat/messages")>();
  return { ...module, Messages: guarded("messages", module.Messages) };
});
vi.mock("../../chat/history", async (real) => {
  const module = await real<typeof import("../../chat/history")>();
  return { ...module, History: guarded("history", module.History) };
});
vi.mock("../../chat/tabs", async (real) => {
  const module = await real<typeof import("../../chat/tabs")>();
  return { ...module, TabBar: guarded("tabs", module.TabBar) };
});

afterEach(() => {
  broken.part = "";
});

it("keeps the composer where the messages can't be drawn, and draws them again when asked", async () => {
  broken.part = "messages";
  const { root } = await mountTalk(many(2));
  expect(root.textContent).toContain("Nothing is lost");
  expect(find(root, "textarea")).toBeTruthy();
  await settle(() => button(root, "Show it again").click());
  expect(root.textContent).toContain("Nothing is lost");
  broken.part = "";
  await settle(() => button(root, "Show it again").click());
  expect(root.textContent).toContain("reply 1");
});

it("leads back to the conversation from a view that can't be drawn", async () => {
  const { root, store } = await mountTalk(many(2));
  broken.part = "history";
  await settle(() => {
    store.navigation.view.value = "history";
  });
  expect(root.textContent).not.toContain("reply 1");
  await settle(() => button(root, "Back to the conversation").click());
  expect(root.textContent).toContain("reply 1");
});

it("draws the conversation without the tabs above it", async () => {
  broken.part = "tabs";
  const { root } = await mountApp();
  expect(root.textContent).toContain("Nothing is lost");
  expect(find(root, "textarea")).toBeTruthy();
});
