/** The first start, and the demo. */
import { describe, expect, it } from "vitest";
import { faults } from "./axe";
import { infoOf } from "./core/models";
import { APP } from "./core/records";
import { beginFirstStart, CARD, SERVERS } from "./core/welcome";
import { button, find, type Mounted, mountApp, settle, type } from "./render";

async function open(step = 1, servers = SERVERS, prepare: (page: Mounted["core"]) => void = () => undefined) {
  return mountApp((core) => {
    beginFirstStart(core, servers, step);
    prepare(core);
  });
}

/** Choose the large option with these words. */
async function choose(page: Mounted, words: string): Promise<void> {
  const heads = [...page.root.querySelectorAll<HTMLElement>(".option-head")];
  const head = heads.find((each) => each.querySelector(".option-name")?.textContent === words);
  await settle(() => find<HTMLInputElement>(head ?? page.root, "input").click());
}

async function drop(page: Mounted, file: File): Promise<void> {
  const field = find<HTMLInputElement>(page.root, ".card-import input[type=file]");
  Object.defineProperty(field, "files", { value: [file], configurable: true });
  Object.defineProperty(field, "value", { value: "", writable: true, configurable: true });
  await settle(() => field.dispatchEvent(new Event("change", { bubbles: true })));
  await settle(() => new Promise((done) => setTimeout(done, 0)));
}

const card = () => new File(["{}"], "momo.json");

describe("the first start", () => {
  it("takes the place of the page and brings its window up", async () => {
    const page = await open();
    expect(page.core.called("show_welcome")).toHaveLength(1);
    expect(page.root.querySelector(".composer")).toBeNull();
    expect(find(page.root, "h1").textContent).toContain("Which model shall I think with?");
    expect(document.activeElement).toBe(find(page.root, "h1"));
  });

  it("is not there where it is over", async () => {
    const page = await mountApp();
    expect(page.root.querySelector(".welcome")).toBeNull();
    expect(page.core.called("show_welcome")).toEqual([]);
  });

  it("goes on where it was left", async () => {
    const page = await open(2);
    expect(find(page.root, "[aria-current=step]").textContent).toContain("Who I am");
  });

  it("is left for good from any step", async () => {
    const page = await open(2);
    await settle(() => button(page.root, "Skip everything").click());
    expect(page.core.called("save_welcome")).toEqual([{ step: 0 }]);
    expect(page.root.querySelector(".composer")).not.toBeNull();
    expect(page.core.called("acknowledge_host")).toEqual([]);
  });

  it("warns of an address where others could read along, as the core judges", async () => {
    for (const plain_http of [false, true]) {
      const page = await open(1, [], (core) => {
        const base_url = plain_http ? "http://192.168.1.9:11434" : "https://192.168.1.9:11434";
        core.settings = { ...core.settings, base_url };
      });
      await choose(page, "A service, with a key");
      expect(page.root.querySelector(".note.warning") !== null).toBe(plain_http);
    }
  });

  it("does not let the chat's keys through", async () => {
    const page = await open();
    const before = page.store.tabs.ids.value.length;
    await settle(() =>
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "t", ctrlKey: true, bubbles: true })),
    );
    expect(page.store.tabs.ids.value).toHaveLength(before);
  });
});

