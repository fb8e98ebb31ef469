/** Settings of the desktop: real states, refusals in words, unsupported features explained. */
import enDesktop from "@texts/en/desktop.json";
import enUi from "@texts/en/ui.json";
import { render } from "preact";
import { beforeEach, describe, expect, it } from "vitest";
import { App } from "../../app";
import type { SettingsView } from "../../bindings";
import { isBare } from "../../settings/shortcuts";
import { faults } from "../axe";
import { button, find, type Mounted, mountApp, mountSettings, openAt, type Place, settle } from "../render";
import { makeStore } from "../store";

const ALL = ["tray", "opacity", "fullscreen", "all_fullscreen", "click_through", "shortcuts", "screenshot"];

function open(place: Place, prepare: (core: Mounted["core"]) => void = () => undefined): Promise<Mounted> {
  return mountSettings(place, (core) => {
    core.app = { ...core.app, abilities: ALL };
    prepare(core);
  });
}

const changes = (page: Mounted) => page.core.called("change_settings");
const absent = (page: Mounted) => [...page.root.querySelectorAll(".absent")].map((row) => row.textContent);

async function press(page: Mounted, name: keyof SettingsView, init: KeyboardEventInit): Promise<void> {
  const field = find<HTMLInputElement>(page.root, `#${name}`);
  await settle(() => field.focus());
  await settle(() => field.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...init })));
}

const refusal = (page: Mounted, name: keyof SettingsView) => find(page.root, `#${name}-said`).textContent;

describe("starting at login", () => {
  it("shows what the system has, and asks the system to change it", async () => {
    const page = await open("desktop");
    const box = find<HTMLInputElement>(page.root, "#start-at-login");
    expect(box.checked).toBe(false);
    await settle(() => box.click());
    expect(page.core.called("set_login")).toEqual([{ on: true }]);
    expect(find<HTMLInputElement>(page.root, "#start-at-login").checked).toBe(true);
    expect(page.root.textContent).toContain("/home/lin/.config/autostart/soulpet.desktop");
  });

  it("follows the menu, and an entry of another copy is told", async () => {
    const page = await open("desktop");
    page.core.desktop = { ...page.core.desktop, login: true, login_other: true };
    await settle(() => page.core.emit({ type: "desktop_changed", error: null }));
    expect(find<HTMLInputElement>(page.root, "#start-at-login").checked).toBe(true);
    expect(page.root.textContent).toContain("another copy of Soulpet");
  });

  it("says why it failed, and the switch stays where it was", async () => {
    const page = await open("desktop");
    page.core.fail("set_login", { code: "login_entry_failed", args: { place: "/ro/x.desktop" }, retryable: false });
    await settle(() => find<HTMLInputElement>(page.root, "#start-at-login").click());
    expect(find(page.root, ".error-text").textContent).toContain("you may write to /ro/x.desktop");
    expect(find<HTMLInputElement>(page.root, "#start-at-login").checked).toBe(false);
  });

  it("by the menu that failed is told in the chat", async () => {
    const page = await mountApp();
    const error = { code: "login_entry_failed", args: { place: "/ro/x.desktop" }, retryable: false };
    await settle(() => page.core.emit({ type: "desktop_changed", error }));
    expect(find(page.root, ".notice").textContent).toContain("/ro/x.desktop");
  });
});

describe("what the desktop can't do", () => {
  it("is hidden, and said in one line each under Advanced", async () => {
    const page = await open("desktop", (core) => {
      core.app = { ...core.app, abilities: [] };
      core.desktop = { ...core.desktop, login_possible: false };
    });
    for (const id of ["fade_on_hover", "hide_fullscreen", "start-at-login"])
      expect(page.root.querySelector(`#${id}`), id).toBeNull();
    expect(absent(page)[0]).toContain(enDesktop["desktop.login_absent"]);
    expect(await faults(page.root)).toEqual([]);
    await openAt(page, "advanced");
    expect(page.root.querySelector("#pet_opacity")).toBeNull();
    const rows = absent(page);
    for (const key of ["opacity", "fullscreen", "tray", "through", "screenshot"] as const)
      expect(rows.filter((row) => row?.endsWith(enDesktop[`desktop.${key}_absent`]))).toHaveLength(1);
    expect(await faults(page.root)).toEqual([]);
  });

  it("is not mentioned where it can", async () => {
    const page = await open("desktop");
    expect(absent(page)).toEqual([]);
    expect(await faults(page.root)).toEqual([]);
    await openAt(page, "advanced");
    expect(absent(page).filter((row) => !row?.startsWith("Read replies"))).toEqual([]);
  });

  it("is said of full screens that it sees only in part", async () => {
    const page = await open("desktop", (core) => {
      core.app = { ...core.app, abilities: ALL.filter((ability) => ability !== "all_fullscreen") };
    });
    expect(page.root.querySelector("#hide_fullscreen")).not.toBeNull();
    await openAt(page, "advanced");
    expect(page.root.textContent).toContain(enDesktop["desktop.fullscreen_some"]);
  });

  it("leaves the clip without a menu", async () => {
    const page = await mountApp();
    expect(find(page.root, ".attach").getAttribute("aria-haspopup")).toBeNull();
  });
});

