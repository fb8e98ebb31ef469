/**
 * Characters that can't be seen: the page agrees with the program about all of Unicode. Both are tested with
 * `unseen.json`; what the engine knows of Unicode is newer than the program's, and checked beside it.
 */
import { render } from "preact";
import { expect, it } from "vitest";
import { revealHidden, withoutHidden } from "../components/diff";
import table from "./unseen.json";

const ALL = Array.from({ length: 0x110000 }, (_, code) => code);

/** Return those of the characters that are not drawn between two letters. */
function hidden(codes: number[]): number[] {
  const shown = withoutHidden(codes.map((code) => `a${String.fromCodePoint(code)}b|`).join("")).split("b|a");
  return codes.filter((_, at) => (at === 0 ? shown[0] === "a" : shown[at] === "" || shown[at] === "b|"));
}

it("shows the characters that the program shows", () => {
  const unseen = table.unseen.flatMap(([first = 0, last = 0]) => ALL.slice(first, last + 1));
  expect(hidden(ALL)).toEqual(unseen.sort((one, other) => one - other));
});

it.each(table.texts)("shows the sequence as the program does: %j", (text = "", shown = "") => {
  const place = document.createElement("p");
  render(revealHidden(text), place);
  for (const mark of place.querySelectorAll(".hidden-char")) mark.textContent = `<${mark.textContent}>`;
  expect(place.textContent).toBe(shown);
});

it("shows what fonts draw as nothing, and keeps every emoji", () => {
  const ignored = /^\p{Default_Ignorable_Code_Point}$/u;
  const nothing = ALL.filter((code) => ignored.test(String.fromCodePoint(code)));
  expect(hidden(nothing)).toEqual(nothing);
  const emoji = new RegExp("^\\p{RGI_Emoji}$", ["v"].join("")); // newer than the language's target
  const styled = ALL.map((code) => `${String.fromCodePoint(code)}\ufe0f`).filter((each) => emoji.test(each));
  expect(styled.length).toBeGreaterThan(200);
  expect(styled.filter((each) => withoutHidden(each) !== each)).toEqual([]);
});