describe("how it thinks", () => {
  it("uses a server that was found once its owner goes on with it, and the demo not meanwhile", async () => {
    const page = await open();
    await choose(page, "A model on this computer");
    expect(button(page.root, "Ollama, 2 models").ariaPressed).toBe("true");
    expect(page.core.called("change_settings")).toEqual([]);
    await settle(() => button(page.root, "Next").click());
    const { base_url } = SERVERS[0] ?? { base_url: "" };
    expect(page.core.called("change_settings")).toEqual([
      { changes: { base_url, model: "qwen3:8b", connection: "main", demo: false, local_model: "" } },
    ]);
    expect(page.core.called("save_welcome")).toEqual([{ step: 2 }]);
  });

  it("forgets what was found where another way is chosen", async () => {
    const page = await open();
    await choose(page, "A model on this computer");
    await choose(page, "Just the demo");
    await settle(() => button(page.root, "Next").click());
    expect(page.core.called("change_settings")).toEqual([{ changes: { demo: true, local_model: "" } }]);
  });

  it("opens with what runs and lies here, before any download", async () => {
    const page = await open();
    const texts = () => page.root.textContent ?? "";
    await settle();
    expect(find<HTMLSelectElement>(page.root, "#welcome-model").value).toBe(SERVERS[0]?.models[0]);
    const order = ["Ollama", "phi-4", "Download"].map((word) => texts().indexOf(word));
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(order[0]).toBeGreaterThan(0);
    expect(page.core.called("scan_local_models")).toEqual([{ downloads: false }]);
    expect(page.core.called("change_settings")).toEqual([]);
  });

  it("opens nothing where nothing is here, and leaves a key its place", async () => {
    const page = await open(1, [], (core) => {
      core.localModels.found = [];
    });
    await settle();
    expect(page.root.querySelector(".local-models")).toBeNull();
    const keyed = await open(1, SERVERS, (core) => {
      core.app = { ...core.app, key: { ...core.app.key, set: true } };
    });
    await settle();
    expect(keyed.root.querySelector("#welcome-model")).toBeNull();
  });

  it("tries a server that was found with the model that its owner picked", async () => {
    const page = await open();
    await choose(page, "A model on this computer");
    const models = find<HTMLSelectElement>(page.root, "#welcome-model");
    await settle(() => {
      models.value = "gemma3:4b";
      models.dispatchEvent(new Event("change", { bubbles: true }));
    });
    expect(page.core.called("change_settings")).toEqual([]);
    await settle(() => button(page.root, "Test").click());
    expect(page.core.settings.model).toBe("gemma3:4b");
    expect(page.core.called("test_connection")).toHaveLength(1);
    await settle(() => button(page.root, "LM Studio, 1 model").click());
    await settle(() => button(page.root, "Next").click());
    expect(page.core.settings).toMatchObject({ base_url: "http://127.0.0.1:1234", model: "phi-4" });
  });

  it("says so where none answers, and looks again when asked", async () => {
    const page = await open(1, []);
    await choose(page, "A model on this computer");
    expect(page.root.textContent).toContain("Start Ollama or LM Studio");
    await settle(() => button(page.root, "Look again").click());
    expect(page.core.called("find_servers")).toHaveLength(2);
    expect(page.core.called("change_settings")).toEqual([]);
  });

  it.each([true, false])(
    "is skipped, with no tick, where no model of this computer is there: unchosen %s",
    async (unchosen) => {
      const page = await open(1, []);
      page.core.app = { ...page.core.app, demo: unchosen, unchosen, key: { ...page.core.app.key, set: false } };
      await page.store.loadApp();
      await choose(page, "A model on this computer");
      await settle(() => button(page.root, "Skip this").click());
      // Until something is chosen the demo answers, and nothing goes to the shipped settings' service.
      expect(page.core.called("change_settings")).toEqual(unchosen ? [] : [{ changes: { demo: true } }]);
      expect(page.core.called("save_welcome")).toEqual([{ step: 2 }]);
      if (unchosen) expect(find(page.root, ".steps .past").querySelector(".icon")).toBeNull();
    },
  );

  it("asks a service other than Anthropic for its models once a key is there", async () => {
    const page = await open();
    await choose(page, "A service, with a key");
    await settle(() => button(page.root, "Groq").click());
    const before = page.core.called("list_models").length;
    await settle(() => type(find<HTMLInputElement>(page.root, "#key-main"), "gsk-1234"));
    await settle(() => button(page.root, "Save").click());
    expect(page.core.called("list_models").length).toBeGreaterThan(before - 1);
    expect(page.root.querySelector(".presets.models")).not.toBeNull();
  });

  it("asks for the service's own key while something else answers meanwhile", async () => {
    const page = await open(1, [], (core) => {
      const host = "the demo on this computer";
      core.app = { ...core.app, unchosen: true, demo: true, host, key_needed: false };
    });
    await choose(page, "A service, with a key");
    const service = find(page.root, ".key-block").textContent;
    expect(service).toContain("API key for api.anthropic.com");
    expect(service).toContain("No key yet.");
    await settle(() => button(page.root, "Test").click());
    expect(page.core.called("test_connection")).toEqual([{ connection: "main" }]);
  });

  it("shows and keeps a connection that was chosen in a terminal", async () => {
    const page = await open(1, [], (core) => {
      core.connections.more = [infoOf("work", "", "https://api.deepseek.com/anthropic", "deepseek-chat")];
      core.settings = { ...core.settings, connection: "work" };
      core.app = { ...core.app, base_url: "https://api.deepseek.com/anthropic", model: "deepseek-chat" };
      core.app.key = { ...core.app.key, set: true };
    });
    await choose(page, "A service, with a key");
    expect(find<HTMLInputElement>(page.root, "#url-work").value).toBe("https://api.deepseek.com/anthropic");
    expect(find<HTMLInputElement>(page.root, "#model-work").value).toBe("deepseek-chat");
    await settle(() => button(page.root, "Next").click());
    expect(page.core.settings).toMatchObject({ connection: "work", base_url: APP.base_url });
    expect(page.core.called("save_welcome")).toEqual([{ step: 2 }]);
  });

  it("saves a typed key before it goes on", async () => {
    const page = await open();
    await choose(page, "A service, with a key");
    await settle(() => type(find<HTMLInputElement>(page.root, "#key-main"), "sk-secret-1234"));
    await settle(() => button(page.root, "Next").click());
    expect(page.core.called("set_key")).toEqual([{ connection: "main", key: "sk-secret-1234", keep: "keyring" }]);
    expect(page.core.called("save_welcome")).toEqual([{ step: 2 }]);
    expect(document.documentElement.outerHTML).not.toContain("sk-secret");
  });

  it("saves a typed key before it tries it", async () => {
    const page = await open();
    await choose(page, "A service, with a key");
    await settle(() => type(find<HTMLInputElement>(page.root, "#key-main"), "sk-secret-1234"));
    await settle(() => button(page.root, "Test").click());
    expect(page.core.called("set_key")).toEqual([{ connection: "main", key: "sk-secret-1234", keep: "keyring" }]);
    expect(page.core.called("test_connection")).toHaveLength(1);
    page.core.fail("set_key", { code: "key_store_bad_key", args: {}, retryable: false });
    await settle(() => type(find<HTMLInputElement>(page.root, "#key-main"), "sk secret"));
    await settle(() => button(page.root, "Test").click());
    expect(page.core.called("test_connection")).toHaveLength(1);
  });

  it("stays when the key could not be saved", async () => {
    const page = await open();
    await choose(page, "A service, with a key");
    await settle(() => type(find<HTMLInputElement>(page.root, "#key-main"), "sk secret"));
    page.core.fail("set_key", { code: "key_store_bad_key", args: {}, retryable: false });
    await settle(() => button(page.root, "Next").click());
    expect(page.core.called("save_welcome")).toEqual([]);
    expect(find(page.root, ".notice").textContent).toContain("Paste it again");
  });

  it("labels the demo as what it is", async () => {
    const page = await open();
    await choose(page, "Just the demo");
    expect(page.core.settings.demo).toBe(true);
    expect(page.root.textContent).toContain("No model: I note");
    await choose(page, "A service, with a key");
    expect(page.core.settings.demo).toBe(false);
  });

  it("asks nothing that the environment has decided", async () => {
    const page = await open(1, SERVERS, (core) => {
      core.settings = { ...core.settings, overridden: ["base_url"] };
    });
    expect(page.root.querySelectorAll(".option-head")).toHaveLength(0);
    expect(page.core.called("find_servers")).toEqual([]);
    await settle(() => button(page.root, "Next").click());
    expect(page.core.called("save_welcome")).toEqual([{ step: 2 }]);
  });
});

