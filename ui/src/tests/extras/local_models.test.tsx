/** Models that the program runs itself: the catalogue, downloads, models found on the disk, the one in use. */
import { describe, expect, it, vi } from "vitest";
import { CommandError, type LocalModelList } from "../../bindings";
import { LocalModelsState } from "../../extras/local_models/state";
import { faults } from "../axe";
import { beginFirstStart, SERVERS } from "../core/welcome";
import { button, find, type Mounted, mountApp, mountSettings, settle, type } from "../render";
import { makeStore } from "../store";

const ID = "qwen3-4b";

const open = (prepare?: (core: Mounted["core"]) => void) => mountSettings("model", prepare);

function arriving(done: number) {
  const total = 2_497_281_120;
  const rest = { total, speed: 12_000_000, seconds_left: 125, host: "modelscope.cn", checking: false };
  return { type: "local_model_arriving", local_model: ID, done, ...rest } as const;
}

describe("the catalogue", () => {
  it("says size, memory, licence and languages, and marks the one that fits", async () => {
    const page = await open();
    const first = find(page.root, ".local-model");
    expect(first.textContent).toContain("fits this computer");
    expect(find(first, ".local-model-facts").textContent).toBe(
      "2.5 GB, 3.3 GB of RAM · Apache-2.0 · Chinese, English",
    );
    expect(first.textContent).toContain("from huggingface.co");
    const large = page.root.querySelectorAll(".local-model")[2];
    expect(large?.textContent).toContain("too large for this computer");
    expect(large?.querySelector(".local-model-acts button")).toBeNull();
    expect(await faults(page.root)).toEqual([]);
  });

  it("leads with the one that fits and those that are here; the others wait folded up", async () => {
    const page = await open((core) => {
      const [fits, other, large] = core.localModels.list.local_models;
      if (!fits || !other || !large) throw new Error("the fake core has three");
      const tiny = { ...other, id: "tiny", name: "Tiny", kind: "tiny" as const, here: true };
      core.localModels.list = { ...core.localModels.list, local_models: [other, tiny, large, fits] };
    });
    const names = [...page.root.querySelectorAll(".local-models > .local-model-list b")].map(
      (name) => name.textContent,
    );
    expect(names).toEqual(["Qwen3 4B Instruct 2507", "Tiny"]);
    const others = find<HTMLDetailsElement>(page.root, ".local-model-others");
    expect(others.open).toBe(false);
    expect(find(others, "summary").textContent).toBe("2 other models");
    expect(others.querySelectorAll(".local-model")).toHaveLength(2);
    expect(await faults(page.root)).toEqual([]);
  });

  it("says why nothing can run here, and offers nothing then", async () => {
    const page = await open((core) => {
      core.localModels.list = { ...core.localModels.list, problem: "local_model_no_cpu" };
    });
    expect(find(page.root, ".local-models .fault").textContent).toContain("too old");
    expect(page.root.querySelector(".local-model-acts button")).toBeNull();
  });
});

it("a model that can't be loaded says so in a whole sentence", async () => {
  const page = await open((core) => {
    core.localModels.change(ID, { here: true, chosen: true });
    core.settings = { ...core.settings, connection: "computer", local_model: ID };
    const state = { local_model: ID, phase: "failed" as const, problem: "local_model_not_loaded", fetching: "" };
    core.localModels.list = { ...core.localModels.list, state };
  });
  const text = find(page.root, ".local-model-state .error-text").textContent;
  expect(text).toContain("could not be loaded");
  expect(text).not.toContain("?");
  expect(find(page.root, ".local-model.chosen .badge:not(.good)").textContent).toBe("could not start");
  const row = find(page.root, ".connection.chosen").textContent;
  expect(row).toContain("could not start");
  expect(page.root.textContent).not.toContain("in use");
});

