import enFaults from "@texts/en/faults.json";
import zhFaults from "@texts/zh/faults.json";
import { afterEach, describe, expect, it } from "vitest";
import ADDRESSES from "../../../../../tests/fixtures/addresses.json";
import type { SettingsView } from "../../../bindings";
import { isLocal } from "../../../settings/model/model";
import { errorText, hasKey, language, t } from "../../../texts";
import type { FakeCore } from "../../core/core";
import { button, find, type Mounted, mountSettings, settle, type } from "../../render";

const open = (prepare?: (core: FakeCore) => void) => mountSettings("model", prepare);

function having(settings: Partial<SettingsView>): (core: FakeCore) => void {
  return (core) => {
    core.settings = { ...core.settings, ...settings };
  };
}

async function change(page: Mounted, selector: string, value: string): Promise<void> {
  await settle(() => {
    const field = find<HTMLInputElement>(page.root, selector);
    field.value = value;
    field.dispatchEvent(new Event("change", { bubbles: true }));
  });
}

afterEach(() => {
  language.value = "en";
});

describe("the address", () => {
  it.each([
    ["DeepSeek", "https://api.deepseek.com/anthropic"],
    ["Kimi", "https://api.moonshot.cn/anthropic"],
    ["GLM", "https://open.bigmodel.cn/api/anthropic"],
  ])("of %s is one click away, and leaves the demo", async (name, url) => {
    const page = await open(having({ demo: true }));
    await settle(() => button(page.root, "Add a connection").click());
    await settle(() => button(page.root, name).click());
    const draft = { id: "", name, base_url: url, protocol: "auto", model: "" };
    expect(page.core.called("save_connection")).toEqual([draft]);
    expect(page.core.called("use_connection")).toEqual([{ connection: "c1" }]);
    expect(find<HTMLInputElement>(page.root, "#url-c1").value).toBe(url);
  });

  it("of Anthropic brings a model of its own", async () => {
    const page = await open(having({ base_url: "http://127.0.0.1:11434", model: "qwen3:8b" }));
    await settle(() => button(page.root, "Add a connection").click());
    await settle(() => button(page.root, "Anthropic").click());
    expect(page.core.called("save_connection")).toMatchObject([{ model: "claude-haiku-5-5" }]);
    expect(page.core.called("use_connection")).toEqual([]);
  });

  it("is used at once while a model answers that nobody chose", async () => {
    const page = await open((core) => {
      core.settings = { ...core.settings, local_model: "tiny" };
      core.app = { ...core.app, local_model: "SmolLM2 135M", unchosen: true };
    });
    await settle(() => button(page.root, "Add a connection").click());
    await settle(() => button(page.root, "Anthropic").click());
    expect(page.core.called("use_connection")).toEqual([{ connection: "c1" }]);
  });

  it("warns where others could read along, and nowhere else", async () => {
    const page = await open();
    expect(page.root.textContent).not.toContain("not encrypted");
    await change(page, "#url-main", "http://192.168.1.9:11434");
    expect(find(page.root, ".note.warning").textContent).toContain("This address is not encrypted");
    await change(page, "#url-main", "http://localhost:11434");
    expect(page.root.querySelector(".note.warning")).toBeNull();
  });

  // The core reads the same ones: tests/settings/test_keys.py.
  it.each(Object.entries(ADDRESSES))("%s is on this computer: %s", (url, local) => {
    expect(isLocal(url)).toBe(local);
  });

  it("that the environment decides says so", async () => {
    const page = await open(having({ overridden: ["base_url"] }));
    expect(find(page.root, ".overridden").textContent).not.toBe("");
  });

  it("is found on this computer only when asked, and used with one of its models", async () => {
    const page = await open((core) => {
      core.handlers.find_servers = () => ({
        servers: [{ name: "Ollama", base_url: "http://127.0.0.1:11434", models: ["qwen3:8b", "gemma3:4b"] }],
      });
    });
    await settle(() => button(page.root, "Add a connection").click());
    expect(page.core.called("find_servers")).toEqual([]);
    await settle(() => button(page.root, "Look on this computer").click());
    await settle(() => button(page.root, "Ollama, 2 models").click());
    expect(page.core.called("save_connection")).toEqual([
      { id: "", name: "Ollama", base_url: "http://127.0.0.1:11434", protocol: "auto", model: "qwen3:8b" },
    ]);
  });
});

