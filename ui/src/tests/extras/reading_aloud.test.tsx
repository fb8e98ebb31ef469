/** What can be heard of the pet: the switches, the system's voices, and a reply that is read aloud. */
import { describe, expect, it } from "vitest";
import { faults } from "../axe";
import { turnView } from "../core/records";
import { button, find, mountSettings, mountTalk, openAt, type Place, press, settle } from "../render";

const VOICES = [
  { language: "en" as const, name: "Anne" },
  { language: "en" as const, name: "Bob" },
  { language: "zh" as const, name: "Li" },
];

async function open(able = true, voices = VOICES, place: Place = "desktop") {
  const page = await mountSettings(place, (core) => {
    core.app = { ...core.app, abilities: able ? ["speech"] : [] };
    core.handlers.list_voices = () => ({ voices });
  });
  const changes = () => page.core.called("change_settings");
  return { ...page, changes };
}

describe("the settings of what can be heard", () => {
  it("switch reading aloud, off as shipped", async () => {
    const { root, changes } = await open();
    const box = find<HTMLInputElement>(root, "#read_aloud");
    expect(box.checked).toBe(false);
    await settle(() => box.click());
    expect(changes()).toEqual([{ changes: { read_aloud: true } }]);
  });

  it("list the voices once they are unfolded, and say which language has none", async () => {
    const { core, store, root, changes } = await open();
    expect(core.called("list_voices")).toEqual([]);
    await openAt({ core, store, root }, "advanced");
    expect(core.called("list_voices")).toEqual([{}]);
    const english = find<HTMLSelectElement>(root, "#reading_voice_en");
    expect([...english.options].map((each) => each.textContent)).toEqual(["The system's first", "Anne", "Bob"]);
    expect(root.textContent).toContain("No voice for Spanish.");
    await settle(() => {
      english.value = "Bob";
      english.dispatchEvent(new Event("change", { bubbles: true }));
    });
    expect(changes()).toEqual([{ changes: { reading_voice_en: "Bob" } }]);
    expect(await faults(root)).toEqual([]);
  });

  it("say how to get a voice where there is none, and where it is not possible", async () => {
    const { root } = await open(true, [], "advanced");
    expect(root.textContent).toContain("speech-dispatcher espeak-ng");
    expect((await open(false)).root.querySelector("#read_aloud")).toBeNull();
    expect((await open(false, [], "advanced")).root.textContent).toContain("Only on Linux");
  });
});

describe("a reply that is read aloud", () => {
  const talk = (abilities: string[]) =>
    mountTalk([turnView("t1", "Hi", "Hello there.")], (core) => {
      core.app = { ...core.app, abilities };
    });
  const items = (root: HTMLElement) => [...root.querySelectorAll("[role=menuitem]")].map((each) => each.textContent);

  it("is begun in its menu, shows a way to stop, and ends with Escape", async () => {
    const { core, root } = await talk(["speech"]);
    core.handlers.read_aloud = () => ({});
    core.handlers.hush = () => ({});
    await settle(() => button(root, "More for this message").click());
    await settle(() => find<HTMLElement>(root, "[role=menuitem]").click());
    expect(core.called("read_aloud")).toEqual([{ conversation: "c1", turn: "t1" }]);
    const reading = { type: "aloud_changed", conversation: "c1", turn: "t1", error: null } as const;
    await settle(() => core.emit(reading));
    expect(find(root, ".aloud").textContent).toContain("Reading aloud");
    await settle(() => button(root, "More for this message").click());
    expect(items(root)[0]).toBe("Stop reading");
    await settle(() => press(document.body, "Escape"));
    expect(core.called("hush")).toEqual([{}]);
    await settle(() => core.emit({ ...reading, conversation: "", turn: "" }));
    expect(root.querySelector(".aloud")).toBeNull();
    await settle(() => press(document.body, "Escape"));
    expect(core.called("hush")).toHaveLength(1);
  });

  it("says once why it ended", async () => {
    const { core, root } = await talk(["speech"]);
    const error = { code: "speech_no_voice", args: { language: "Chinese" }, retryable: false };
    await settle(() => core.emit({ type: "aloud_changed", conversation: "", turn: "", error }));
    await settle(() => core.emit({ type: "aloud_changed", conversation: "", turn: "", error }));
    expect(root.textContent?.split("no voice for Chinese")).toHaveLength(2);
  });

  it("is not offered where the system has no voice", async () => {
    const { root } = await talk([]);
    await settle(() => button(root, "More for this message").click());
    expect(items(root)).not.toContain("Read aloud");
  });
});