describe("fading under the pointer", () => {
  it("is switched on", async () => {
    const page = await open("desktop");
    await settle(() => find<HTMLInputElement>(page.root, "#fade_on_hover").click());
    expect(changes(page)).toEqual([{ changes: { fade_on_hover: true } }]);
  });
});

it("the pet is sent to the next corner from the settings", async () => {
  const page = await open("desktop");
  await settle(() => button(page.root, "Send to the next corner").click());
  expect(page.core.called("send_to_corner")).toHaveLength(1);
});

describe("shortcuts", () => {
  it("that another program has say so at their row, until it lets go", async () => {
    const page = await open("keys", (core) => {
      core.settings = { ...core.settings, shortcut_chat: "Ctrl+Alt+K", shortcut_pet: "Ctrl+Alt+P" };
      core.desktop = { ...core.desktop, taken_shortcuts: ["Ctrl+Alt+K"] };
    });
    expect(refusal(page, "shortcut_chat")).toContain("Another program uses these keys");
    expect(refusal(page, "shortcut_pet")).toBe("");
    await settle(() => button(page.root, "Try again").click());
    expect(page.core.called("try_shortcuts")).toHaveLength(1);
    page.core.desktop = { ...page.core.desktop, taken_shortcuts: [] };
    await settle(() => page.core.emit({ type: "desktop_changed", error: null }));
    expect(refusal(page, "shortcut_chat")).toBe("");
  });

  it("need a key to hold, and say so", async () => {
    const page = await open("keys");
    await press(page, "shortcut_chat", { key: "k", code: "KeyK" });
    expect(refusal(page, "shortcut_chat")).toContain("Add Ctrl, Alt or Meta");
    expect(changes(page)).toEqual([]);
    await press(page, "shortcut_chat", { key: "k", code: "KeyK", ctrlKey: true });
    expect(refusal(page, "shortcut_chat")).toBe("");
    expect(changes(page)).toEqual([{ changes: { shortcut_chat: "Ctrl+K" } }]);
  });

  it("that another row has name that row, at their own", async () => {
    const page = await open("keys");
    page.core.fail("change_settings", {
      code: "settings_shortcut_twice",
      args: { setting: "shortcut_chat", other: "shortcut_memory", keys: "Ctrl+Shift+M" },
      retryable: false,
    });
    await press(page, "shortcut_chat", { key: "M", code: "KeyM", ctrlKey: true, shiftKey: true });
    expect(refusal(page, "shortcut_chat")).toMatch(/^Ctrl\+Shift\+M is already used for “.+”\.$/);
    expect(page.root.querySelector(".section [role=alert]")).toBeNull();
    expect(find(page.root, "#shortcut_chat").getAttribute("aria-invalid")).toBe("true");
  });

  it("that this window has already are named with what they do", async () => {
    const page = await open("keys");
    await press(page, "shortcut_chat", { key: "t", code: "KeyT", ctrlKey: true });
    expect(refusal(page, "shortcut_chat")).toBe("In this window, Ctrl+T is already used: New conversation.");
    await press(page, "shortcut_pet", { key: "c", code: "KeyC", ctrlKey: true });
    expect(refusal(page, "shortcut_pet")).toContain("copy");
    expect(changes(page)).toEqual([]);
  });

  it("know a key that would need one to hold", () => {
    const up = { ctrlKey: false, altKey: false, shiftKey: false, metaKey: false };
    expect(["a", "É", "F5", "?"].map((key) => isBare({ key, code: "", ...up }))).toEqual([true, true, true, true]);
    expect(["Tab", "Escape", "Control", "ArrowUp"].some((key) => isBare({ key, code: "", ...up }))).toBe(false);
    expect(isBare({ key: "a", code: "KeyA", ...up, altKey: true })).toBe(false);
  });
});

