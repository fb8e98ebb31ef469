/** Replies and events of an import come in any order: each is answered on a thread of its own. */
import { describe, expect, it } from "vitest";
import type { Commands, ImportState } from "../../bindings";
import { PREVIEW } from "../../ipc/fake_moving";
import { MovingState } from "../../state/moving";

const NONE: ImportState = { revision: 0, phase: "none", source: "", preview: null, error: null, done: null };
const READING: ImportState = { ...NONE, revision: 2, phase: "reading", source: "claw" };
const READY: ImportState = { ...NONE, revision: 3, phase: "ready", source: "claw", preview: PREVIEW };
const PET = { name: "Inky", files: 9, bytes: 4096, conversations: 2, memory: true, heartbeat: "" };

function held() {
  const replies: { [name: string]: ((state: ImportState) => void)[] } = { get: [], choose: [] };
  const later = (name: string) => () => new Promise<ImportState>((resolve) => replies[name]?.push(resolve));
  const commands = {
    getImport: later("get"),
    chooseImport: later("choose"),
    listImports: () => Promise.resolve({ imports: [] }),
  } as unknown as Commands;
  const moving = new MovingState(commands);
  const answer = async (name: "get" | "choose", state: ImportState) => {
    replies[name]?.shift()?.(state);
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  };
  const ready = () => moving.apply({ type: "import_moved", phase: "ready", done: 0, total: 0 });
  return { moving, answer, ready };
}

describe("replies in the wrong order", () => {
  it("leave the preview where the drop's own reply says reading, and comes last", async () => {
    const { moving, answer, ready } = held();
    void moving.choose("dropped");
    ready();
    await answer("get", READY);
    await answer("choose", READING);
    expect(moving.now.value?.phase).toBe("ready");
    expect(moving.choosing.value).toBe(false);
  });

  it("leave the preview where the state from before the drop comes last", async () => {
    const { moving, answer, ready } = held();
    void moving.load();
    void moving.choose("dropped");
    await answer("choose", READING);
    ready();
    await answer("get", READY); // the second request is answered first
    await answer("get", NONE);
    expect(moving.now.value?.phase).toBe("ready");
  });

  it("fill in a whole pet's name also where the drop's own reply is the preview", async () => {
    const { moving, answer, ready } = held();
    void moving.choose("dropped");
    const whole = { ...READY, preview: { ...PREVIEW, pet: PET } };
    await answer("choose", whole);
    expect(moving.answers.value.name).toBe("Inky");
    moving.answer({ name: "Blot" });
    ready();
    await answer("get", whole);
    expect(moving.answers.value.name).toBe("Blot");
  });
});