describe("the key", () => {
  it("has no hint that none is needed once the server asked for one", async () => {
    const page = await open((core) => {
      core.settings = { ...core.settings, base_url: "http://127.0.0.1:8080" };
      core.app = { ...core.app, key: { ...core.app.key, set: false, source: "none", last4: "" } };
    });
    expect(find(page.root, ".key-block").textContent).toContain("usually need none");
    const error = { code: "fault_no_key", args: { host: "127.0.0.1:8080" }, retryable: false };
    page.core.handlers.test_connection = () => ({ ok: false, model: "", milliseconds: 0, error, window: null });
    await settle(() => button(page.root, "Test").click());
    expect(find(page.root, ".key-block").textContent).not.toContain("usually need none");
    await change(page, "#url-main", "http://127.0.0.1:9090");
    expect(find(page.root, ".key-block").textContent).toContain("usually need none");
  });

  it.each([
    ["keyring", "Kept in the system's keyring (…x7Qa)"],
    ["session", "Kept until you quit (…x7Qa)"],
    ["file", "Kept in a file that only you can read (…x7Qa)"],
    ["environment", "Using a key from the environment (…x7Qa)"],
  ] as const)("says that it is in the %s", async (source, words) => {
    const page = await open((core) => {
      core.app = {
        ...core.app,
        key: { set: true, source, last4: "x7Qa", keyring_available: true, locked: false, headers: [] },
      };
    });
    expect(find(page.root, ".key-block").textContent).toContain(words);
    const forget = [...page.root.querySelectorAll("button")].some((each) => each.textContent === "Delete");
    expect(forget).toBe(source !== "environment");
  });

  it("in a locked keyring is not told as none", async () => {
    const page = await open((core) => {
      core.app = {
        ...core.app,
        key: { set: false, source: "none", last4: "", keyring_available: true, locked: true, headers: [] },
      };
    });
    const text = find(page.root, ".key-block").textContent;
    expect(text).toContain("keyring is locked");
    expect(text).not.toContain("No key yet");
    expect(find(page.root, ".connection-facts").textContent).toContain("keyring locked");
  });

  it("is forgotten after a question", async () => {
    const page = await open();
    await settle(() => button(page.root, "Delete").click());
    expect(find(page.root, "dialog").textContent).toContain("Delete the key for api.anthropic.com?");
    expect(page.core.called("delete_key")).toEqual([]);
    await settle(() => button(find(page.root, "dialog"), "Delete").click());
    expect(page.core.called("delete_key")).toHaveLength(1);
    expect(find(page.root, ".key-block").textContent).toContain("No key yet.");
  });

  const keeps = (page: Mounted) => [...page.root.querySelectorAll<HTMLInputElement>("input[name=keep-main]")];

  it("goes where its owner wants it, which is asked at once where there is no keyring", async () => {
    const page = await open((core) => {
      core.app = {
        ...core.app,
        key: { set: false, source: "none", last4: "", keyring_available: false, locked: false, headers: [] },
      };
    });
    const kept = keeps(page);
    expect(kept.map((each) => [each.value, each.checked, each.closest("label")?.textContent])).toEqual([
      ["session", true, "Until I quit"],
      ["file", false, "In a file only I can read"],
    ]);
    await settle(() => type(find<HTMLInputElement>(page.root, "#key-main"), "sk-1234"));
    await settle(() => kept[1]?.click());
    expect(find(page.root, ".key-block").textContent).toContain("not encrypted");
    await settle(() => button(find(page.root, ".key-block"), "Save").click());
    expect(page.core.called("set_key")).toEqual([{ connection: "main", key: "sk-1234", keep: "file" }]);
  });

  it("is kept where it was when another one replaces it", async () => {
    const page = await open((core) => {
      core.app = {
        ...core.app,
        key: { set: true, source: "file", last4: "x7Qa", keyring_available: false, locked: false, headers: [] },
      };
    });
    expect(keeps(page)).toEqual([]);
    await settle(() => type(find<HTMLInputElement>(page.root, "#key-main"), "sk-1234"));
    expect(keeps(page).map((each) => each.checked)).toEqual([false, true]);
  });

  it("goes to the keyring where there is one, and elsewhere if its owner says so as it is typed", async () => {
    const page = await open((core) => {
      core.app = { ...core.app, key: { ...core.app.key, set: false, source: "none", last4: "" } };
    });
    expect(keeps(page)).toEqual([]);
    await settle(() => type(find<HTMLInputElement>(page.root, "#key-main"), "sk-1234"));
    expect(keeps(page).map((each) => each.checked)).toEqual([true, false, false]);
  });

  it("that can't be kept says why", async () => {
    const page = await open();
    page.core.fail("set_key", { code: "key_store_locked", args: {}, retryable: true });
    await settle(() => type(find<HTMLInputElement>(page.root, "#key-main"), "sk-1234"));
    await settle(() => button(find(page.root, ".key-block"), "Save").click());
    expect(find(page.root, ".notices").textContent).toContain("keyring is locked");
    expect(find<HTMLInputElement>(page.root, "#key-main").value).toBe("sk-1234");
  });
});

