/**
 * The built chat page, run with its inlined scripts over the fake core: escaping and minifying must not change what
 * is drawn, such as a regular expression of the highlighter.
 */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JSDOM, VirtualConsole } from "jsdom";
import { render } from "preact";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { beginning } from "../../markdown/blocks";
import { highlight } from "../../markdown/highlight";
import { FakeCore } from "../core/core";
import { turnView } from "../core/records";
import { DEEP, NAMES, SAMPLES } from "./samples";

const out = mkdtempSync(join(tmpdir(), "soulpet-pages-"));
let html = "";
let page: (Window & typeof globalThis) | undefined;

beforeAll(() => {
  // Without vitest's additions to the environment, which select a development page.
  const env = { PATH: process.env["PATH"], NODE_ENV: "production" };
  execFileSync(process.execPath, ["build/pages.mjs", out], { env, stdio: "pipe" });
  html = readFileSync(join(out, "chat.html"), "utf8");
});
afterEach(() => page?.close());
afterAll(() => rmSync(out, { recursive: true }));

/** Open the built page with a conversation of these replies; return also what its first drawing had. */
async function open(replies: string[], core = new FakeCore()) {
  core.addConversation(
    { id: "c1", title: "A talk" },
    replies.map((reply, at) => turnView(`t${at}`, `message ${at}`, reply)),
  );
  core.app = {
    ...core.app,
    tabs: [{ conversation: "c1", draft: "", scroll: 0, attachments: [], pinned: false }],
    active_tab: "c1",
  };
  const errors: string[] = [];
  const virtualConsole = new VirtualConsole();
  virtualConsole.on("jsdomError", (error) => errors.push(error.message));
  const { window } = new JSDOM(html, {
    url: "file:///chat.html",
    runScripts: "dangerously",
    pretendToBeVisual: true,
    virtualConsole,
    beforeParse: (made) => {
      made.pywebview = { api: { invoke: core.invoke as (name: string, args: string) => Promise<string> } };
    },
  });
  page = window;
  core.deliver = (delivery) => window.__soulpet?.deliver(delivery);
  const { document } = window;
  const drawn: string[] = [];
  new window.MutationObserver(() => drawn.push(document.getElementById("app")?.textContent ?? "")).observe(
    document.getElementById("app") ?? document,
    { childList: true, subtree: true },
  );
  await vi.waitFor(() => expect(document.querySelectorAll(".pet-reply")).toHaveLength(replies.length), 60_000);
  await vi.waitFor(() => expect(document.querySelector(".composer textarea")).not.toBeNull(), 60_000);
  return { document, errors, first: drawn[0] };
}

const fenced = (name: string, code: string) => `~~~~${name}\n${code}\n~~~~`;

describe("the built chat page", () => {
  it("has the texts of the catalogues", async () => {
    await open(["Hello"]);
    expect(page?.document.body.querySelector("#app")?.outerHTML.match(/[">](?:ui|choice)\.[\w.]+[<"]/g)).toBeNull();
    expect(html).toContain('"forget.marker"');
  });

  it("lets exactly its own scripts run", () => {
    const policy = /script-src ([^;]+);/.exec(html)?.[1] ?? "";
    const document = new DOMParser().parseFromString(html, "text/html");
    const scripts = [...document.querySelectorAll("script")].map((each) => each.textContent ?? "");
    expect(scripts).toHaveLength(6);
    for (const script of scripts) {
      expect(script).not.toMatch(/<!--|<\/script/i);
      expect(policy).toContain(`'sha256-${createHash("sha256").update(script, "utf8").digest("base64")}'`);
    }
  });

  it("has its theme before anything is drawn: the page's long script is still to be read then", () => {
    const above = html.slice(0, html.indexOf("<style>"));
    const { window } = new JSDOM(above, { url: "file:///chat.html#dark,zh", runScripts: "dangerously" });
    expect(window.document.documentElement.dataset["theme"]).toBe("dark");
  });

  it("is drawn at once with the conversation in front", async () => {
    const { first, errors } = await open(["Here **we** are."]);
    expect(first).toContain("Here we are.");
    expect(errors).toEqual([]);
  });

  it("runs the colours with the first code, and the editor with the first file", async () => {
    const { document: plain } = await open(["No code."]);
    expect(plain.querySelectorAll("head script")).toHaveLength(1);
    page?.close();
    const core = new FakeCore();
    const { document, errors } = await open([fenced("python", "a = 1")], core);
    expect(document.querySelectorAll("head script")).toHaveLength(2);
    core.emit({ type: "page_asked", view: "settings" });
    const soul = () =>
      [...document.querySelectorAll<HTMLElement>(".who button")].find((each) => each.textContent === "SOUL.md");
    await vi.waitFor(() => expect(soul()).toBeDefined(), 60_000);
    soul()?.click();
    await vi.waitFor(
      () => expect(document.querySelector(".cm-content")?.textContent ?? "").toContain("Mochi"),
      60_000,
    );
    expect(document.querySelectorAll("head script")).toHaveLength(3);
    expect(errors).toEqual([]);
  });

  it.each(Object.entries(SAMPLES))("colours %s in every language as the source does", async (_, code) => {
    const { document, errors } = await open([NAMES.map((name) => fenced(name, code)).join("\n\n")]);
    const drawn = [...document.querySelectorAll("figure.code code")];
    expect(drawn.map((each) => each.textContent)).toEqual(NAMES.map(() => code));
    expect(drawn.map((each) => each.innerHTML)).toEqual(NAMES.map((name) => fromSource(name, code)));
    expect(errors).toEqual([]);
  });

  it("colours comments, tags and scripts in HTML", async () => {
    const { document } = await open([fenced("html", SAMPLES.markup)]);
    const words = (scope: string) => [...document.querySelectorAll(`.hl-${scope}`)].map((each) => each.textContent);
    expect(words("comment")).toContain("<!-- a comment, and <b>a tag</b> in it -->");
    expect(words("name")).toContain("svg");
    expect(words("keyword")).toContain("let");
  });

  it("goes on after deeply nested Markdown", async () => {
    // The drawn part of a reply is limited, and the last sample is the longest.
    const samples = Object.values(DEEP).sort((a, b) => a.length - b.length);
    const reply = beginning(samples.join("\n\n"));
    const { document, errors } = await open([reply, "**after**"]);
    const [deep, after] = [...document.querySelectorAll(".pet-reply")];
    const hearts = reply.match(/heart/g)?.length ?? 0;
    expect(hearts).toBeGreaterThan(Object.keys(DEEP).length - 8);
    expect(deep?.querySelectorAll(".md > *").length).toBeGreaterThan(Object.keys(DEEP).length - 8);
    expect(deep?.textContent?.match(/heart/g)?.length).toBeGreaterThanOrEqual(hearts);
    expect(after?.querySelector("strong")?.textContent).toBe("after");
    expect(errors).toEqual([]);
  });
});

function fromSource(name: string, code: string): string {
  const root = document.createElement("div");
  render(<code>{highlight(code, name)}</code>, root);
  return root.firstElementChild?.innerHTML ?? "";
}