describe("a download", () => {
  it("is one click: it shows how far, how fast and from where, and is used once it is here", async () => {
    const page = await open();
    await settle(() => button(page.root, "Download and use (2.5 GB)").click());
    expect(page.core.called("fetch_local_model")).toEqual([{ local_model: ID }]);
    await settle(() => page.core.emit(arriving(1_000_000_000)));
    const shown = find(page.root, ".local-model-arriving").textContent;
    for (const words of ["1 GB of 2.5 GB", "12 MB per second", "2 min left", "from modelscope.cn"]) {
      expect(shown).toContain(words);
    }
    expect(await faults(page.root)).toEqual([]);
    page.core.localModels.change(ID, { here: true });
    await settle(() => page.core.emit({ type: "local_model_arrived", local_model: ID, error: null }));
    expect(page.core.called("use_local_model")).toEqual([{ local_model: ID }]);
    expect(find(page.root, ".local-model-state").textContent).toContain("starting");
  });

  it("is paused, gone on with and deleted", async () => {
    const page = await open();
    await settle(() => button(page.root, "Download and use (2.5 GB)").click());
    await settle(() => button(page.root, "Pause").click());
    expect(page.core.called("stop_fetching_local_model")).toHaveLength(1);
    page.core.localModels.change(ID, { part: 900_000_000 });
    const stopped = { code: "local_model_stopped", args: {}, retryable: false };
    await settle(() => page.core.emit({ type: "local_model_arrived", local_model: ID, error: stopped }));
    expect(page.root.querySelector(".local-model .error-text")).toBeNull();
    expect(page.root.textContent).toContain("0.9 of 2.5 GB downloaded");
    await settle(() => button(page.root, "Continue the download").click());
    expect(page.core.called("fetch_local_model")).toHaveLength(2);
    page.core.localModels.change(ID, { part: 1_900_000_000 });
    await settle(() => page.core.emit({ type: "local_model_arrived", local_model: ID, error: stopped }));
    await settle(() => button(find(page.root, ".local-models"), "Delete").click());
    await settle(() => button(find(page.root, "dialog"), "Delete").click());
    expect(page.core.called("remove_local_model")).toEqual([{ local_model: ID }]);
  });

  it("that fails says why, at its model", async () => {
    const page = await open();
    await settle(() => button(page.root, "Download and use (2.5 GB)").click());
    page.core.localModels.change(ID, {});
    const error = { code: "local_model_unreachable", args: { host: "huggingface.co" }, retryable: false };
    await settle(() => page.core.emit({ type: "local_model_arrived", local_model: ID, error }));
    expect(find(page.root, ".local-model .error-text").textContent).toContain("huggingface.co can't be reached");
    expect(page.core.called("use_local_model")).toEqual([]);
  });

  it("that fails stays in sight where the model was among the folded ones", async () => {
    const page = await open();
    const folded = find(page.root, ".local-model-others .local-model");
    const { local_models } = page.core.localModels.list;
    const id = local_models.find((each) => folded.textContent?.includes(each.name))?.id ?? "";
    await settle(() => folded.querySelector<HTMLButtonElement>("button")?.click());
    page.core.localModels.change(id, {});
    const error = { code: "local_model_broken", args: { name: "it" }, retryable: false };
    await settle(() => page.core.emit({ type: "local_model_arrived", local_model: id, error }));
    expect(page.core.called("fetch_local_model")).toEqual([{ local_model: id }]);
    expect(find(page.root, ".local-model .error-text").closest("details")).toBeNull();
  });

  it("that can't begin leaves no progress behind", async () => {
    const page = await open((core) => {
      core.handlers.fetch_local_model = () => {
        throw new CommandError({ code: "local_model_busy", args: {}, retryable: false });
      };
    });
    await settle(() => button(page.root, "Download and use (2.5 GB)").click());
    expect(page.root.querySelector(".local-model-arriving")).toBeNull();
    expect(find(page.root, ".local-model .error-text").textContent).toContain("already");
  });
});

describe("a model on the disk", () => {
  it("is looked for when asked, and used with one click", async () => {
    const page = await open();
    await settle(() => button(page.root, "Look for models of other programs").click());
    expect(page.root.textContent).toContain("1 found, at");
    const rows = [...page.root.querySelectorAll<HTMLElement>(".local-model")];
    const card = rows.find((row) => row.textContent?.includes("phi-4")) ?? page.root;
    await settle(() => button(card, "Use it").click());
    expect(page.core.called("use_local_model")).toEqual([{ local_model: "file:/home/lin/models/phi-4.gguf" }]);
    await settle(() => button(page.root, "Stop").click());
    expect(page.core.called("stop_local_model")).toHaveLength(1);
  });
});

