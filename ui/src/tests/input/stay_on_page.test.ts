/** What is clicked or dropped on the page: it stays, and the pointer promises nothing that is then lost. */
import { afterEach, describe, expect, it } from "vitest";
import { stayOnPage } from "../../input/drops";

stayOnPage();

function dragged(
  name: "dragenter" | "dragover" | "drop",
  on: Element,
  types: string[],
): { prevented: boolean; effect: string } {
  const transfer = { types, dropEffect: "copy" };
  const event = new Event(name, { bubbles: true, cancelable: true });
  on.dispatchEvent(Object.assign(event, { dataTransfer: transfer }));
  return { prevented: event.defaultPrevented, effect: transfer.dropEffect };
}

function made(html: string): Element {
  document.body.innerHTML = html;
  return document.body.firstElementChild ?? document.body;
}

afterEach(() => document.body.replaceChildren());

describe("a drag over the page", () => {
  it("is refused visibly where nobody takes it", () => {
    expect(dragged("dragover", made("<p>x</p>"), ["Files"])).toEqual({ prevented: true, effect: "none" });
    expect(dragged("dragenter", made("<p>x</p>"), ["Files"])).toEqual({ prevented: true, effect: "none" });
    expect(dragged("dragover", made("<textarea></textarea>"), ["Files"])).toEqual({
      prevented: true,
      effect: "none",
    });
    expect(dragged("drop", made("<p>x</p>"), ["Files"]).prevented).toBe(true);
  });

  it("is left to who takes it", () => {
    const zone = made("<section></section>");
    zone.addEventListener("dragover", (event) => event.preventDefault());
    expect(dragged("dragover", zone, ["Files"])).toEqual({ prevented: true, effect: "copy" });
  });

  it("may bring text into a field, and a file to the editor", () => {
    const text = { prevented: false, effect: "copy" };
    expect(dragged("dragover", made("<textarea></textarea>"), ["text/plain"])).toEqual(text);
    expect(dragged("drop", made("<input>"), ["text/plain"])).toEqual(text);
    const editor = made('<div class="cm-editor"></div>');
    expect(dragged("dragover", editor, ["Files"])).toEqual({ prevented: true, effect: "copy" });
  });
});