describe("a picture of the screen", () => {
  it("is asked for from the composer, and only asked for", async () => {
    const page = await mountApp((core) => {
      core.app = { ...core.app, abilities: ALL };
    });
    await settle(() => button(page.root, "Add pictures or files").click());
    await settle(() => button(page.root, "Part of the screen…").click());
    await settle(() => button(page.root, "Add pictures or files").click());
    await settle(() => button(page.root, "Whole screen").click());
    expect(page.core.called("take_screenshot")).toEqual([{ area: "region" }, { area: "screen" }]);
    expect(page.core.called("send_message")).toEqual([]);
  });

  it("that can't be had is explained", async () => {
    const page = await mountApp((core) => {
      core.app = { ...core.app, abilities: ALL };
    });
    page.core.fail("take_screenshot", { code: "screenshot_impossible", args: {}, retryable: false });
    await settle(() => button(page.root, "Add pictures or files").click());
    await settle(() => button(page.root, "Whole screen").click());
    expect(find(page.root, ".notice").textContent).toContain("paste the picture here");
  });
});

describe("privacy", () => {
  it("names every folder with its size, and opens it by name", async () => {
    const page = await open("advanced");
    const rows = [...page.root.querySelectorAll(".places li")].map((row) => row.textContent ?? "");
    expect(rows).toHaveLength(6);
    expect(rows[0]).toContain("214 files, 6.3 MB");
    expect(rows[2]).toContain("1 file, 412 B");
    expect(rows[5]).toContain("nothing here yet");
    await settle(() => button(page.root, "Open Cache").click());
    expect(page.core.called("open_folder")).toEqual([{ place: "cache" }]);
  });

  it("says who gets what, and what never happens", async () => {
    const page = await open("privacy");
    for (const words of [
      enUi["ui.privacy.host"].replace("{host}", "api.anthropic.com"),
      enUi["ui.host.goes"].replace("{host}", "api.anthropic.com"),
      "No telemetry",
    ])
      expect(page.root.textContent).toContain(words);
  });
});

describe("the look of the page", () => {
  let page: Mounted;
  const choose = (words: string) =>
    settle(() => {
      const label = [...page.root.querySelectorAll("label")].find((each) => each.textContent === words);
      label?.querySelector("input")?.click();
    });
  const html = () => document.documentElement;

  beforeEach(async () => {
    page = await open("desktop");
  });

  it("goes dark and light at once", async () => {
    await choose("Dark");
    expect(html().dataset["theme"]).toBe("dark");
    await choose("Light");
    expect(html().dataset["theme"]).toBe("light");
    expect(changes(page)).toEqual([{ changes: { theme: "dark" } }, { changes: { theme: "light" } }]);
  });

  it("keeps the theme of its address until the core has answered", async () => {
    const { core, store } = makeStore();
    const answer = core.hold("get_app_state");
    html().dataset["theme"] = "dark";
    const root = document.body.appendChild(document.createElement("div"));
    let started: Promise<void> | undefined;
    await settle(() => {
      render(<App store={store} />, root);
      started = store.start();
    });
    expect(html().dataset["theme"]).toBe("dark");
    answer();
    await settle(() => started);
    expect(html().dataset["theme"]).toBe(core.app.theme);
    render(null, root);
  });

  it("moves less and more at once", async () => {
    const before = html().dataset["motion"];
    const [less, full] = [...page.root.querySelectorAll<HTMLInputElement>("input[name=reduced_motion]")].slice(1);
    await settle(() => less?.click());
    const calm = html().dataset["motion"];
    await settle(() => full?.click());
    expect(new Set([before, calm, html().dataset["motion"]]).size).toBe(3);
    expect(changes(page)).toEqual([{ changes: { reduced_motion: "on" } }, { changes: { reduced_motion: "off" } }]);
  });

  it("speaks the other language at once, its name in the page included", async () => {
    await choose("中文");
    expect(html().lang).toBe("zh-CN");
    expect(find(page.root, ".section h2").textContent).toBe("在桌面上");
    await settle(() => page.root.querySelector<HTMLInputElement>("input[name=language][value=en]")?.click());
    expect(html().lang).toBe("en");
  });
});
