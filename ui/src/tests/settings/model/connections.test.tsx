import { describe, expect, it } from "vitest";
import { PRESETS } from "../../../bindings";
import { faults } from "../../axe";
import type { FakeCore } from "../../core/core";
import { infoOf } from "../../core/models";
import { turnView } from "../../core/records";
import { button, find, mountSettings, mountTalk, settle, type } from "../../render";

const WORK = { ...infoOf("work", "Work", "https://llm.example.org/v1", "big-1"), protocol: "openai" as const };

function withWork(core: FakeCore): void {
  core.connections.more = [WORK];
}

const open = (prepare?: (core: FakeCore) => void) => mountSettings("model", prepare);

function radios(root: ParentNode): HTMLInputElement[] {
  return [...root.querySelectorAll<HTMLInputElement>(".connections input[name=who-thinks]")];
}

describe("several connections", () => {
  it("stand in a list, and one click uses another", async () => {
    const page = await open(withWork);
    expect(radios(page.root).map((each) => each.checked)).toEqual([true, false, false]);
    expect(find(page.root, ".connection-list").textContent).toContain("llm.example.org · big-1 · no key yet");
    await settle(() => radios(page.root)[1]?.click());
    expect(page.core.called("use_connection")).toEqual([{ connection: "work" }]);
    expect(radios(page.root).map((each) => each.checked)).toEqual([false, true, false]);
    expect(await faults(page.root)).toEqual([]);
  });

  it("have headers whose values are typed hidden, and do not stay in the page", async () => {
    const page = await open(withWork);
    await settle(() => [...page.root.querySelectorAll<HTMLElement>(".connection-head button")][1]?.click());
    const form = () => find<HTMLFormElement>(page.root, ".headers form");
    const [name, value] = [...form().querySelectorAll("input")];
    expect(value?.type).toBe("password");
    await settle(() => type(name as HTMLInputElement, "X-Team"));
    await settle(() => type(value as HTMLInputElement, "s3cret-team"));
    await settle(() => button(form(), "Add").click());
    const header = { connection: "work", name: "X-Team", value: "s3cret-team", keep: "keyring" };
    expect(page.core.called("set_header")).toEqual([header]);
    expect(find(page.root, ".headers").textContent).toContain("X-Team");
    expect(find<HTMLInputElement>(page.root, ".headers [type=password]").value).toBe("");
    expect(page.root.innerHTML).not.toContain("s3cret");
    expect(await faults(page.root)).toEqual([]);
    await settle(() => button(find(page.root, ".headers"), "Delete").click());
    expect(page.core.called("set_header")[1]).toEqual({ ...header, value: "" });
    expect(find(page.root, ".headers").textContent).not.toContain("X-Team");
  });

  it("are renamed, and removed after a question", async () => {
    const page = await open(withWork);
    await settle(() => [...page.root.querySelectorAll<HTMLElement>(".connection-head button")][1]?.click());
    const name = find<HTMLInputElement>(page.root, "#name-work");
    name.value = "Office";
    await settle(() => name.dispatchEvent(new Event("change", { bubbles: true })));
    expect(page.core.called("save_connection")).toMatchObject([{ id: "work", name: "Office", model: "big-1" }]);
    await settle(() => button(page.root, "Remove").click());
    expect(page.core.called("remove_connection")).toEqual([]);
    await settle(() => button(find(page.root, "dialog"), "Remove").click());
    expect(page.core.called("remove_connection")).toEqual([{ connection: "work" }]);
  });

  it("with another server's address ask for the model anew, and say so", async () => {
    const page = await open(withWork);
    await settle(() => [...page.root.querySelectorAll<HTMLElement>(".connection-head button")][1]?.click());
    const moveTo = async (address: string) => {
      const field = find<HTMLInputElement>(page.root, "#url-work");
      field.value = address;
      await settle(() => field.dispatchEvent(new Event("change", { bubbles: true })));
      return page.core.called("save_connection").at(-1);
    };
    expect(await moveTo("https://llm.example.org/api")).toMatchObject({ model: "big-1" }); // the same server
    expect(page.root.textContent).not.toContain("was the model of");
    const moved = { base_url: "https://other.example.org/v1", model: "" };
    expect(await moveTo("https://other.example.org/v1")).toMatchObject(moved);
    expect(find(page.root, ".connection-edit").textContent).toContain("“big-1” was the model of llm.example.org.");
    const [preset] = PRESETS;
    expect(await moveTo(preset?.base_url ?? "")).toMatchObject({ model: preset?.model });
    expect(page.root.textContent).not.toContain("was the model of");
  });

  it("if there is one alone, it stays open when models of this computer are found", async () => {
    const page = await open();
    expect(page.root.querySelectorAll(".connection-edit")).toHaveLength(1);
    const { list } = page.core.localModels;
    const local_models = list.local_models.map((each) => ({ ...each, here: true, fits: "", chosen: true }));
    page.core.localModels.list = { ...list, local_models };
    await settle(() => page.store.models?.load());
    expect(page.root.querySelectorAll(".connection-list > li").length).toBeGreaterThan(1);
    expect(page.root.querySelectorAll(".connection-edit")).toHaveLength(1);
  });

  it("open at the field that a failed reply lacks, of the connection that it used", async () => {
    const error = { code: "fault_no_model", args: { name: "Work" }, retryable: false };
    const page = await mountTalk([{ ...turnView("t", "x", ""), end: "failed", error }], (core) => {
      core.connections.more = [{ ...WORK, model: "" }];
      const talk = core.conversations.get("c1");
      if (talk) talk.info.chosen = { connection: "work", name: "Work", model: "", origin: "https://llm.example.org" };
    });
    await settle(() => button(page.root, "Open settings").click());
    expect(document.activeElement?.id).toBe("model-work");
    expect(page.root.querySelectorAll(".connection-edit")).toHaveLength(1);
    await settle(() => find<HTMLElement>(page.root, ".connection-head [aria-expanded=true]").click());
    expect(page.root.querySelectorAll(".connection-edit")).toHaveLength(0);
  });

  it("without a model list those of their server, if it can be asked", async () => {
    const page = await open((core) => {
      core.connections.more = [
        { ...infoOf("here", "Here", "http://127.0.0.1:8080", ""), key_needed: false },
        { ...WORK, model: "" },
      ];
    });
    const heads = () => [...page.root.querySelectorAll<HTMLElement>(".connection-head button")];
    await settle(() => heads()[2]?.click());
    expect(page.core.called("list_models")).toEqual([]); // no key yet
    await settle(() => heads()[1]?.click());
    expect(page.core.called("list_models")).toEqual([{ connection: "here" }]);
    expect(page.root.querySelectorAll(".presets.models .chip").length).toBeGreaterThan(1);
  });

  it("are added by an address of one's own, in a form that comes into sight as a whole", async () => {
    const page = await open(withWork);
    const seen: [string, unknown][] = [];
    Element.prototype.scrollIntoView = function (this: Element, how) {
      seen.push([this.className, how]);
    };
    await settle(() => button(page.root, "Add a connection").click());
    expect(seen).toEqual([["connection-add", { block: "nearest" }]]);
    const form = find<HTMLFormElement>(page.root, ".connection-add form");
    expect(document.activeElement).toBe(find(form, "input"));
    find<HTMLInputElement>(form, "input").value = "http://127.0.0.1:8080";
    await settle(() => button(form, "Add").click());
    expect(page.core.called("save_connection")).toMatchObject([{ id: "", base_url: "http://127.0.0.1:8080" }]);
  });

  it("stand in one list with the demo, and what has no model is not said to be in use", async () => {
    const page = await open((core) => {
      core.settings = { ...core.settings, model: "" };
    });
    const rows = () => [...page.root.querySelectorAll<HTMLElement>(".connection")];
    expect(rows()[0]?.textContent).toContain("no model yet");
    expect(page.root.querySelector(".connection .badge")).toBeNull();
    const demo = rows().at(-1) ?? page.root;
    expect(demo.textContent).toContain("No model");
    await settle(() => find<HTMLInputElement>(demo, "input").click());
    expect(page.core.called("change_settings")).toEqual([{ changes: { demo: true, local_model: "" } }]);
    expect(find(page.root, ".connection.chosen").textContent).toContain("Demo");
    await settle(() => rows()[0]?.querySelector("input")?.click());
    expect(page.core.called("use_connection")).toEqual([{ connection: "main" }]);
    expect(page.root.querySelector(".demo-note")).not.toBeNull();
  });

  it("that can't be removed say why", async () => {
    const page = await open(withWork);
    page.core.fail("remove_connection", { code: "settings_connection_in_use", args: {}, retryable: false });
    await settle(() => [...page.root.querySelectorAll<HTMLElement>(".connection-head button")][1]?.click());
    await settle(() => button(page.root, "Remove").click());
    await settle(() => button(find(page.root, "dialog"), "Remove").click());
    expect(find(page.root, ".connection .error-text").textContent).toContain("another model first");
  });

  it("whose default is gone ask for another", async () => {
    const page = await open((core) => {
      core.settings = { ...core.settings, connection: "lost" };
    });
    expect(find(page.root, ".connections .fault").textContent).toContain("The chosen model is gone");
  });

  it("may be one pet's own", async () => {
    const page = await open(withWork);
    const own = find<HTMLSelectElement>(page.root, "#pet-model");
    own.value = "work";
    await settle(() => own.dispatchEvent(new Event("change", { bubbles: true })));
    expect(page.core.called("set_pet_model")).toEqual([{ connection: "work", model: "" }]);
  });
});