describe("the test", () => {
  it("tells model and time", async () => {
    const page = await open();
    await settle(() => button(page.root, "Test").click());
    expect(find(page.root, ".test [role=status]").textContent).toContain("claude-haiku-5-5 answered in 0.8 s");
    language.value = "es";
    await settle();
    expect(find(page.root, ".test [role=status]").textContent).toContain("claude-haiku-5-5 contestó en 0,8 s");
    language.value = "en";
  });

  it("says how large the window is, and where a server cuts without a word", async () => {
    const window = { tokens: 4096, source: "server" as const, possible: 40_960 };
    const page = await open((core) => {
      core.handlers.test_connection = () => ({ ok: true, model: "qwen", milliseconds: 9, error: null, window });
    });
    await settle(() => button(page.root, "Test").click());
    const text = find(page.root, ".test .hint").textContent;
    expect(text).toContain("4,096 tokens, as the server reports");
    expect(text).toContain("OLLAMA_CONTEXT_LENGTH=32768");
  });

  const args = { host: "example.org", model: "qwen", message: "No.", status: 500, proxy: "p:1", target: "b.org" };
  const codes = Object.keys(enFaults).map((key) => key.replace("error.", ""));

  it.each(codes)("has a sentence of its own for %s, in both languages", async (code) => {
    const more = { limit: 100, used: 101, tokens: 9, kind: "image", seconds: 3, name: "a.png", ...args };
    const error = { code, args: more, retryable: true };
    const page = await open((core) => {
      core.handlers.test_connection = () => ({ ok: false, model: "qwen", milliseconds: 0, error, window: null });
    });
    await settle(() => button(page.root, "Test").click());
    const text = find(page.root, ".test [role=status]").textContent;
    // The fields are in sight here; elsewhere the text leads to them.
    const here = `ui.test.${code.replace("fault_", "")}`;
    expect(text).toBe(hasKey(here) ? t(here, more) : errorText(error));
    expect(text).not.toContain("in the settings");
    expect(text).not.toContain("{");
    language.value = "zh";
    expect(errorText(error)).toMatch(/\p{Script=Han}/u);
    expect(errorText(error)).not.toBe(text);
  });

  it("knows each fault in Chinese, and no sentence twice", () => {
    expect(Object.keys(zhFaults)).toEqual(Object.keys(enFaults));
    for (const words of [enFaults, zhFaults]) expect(new Set(Object.values(words)).size).toBe(codes.length);
  });

  it("is of the address that stands there: another one begins anew", async () => {
    const page = await open();
    await settle(() => button(page.root, "Test").click());
    await change(page, "#url-main", "https://api.moonshot.cn/anthropic");
    expect(find(page.root, ".test [role=status]").textContent).toBe("");
  });
});