describe("who it is", () => {
  const soulCards = (page: Mounted) => [...page.root.querySelectorAll<HTMLElement>(".soul-card")];

  it("becomes the chosen personality under the owner's name for it", async () => {
    const page = await open(2);
    await settle(() => find<HTMLInputElement>(soulCards(page)[1] ?? page.root, "input").click());
    const name = find<HTMLInputElement>(page.root, "#welcome-name");
    expect(name.value).toBe("Vesper");
    await settle(() => type(name, "Inky"));
    expect(find(page.root, ".whole-soul").textContent).toContain("My name is Inky.");
    await settle(() => button(page.root, "Next").click());
    expect(page.core.called("rename_pet")).toEqual([{ pet: "bun", name: "Inky" }]);
    expect(page.core.called("choose_soul")).toEqual([{ template: "night", name: "Inky" }]);
    expect(find(page.root, "h1").textContent).toContain("I'm Inky.");
  });

  it("keeps a name that was typed when another personality is tried", async () => {
    const page = await open(2);
    await settle(() => type(find<HTMLInputElement>(page.root, "#welcome-name"), "Tofu"));
    await settle(() => find<HTMLInputElement>(soulCards(page)[1] ?? page.root, "input").click());
    expect(find<HTMLInputElement>(page.root, "#welcome-name").value).toBe("Tofu");
  });

  it("is still as chosen for somebody who comes back to this step", async () => {
    const page = await open(2);
    await settle(() => find<HTMLInputElement>(soulCards(page)[1] ?? page.root, "input").click());
    await settle(() => type(find<HTMLInputElement>(page.root, "#welcome-name"), "Inky"));
    await settle(() => button(page.root, "Next").click());
    await settle(() => button(page.root, "Back").click());
    expect(find<HTMLInputElement>(page.root, "#welcome-name").value).toBe("Inky");
    expect(soulCards(page)[1]?.classList).toContain("chosen");
    await choose(page, "By talking");
    await settle(() => button(page.root, "Next").click());
    await settle(() => button(page.root, "Back").click());
    await settle(() => button(page.root, "Next").click());
    expect(page.core.called("choose_soul")).toEqual([{ template: "night", name: "Inky" }]);
    expect(button(page.root, "Start talking")).toBeTruthy();
  });

  it("leaves a soul alone that is the owner's already", async () => {
    const page = await open(2, SERVERS, (core) => {
      core.handlers.get_welcome = () => ({ step: 2, own_soul: true, strangers: false, acquainted: true });
    });
    await settle(() => button(page.root, "Next").click());
    expect(page.core.called("choose_soul")).toEqual([]);
    expect(page.core.called("save_welcome")).toEqual([{ step: 3 }]);
  });

  it("stays where it is when the soul could not be written", async () => {
    const page = await open(2);
    page.core.fail("choose_soul", { code: "write_failed", args: { file: "SOUL.md", reason: "" }, retryable: false });
    await settle(() => button(page.root, "Next").click());
    expect(page.core.called("save_welcome")).toEqual([]);
    expect(page.root.querySelector(".notice")).not.toBeNull();
  });

  it("shows all that a card would change before it is taken in", async () => {
    const page = await open(2);
    await choose(page, "A character card");
    await drop(page, card());
    const preview = find(page.root, ".card-preview");
    expect(preview.textContent).toContain("I am Mochi.");
    expect(preview.textContent).toContain("Hello, you!");
    expect(preview.textContent).toContain(CARD.notes);
    expect(page.core.called("import_card")).toEqual([]);
    await settle(() => button(page.root, "Make this the soul").click());
    const file = { name: "momo.json", data: [btoa("{}")] };
    expect(page.core.called("import_card")).toEqual([{ file, base: "v1", instructions: false }]);
    expect(page.core.called("rename_pet")).toEqual([{ pet: "bun", name: "Momo" }]);
    expect(find(page.root, "[aria-current=step]").textContent).toContain("Say hello");
  });

  it("takes a card's instructions in only when they are ticked, and shows them first", async () => {
    const page = await open(2);
    await choose(page, "A character card");
    await drop(page, card());
    const tick = find<HTMLInputElement>(page.root, ".tick input");
    expect(tick.checked).toBe(false);
    await settle(() => tick.click());
    expect(page.core.called("preview_card")).toHaveLength(2);
    await settle(() => button(page.root, "Make this the soul").click());
    expect(page.core.called("import_card")).toMatchObject([{ instructions: true }]);
  });

  it("shows the card anew when the soul has just been changed", async () => {
    const page = await open(2);
    await choose(page, "A character card");
    await drop(page, card());
    page.core.handlers.import_card = () => ({
      outcome: "conflict",
      file: page.core.fileView("SOUL.md"),
      receipt: null,
      merged_text: null,
    });
    await settle(() => button(page.root, "Make this the soul").click());
    expect(page.root.textContent).toContain("has just been changed");
    expect(page.core.called("preview_card")).toHaveLength(2);
    expect(page.core.called("save_welcome")).toEqual([]);
  });

  it("shows a hostile card as text and nothing else", async () => {
    const page = await open(2, SERVERS, (core) => {
      const bad = '<img src="https://example.org/x.png" onerror="alert(1)"><script>alert(1)</script>';
      const lines = [{ kind: "added" as const, text: bad, old_line: null, new_line: 1 }];
      core.handlers.preview_card = () => ({
        ...CARD,
        name: bad,
        soul: bad,
        greetings: [bad],
        notes: bad,
        diff: { lines, added: 1, removed: 0 },
      });
    });
    await choose(page, "A character card");
    await drop(page, card());
    const preview = find(page.root, ".card-preview");
    expect(preview.querySelectorAll("img, script, iframe, a, style")).toHaveLength(0);
    expect(preview.textContent?.split("onerror")).toHaveLength(5);
  });

  it("says what is wrong with a file that is no card", async () => {
    const page = await open(2);
    await choose(page, "A character card");
    page.core.fail("preview_card", { code: "card_no_card", args: {}, retryable: false });
    await drop(page, card());
    expect(find(page.root, ".card-import .error-text").textContent).not.toBe("");
    expect(page.root.querySelector(".card-preview")).toBeNull();
  });

  it("is found out by talking: the pet speaks first", async () => {
    const page = await open(2);
    await choose(page, "By talking");
    await settle(() => button(page.root, "Next").click());
    await settle(() => button(page.root, "Start talking").click());
    expect(page.core.called("get_acquainted")).toHaveLength(1);
    expect(page.core.called("send_message")).toEqual([]);
    expect(page.core.called("choose_soul")).toEqual([]);
  });

  it("has no talk in the demo", async () => {
    const page = await open(2, SERVERS, (core) => {
      core.settings = { ...core.settings, demo: true };
    });
    await choose(page, "By talking");
    expect(page.root.textContent).toContain("Go back and choose");
    await settle(() => button(page.root, "Skip this").click());
    await settle(() => button(page.root, "Say hello").click());
    expect(page.core.called("send_message")).toEqual([]);
  });
});