describe("a model file of the owner's", () => {
  const offered = {
    type: "local_model_offered" as const,
    local_model: "file:/models/phi.gguf",
    name: "phi-4",
    size: 2_400_000_000,
    need: 3_000_000_000,
    error: null,
  };

  it("that was dropped or chosen is used with one click", async () => {
    const page = await mountApp();
    await settle(() => page.core.emit(offered));
    expect(find(page.root, "dialog").textContent).toContain("Use phi-4?");
    expect(page.core.called("use_local_model")).toEqual([]);
    await settle(() => button(find(page.root, "dialog"), "Use it").click());
    expect(page.core.called("use_local_model")).toEqual([{ local_model: offered.local_model }]);
    expect(page.root.querySelector("dialog")).toBeNull();
  });

  it("that can't be used is refused with the reason", async () => {
    const page = await mountApp();
    const error = { code: "local_model_not_gguf", args: { file: "x.gguf" }, retryable: false };
    await settle(() => page.core.emit({ ...offered, error }));
    expect(find(page.root, "dialog [role=alert]").textContent).not.toBe("");
    expect(find(page.root, "dialog").textContent).not.toContain("Use it");
  });
});

describe("the first start", () => {
  it("offers the catalogue; no tick is shown while there is nothing to think with", async () => {
    const page = await mountApp((core) => beginFirstStart(core, [], 1));
    await settle(() => find<HTMLInputElement>(page.root, ".option input").click());
    expect(page.root.querySelectorAll(".option .local-model").length).toBeGreaterThan(1);
    expect(page.root.textContent).toContain("Last looked at");
    await settle(() => button(page.root, "Get Ollama").click());
    expect(page.core.called("open_link")).toEqual([{ url: "https://ollama.com/download" }]);
    const second = await mountApp((core) => beginFirstStart(core, [], 2));
    expect(find(second.root, ".steps .past").querySelector(".icon")).toBeNull();
    const third = await mountApp((core) => {
      beginFirstStart(core, [], 2);
      core.app = { ...core.app, local_model: "Qwen3 4B", unchosen: false };
    });
    expect(find(third.root, ".steps .past").querySelector(".icon")).not.toBeNull();
  });

  it("takes any address and links to where keys come from", async () => {
    const page = await mountApp((core) => beginFirstStart(core, [], 1));
    const key = page.root.querySelectorAll<HTMLInputElement>(".option input[type=radio]")[1];
    await settle(() => key?.click());
    await settle(() => button(page.root, "Where do I get a key for Anthropic?").click());
    expect(page.core.called("open_link")).toEqual([{ url: "https://console.anthropic.com/settings/keys" }]);
    const address = find<HTMLInputElement>(page.root, "#url-main");
    address.value = "https://llm.example.org/v1";
    await settle(() => address.dispatchEvent(new Event("change", { bubbles: true })));
    const changes = { connection: "main", demo: false, local_model: "", model: "" }; // no name of Anthropic's
    const base_url = "https://llm.example.org/v1";
    expect(page.core.called("change_settings")).toContainEqual({ changes: { base_url, ...changes } });
    expect(find<HTMLInputElement>(page.root, "#model-main").value).toBe("");
    await settle(() => button(page.root, "Anthropic").click());
    expect(page.core.settings.model).toBe("claude-haiku-5-5");
  });

  it("uses the one model that an address of the owner's lists", async () => {
    const page = await mountApp((core) => {
      beginFirstStart(core, [], 1);
      core.app = { ...core.app, key_needed: false };
      core.handlers.list_models = () => ({ models: ["qwen3:8b"], error: null });
    });
    await settle(() => page.root.querySelectorAll<HTMLInputElement>(".option input[type=radio]")[1]?.click());
    const address = find<HTMLInputElement>(page.root, "#url-main");
    address.value = "127.0.0.1:8899"; // without a scheme: the core adds it
    await settle(() => address.dispatchEvent(new Event("change", { bubbles: true })));
    expect(page.core.settings.model).toBe("qwen3:8b");
    expect(find<HTMLInputElement>(page.root, "#model-main").value).toBe("qwen3:8b");
  });

  it("offers a model file that its owner chose or dropped", async () => {
    const page = await mountApp((core) => beginFirstStart(core, [], 1));
    const error = { code: "local_model_not_gguf", args: { file: "x.gguf" }, retryable: false };
    const rest = { local_model: "file:/x.gguf", name: "x.gguf", size: 1, need: 1 };
    await settle(() => page.core.emit({ type: "local_model_offered", ...rest, error }));
    expect(find(page.root, "dialog").textContent).toContain("can't be used here");
  });

  it("says at its field that an address is none, and keeps the keyboard where Tab led", async () => {
    const page = await mountApp((core) => beginFirstStart(core, [], 1));
    await settle(() => page.root.querySelectorAll<HTMLInputElement>(".option input[type=radio]")[1]?.click());
    const enter = (address: string) => {
      const field = find<HTMLInputElement>(page.root, "#url-main");
      field.value = address;
      field.dispatchEvent(new Event("change", { bubbles: true }));
      find(page.root, "#key-main").focus();
    };
    const problem = { code: "settings_not_an_address", args: { setting: "base_url" }, retryable: false };
    page.core.fail("change_settings", problem);
    await settle(() => enter("foo bar"));
    expect(find(page.root, ".option .error-text").textContent).toContain("An address begins with");
    expect(page.root.querySelector(".fault")).toBeNull();
    await settle(() => enter("http://127.0.0.1:8899"));
    expect(page.root.querySelector(".option .error-text")).toBeNull();
    expect(document.activeElement?.id).toBe("key-main");
  });

  it("asks again with another key, and drops what was said about the former", async () => {
    const page = await mountApp((core) => {
      beginFirstStart(core, [], 1);
      const error = { code: "fault_bad_key", args: { host: "api.groq.com" }, retryable: false };
      core.handlers.list_models = () =>
        core.app.key.last4 === "good" ? { models: ["a", "b"], error: null } : { models: [], error };
    });
    await settle(() => page.root.querySelectorAll<HTMLInputElement>(".option input[type=radio]")[1]?.click());
    await settle(() => button(page.root, "Groq").click());
    const save = async (key: string) => {
      await settle(() => type(find<HTMLInputElement>(page.root, "#key-main"), key));
      await settle(() => button(page.root, "Save").click());
    };
    await save("sk-bad0");
    expect(page.root.textContent).toContain("does not accept this key");
    await settle(() => button(page.root, "Test").click());
    expect(find(page.root, ".test [role=status]").textContent).not.toBe("");
    await save("sk-good");
    expect(page.root.textContent).not.toContain("does not accept this key");
    expect(find(page.root, ".presets.models").textContent).toBe("ab");
    expect(find(page.root, ".test [role=status]").textContent).toBe("");
    await settle(() => button(page.root, "Test").click());
    await settle(() => button(page.root, "b").click());
    expect(find(page.root, ".test [role=status]").textContent).toBe("");
  });

  it("keeps an address on this computer while its owner looks at another way", async () => {
    const page = await mountApp((core) => beginFirstStart(core, [], 1));
    const way = (place: number) =>
      settle(() => page.root.querySelectorAll<HTMLInputElement>(".option input[name=way]")[place]?.click());
    await way(1);
    const address = find<HTMLInputElement>(page.root, "#url-main");
    address.value = "http://127.0.0.1:8899";
    await settle(() => address.dispatchEvent(new Event("change", { bubbles: true })));
    await way(0);
    await way(1);
    expect(page.core.settings.base_url).toBe("http://127.0.0.1:8899");
  });

  it("says once what a service lacks, and knows the service again after Back", async () => {
    const page = await mountApp((core) => beginFirstStart(core, [], 1));
    const service = () => page.root.querySelectorAll<HTMLInputElement>(".option input[type=radio]")[1];
    await settle(() => service()?.click());
    await settle(() => button(page.root, "Groq").click());
    expect(find(page.root, "footer .note").textContent).toBe("");
    await settle(() => button(page.root, "Next").click());
    expect(find(page.root, "footer .note").textContent).toContain("Without a key I can't answer");
    expect(page.core.called("save_welcome")).toEqual([]);
    await settle(() => button(page.root, "Continue without").click());
    expect(page.core.called("save_welcome")).toEqual([{ step: 2 }]);
    await settle(() => button(page.root, "Back").click());
    expect(service()?.checked).toBe(true);
    expect(button(page.root, "Groq").ariaPressed).toBe("true");
    page.core.app = { ...page.core.app, unchosen: false, key: { ...page.core.app.key, set: true } };
    await settle(() => page.store.loadApp());
    await settle(() => button(page.root, "Next").click());
    expect(find(page.root, "footer .note").textContent).toContain("Choose one above");
    const model = find<HTMLInputElement>(page.root, "#model-main");
    model.value = "llama";
    await settle(() => model.dispatchEvent(new Event("change", { bubbles: true })));
    expect(find(page.root, "footer .note").textContent).toBe("");
    const before = page.core.called("save_welcome").length;
    await settle(() => button(page.root, "Next").click());
    expect(page.core.called("save_welcome")).toHaveLength(before + 1);
  });

  describe("while it looks for what runs here", () => {
    const line = (page: Mounted) => find(page.root, ".welcome-search").textContent;

    it("says so at once, and opens what it comes upon where nobody moved yet", async () => {
      let found = () => {};
      const page = await mountApp((core) => {
        beginFirstStart(core, SERVERS, 1);
        core.localModels.found = [];
        found = core.hold("find_servers");
      });
      expect(line(page)).toBe("Looking for what runs here…");
      for (let moves = 0; moves < 2; moves += 1) {
        // The window comes up below a resting pointer.
        const move = new MouseEvent("pointermove", { bubbles: true, screenX: 300, screenY: 200 });
        await settle(() => find(page.root, ".welcome-step").dispatchEvent(move));
      }
      await settle(found);
      expect(line(page)).toContain("Here already: Ollama");
      expect(page.root.querySelector("#welcome-model")).not.toBeNull();
    });

    it("moves nothing under a pointer: the line alone changes", async () => {
      let found = () => {};
      const page = await mountApp((core) => {
        beginFirstStart(core, SERVERS, 1);
        core.localModels.found = [];
        found = core.hold("find_servers");
      });
      const step = find(page.root, ".welcome-step");
      for (const screenX of [300, 310])
        await settle(() => step.dispatchEvent(new MouseEvent("pointermove", { bubbles: true, screenX })));
      await settle(found);
      expect(line(page)).toContain("Ollama");
      expect(page.root.querySelector(".option.chosen")).toBeNull();
    });

    it("adds it below what the owner has opened meanwhile", async () => {
      let found = () => {};
      const page = await mountApp((core) => {
        beginFirstStart(core, SERVERS, 1);
        core.localModels.found = [];
        found = core.hold("find_servers");
      });
      await settle(() => find<HTMLInputElement>(page.root, ".option input").click());
      await settle(found);
      const body = find(page.root, ".option-body").textContent ?? "";
      expect(body.indexOf("Download")).toBeLessThan(body.indexOf("Ollama, 2 models"));
    });

    it("says that nothing runs here", async () => {
      const page = await mountApp((core) => {
        beginFirstStart(core, [], 1);
        core.localModels.found = [];
      });
      expect(line(page)).toBe("I found no program here that runs a model.");
    });
  });

  it("tests the address that was just typed, at the first press", async () => {
    const page = await mountApp((core) => beginFirstStart(core, [], 1));
    const answer = page.core.hold("test_connection");
    await settle(() => page.root.querySelectorAll<HTMLInputElement>(".option input[type=radio]")[1]?.click());
    const address = find<HTMLInputElement>(page.root, "#url-main");
    address.focus();
    address.value = "http://127.0.0.1:8899";
    // As a browser does when an edited field is left.
    address.addEventListener("blur", () => address.dispatchEvent(new Event("change", { bubbles: true })));
    const pressed = new MouseEvent("mousedown", { bubbles: true, cancelable: true });
    button(page.root, "Test").dispatchEvent(pressed);
    expect(pressed.defaultPrevented).toBe(true); // it leaves no field, so that nothing moves under the pointer
    await settle(() => button(page.root, "Test").click());
    expect(page.core.settings.base_url).toBe("http://127.0.0.1:8899");
    await settle(answer);
    expect(find(page.root, ".test [role=status]").textContent).toContain("answered");
    await settle(() => button(page.root, "OpenAI").click());
    expect(find(page.root, ".test [role=status]").textContent).toBe(""); // that was another address
  });
});

it("of two lists the newer one counts", async () => {
  const { core, store } = makeStore();
  const answers: ((list: LocalModelList) => void)[] = [];
  store.commands.listLocalModels = () => new Promise((resolve) => answers.push(resolve));
  const models = new LocalModelsState(store.commands);
  const both = Promise.all([models.load(), models.load()]);
  answers[1]?.({ ...core.localModels.list, free_disk: 2 });
  answers[0]?.({ ...core.localModels.list, free_disk: 1 });
  await both;
  expect(models.list.value?.free_disk).toBe(2);
});

it("after dropped events the list is asked for again", async () => {
  const { core, store } = makeStore();
  await store.start();
  await store.models?.load();
  core.emit(arriving(1));
  expect(store.models?.arriving()).toBe(true);
  store.deliver({ resync: true, events: [] });
  await vi.waitFor(() => expect(store.models?.arriving()).toBe(false));
});
