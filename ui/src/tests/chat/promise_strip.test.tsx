/** Promises that are due, above the composer. */
import { describe, expect, it } from "vitest";
import { dayFromToday } from "../../memory/places";
import { faults } from "../axe";
import { button, find, type Mounted, mountApp, settle } from "../render";

const HOSTILE = '<img src=x onerror="window.stolen=1"><script>window.stolen=1</script>';

describe("a promise that is due", () => {
  const promise = {
    file: "memory/2026-11-18.md",
    line: 3,
    due: "2020-01-01",
    text: HOSTILE,
    overdue: true,
    at: "",
    repeats: "",
  };
  const strip = ({ root }: Mounted) => root.querySelector(".promise-strip");
  const withPromises = (count: number) =>
    mountApp((core) => {
      core.memory.due = Array.from({ length: count }, (_, at) => ({ ...promise, line: 100 + at }));
    });

  it("stands above the composer, inert, until it is done", async () => {
    const page = await withPromises(1);
    expect(find(page.root, ".promise-words").textContent).toBe(HOSTILE);
    expect(strip(page)?.querySelector("img")).toBeNull();
    expect(await faults(page.root)).toEqual([]);
    await settle(() => button(page.root, "Done").click());
    expect(page.core.called("answer_promise")).toEqual([
      { file: promise.file, line: 100, text: HOSTILE, shown: "2020-01-01", answer: "done" },
    ]);
    expect(strip(page)).toBeNull();
  });

  it("opens where it is written, since its words may be longer than their lines here", async () => {
    const page = await withPromises(1);
    await settle(() => find<HTMLButtonElement>(page.root, ".promise-strip .promise-what").click());
    expect([page.store.view.value, page.store.memory.file.value]).toEqual(["settings", promise.file]);
  });

  it("is put off until tomorrow", async () => {
    const page = await withPromises(1);
    await settle(() => button(page.root, "Later").click());
    await settle(() => button(page.root, "Tomorrow").click());
    expect(page.core.called("answer_promise")).toMatchObject([{ answer: "snooze", until: "tomorrow" }]);
  });

  it("is put off to a day of the owner's choice, never into the past", async () => {
    const page = await withPromises(1);
    await settle(() => button(page.root, "Later").click());
    await settle(() => button(page.root, "Pick a day…").click());
    const field = find<HTMLInputElement>(page.root, "input[type=date]");
    const choose = (day: string) =>
      settle(() => {
        field.value = day;
        field.dispatchEvent(new InputEvent("input", { bubbles: true }));
      });
    await choose("2020-01-01");
    expect(button(page.root, "Put off").disabled).toBe(true);
    await choose(dayFromToday(30));
    const form = find(page.root, ".pick-day");
    await settle(() => form.dispatchEvent(new SubmitEvent("submit", { bubbles: true, cancelable: true })));
    expect(page.core.called("answer_promise")).toMatchObject([{ answer: "snooze", until: dayFromToday(30) }]);
  });

  it("is one of several: the others are a step away; hidden for now it asks no more", async () => {
    const page = await withPromises(3);
    await settle(() => button(page.root, "2 more").click());
    expect(page.root.querySelectorAll(".promise")).toHaveLength(3);
    await settle(() => page.core.emit({ type: "page_asked", view: "chat" }));
    await settle(() => button(page.root, "Hide for now").click());
    expect(strip(page)).toBeNull();
  });
});