describe("say hello", () => {
  it("leaves the explanation of memory to the chat, where its button is", async () => {
    const page = await open(3, SERVERS, (core) => {
      const chosen = { unchosen: false, key_needed: false, host: "localhost:11434" };
      core.app = { ...core.app, acknowledged_hosts: [], ...chosen };
    });
    expect(page.root.textContent).not.toMatch(/memor/i);
    expect(find(page.root, ".assurances li").textContent).toContain("Double-click me");
    await settle(() => find<HTMLInputElement>(page.root, "#first-words").click());
    const changes = { greetings: "off", reminder_bubbles: false, ask_after: false };
    expect(page.core.called("change_settings")).toEqual([{ changes }]);
    await settle(() => button(page.root, "Say hello").click());
    expect(page.core.called("save_welcome")).toEqual([{ step: 0 }]);
    expect(find(page.root, ".banner .host-notice").textContent).toContain("I remember what you tell me.");
  });
});

describe("the shortcut for what is selected", () => {
  const offered = (abilities: string[]) =>
    open(3, SERVERS, (core) => {
      core.app = { ...core.app, abilities };
    });

  it("is set by a switch, changed beside it, and skipped by leaving it off", async () => {
    const page = await offered(["shortcuts", "selection"]);
    expect(page.root.textContent).toContain("text you selected in any program");
    expect(page.root.querySelector("#shortcut_ask")).toBeNull();
    await settle(() => find<HTMLInputElement>(page.root, "#ask-offer").click());
    expect(page.core.called("change_settings")).toEqual([{ changes: { shortcut_ask: "Ctrl+Alt+Q" } }]);
    const keys = find<HTMLInputElement>(page.root, "#shortcut_ask");
    expect(keys.value).toBe("Ctrl+Alt+Q");
    page.core.desktop = { ...page.core.desktop, taken_shortcuts: ["Ctrl+Alt+Q"] };
    await settle(() => page.core.emit({ type: "desktop_changed", error: null }));
    expect(find(page.root, ".error-text").textContent).toContain("Another program uses these keys");
    expect(await faults(page.root)).toEqual([]);
    await settle(() => find<HTMLInputElement>(page.root, "#ask-offer").click());
    expect(page.core.called("change_settings").at(-1)).toEqual({ changes: { shortcut_ask: "" } });
    expect(page.root.querySelector("#shortcut_ask")).toBeNull();
  });

  it("speaks of copied text where programs can't see what is selected", async () => {
    const page = await offered(["shortcuts"]);
    expect(page.root.textContent).toContain("text you copied in any program");
  });

  it("is not offered where the desktop has none", async () => {
    const page = await offered([]);
    expect(page.root.querySelector("#ask-offer")).toBeNull();
    await settle(() => button(page.root, "Say hello").click());
    expect(page.core.called("change_settings")).toEqual([]);
  });
});

describe("for everyone", () => {
  it("has no fault that axe finds, in either language", async () => {
    for (const step of [1, 2, 3]) {
      const page = await open(step);
      if (step === 1) await choose(page, "A service, with a key");
      expect(await faults(page.root)).toEqual([]);
      const zh = [...page.root.querySelectorAll<HTMLInputElement>("[name=welcome-language]")][0];
      await settle(() => zh?.click());
      expect(await faults(page.root)).toEqual([]);
    }
  });

  it("breaks its Chinese question between sentences first", async () => {
    const page = await open(3);
    expect(find(page.root, "h1").children).toHaveLength(1);
    const zh = [...page.root.querySelectorAll<HTMLInputElement>("[name=welcome-language]")][0];
    await settle(() => zh?.click());
    expect([...find(page.root, "h1").children].map((each) => each.textContent?.at(-1))).toEqual(["。", "。"]);
  });

  it("has none in a card's preview", async () => {
    const page = await open(2);
    await choose(page, "A character card");
    await drop(page, card());
    expect(await faults(page.root)).toEqual([]);
  });
});