describe("the models", () => {
  it("come from the server, and one click takes one", async () => {
    const page = await open();
    await settle(() => button(page.root, "Show models").click());
    await settle(() => button(page.root, "claude-opus-5-5").click());
    expect(page.core.called("save_connection")).toMatchObject([{ id: "main", model: "claude-opus-5-5" }]);
    expect(find<HTMLInputElement>(page.root, "#model-main").value).toBe("claude-opus-5-5");
  });

  it("that are retired or don't talk are shown on request", async () => {
    const page = await open();
    page.core.handlers.list_models = ({ every = false }) => ({
      models: every ? ["claude-haiku-5-5", "claude-2"] : ["claude-haiku-5-5"],
      error: null,
    });
    const names = () => [...page.root.querySelectorAll(".presets.models .chip")].map((each) => each.textContent);
    await settle(() => button(page.root, "Show models").click());
    expect(names()).toEqual(["claude-haiku-5-5"]);
    await settle(() => button(page.root, "Show every model, also retired ones").click());
    expect(names()).toEqual(["claude-haiku-5-5", "claude-2"]);
    expect(page.root.textContent).not.toContain("also retired");
  });

  it("that can't be listed say why, and none says what to do", async () => {
    const page = await open((core) => {
      const error = { code: "fault_dns", args: { host: "nowhere" }, retryable: true };
      core.handlers.list_models = () => ({ models: [], error });
    });
    await settle(() => button(page.root, "Show models").click());
    expect(find(page.root, ".error-text").textContent).toContain("There is no server named nowhere");
    page.core.handlers.list_models = () => ({ models: [], error: null });
    await settle(() => button(page.root, "Show models").click());
    expect(page.root.textContent).toContain("Enter the name yourself");
  });
});

describe("what is finer", () => {
  it("effort is worded in both languages", async () => {
    const page = await mountSettings("advanced");
    const options = () => [...find(page.root, "#effort").querySelectorAll("option")].map((each) => each.textContent);
    expect(options()).toEqual(["Model's default", "Low", "Medium", "High", "Very high", "Maximum"]);
    page.core.app = { ...page.core.app, language: "zh" };
    await settle(() => page.core.emit({ type: "settings_changed" }));
    expect(options()).toEqual(["模型默认", "低", "中", "高", "很高", "最高"]);
    await change(page, "#effort", "high");
    expect(page.core.called("change_settings")).toEqual([{ changes: { effort: "high" } }]);
  });

  it("thinking can be off", async () => {
    const page = await mountSettings("advanced");
    await settle(() => find(page.root, "input[name=thinking][value=off]").click());
    expect(page.core.called("change_settings")).toEqual([{ changes: { thinking: "off" } }]);
  });

  it("the longest reply is a number, and what is none changes nothing", async () => {
    const page = await mountSettings("advanced");
    const row = () => find(page.root, "#max_tokens").closest(".setting")?.textContent;
    expect(row()).toContain("Longest reply, in tokens");
    expect(row()).toContain("About 6,100 English words or 8,100 Chinese characters");
    await change(page, "#max_tokens", "4000");
    expect(row()).toContain("About 3,000 English words");
    expect(page.core.called("change_settings")).toEqual([{ changes: { max_tokens: 4000 } }]);
    await change(page, "#max_tokens", "");
    expect(find<HTMLInputElement>(page.root, "#max_tokens").value).toBe("4000");
    page.core.fail("change_settings", {
      code: "settings_out_of_range",
      args: { setting: "max_tokens", low: 1, high: 1_000_000 },
      retryable: false,
    });
    await change(page, "#max_tokens", "0");
    expect(find(page.root, ".fault").textContent).toContain("must be between 1 and 1,000,000");
    expect(find<HTMLInputElement>(page.root, "#max_tokens").value).toBe("4000");
  });
});