describe("the model of a conversation", () => {
  it("is chosen in its menu, shown above it, and taken back", async () => {
    const page = await mountTalk([turnView("t1", "x", "y")], withWork);
    expect(page.root.querySelector(".model-line")).toBeNull();
    await settle(() => button(page.root, "More").click());
    await settle(() => button(page.root, "Choose a model").click());
    const dialog = find(page.root, "dialog");
    await settle(() => dialog.querySelectorAll<HTMLInputElement>("input[type=radio]")[2]?.click());
    expect(await faults(page.root)).toEqual([]);
    await settle(() => button(dialog, "Use it here").click());
    expect(page.core.called("choose_model")).toMatchObject([{ connection: "work", model: "big-1" }]);
    expect(find(page.root, ".model-line").textContent).toBe("big-1 · Work");
    await settle(() => find(page.root, ".model-line").click());
    await settle(() => find<HTMLInputElement>(page.root, "dialog input[type=radio]").click());
    await settle(() => button(find(page.root, "dialog"), "Use it here").click());
    expect(page.root.querySelector(".model-line")).toBeNull();
  });

  it("that is gone is said, with the way to another", async () => {
    const error = { code: "fault_connection_gone", args: { name: "Work" }, retryable: false };
    const page = await mountTalk([turnView("t1", "x", "", { end: "failed", error })], withWork);
    expect(find(page.root, ".fault").textContent).toContain("nothing was sent");
    await settle(() => button(find(page.root, ".fault"), "Choose a model").click());
    expect(find(page.root, "dialog").textContent).toContain("Model of this conversation");
  });
});
