/** The search form against the table that the program's tests read too. */

import { describe, expect, it } from "vitest";
import { searchForm, searchFormPlaces } from "../search_form";
import table from "./search_form.test.json";

describe("The form in which texts are searched", () => {
  it("is the program's, for every letter", () => {
    const wrong = Object.entries(table.letters).flatMap(([form, letters]) =>
      [...letters].filter((letter) => searchForm(letter) !== form),
    );
    expect(wrong).toEqual([]);
  });

  it.each(table.texts)("is the program's: %s", (text = "", accented, plain) => {
    expect([searchForm(text, true), searchForm(text)]).toEqual([accented, plain]);
    for (const accents of [true, false]) {
      const { form, from, to } = searchFormPlaces(text, accents);
      expect(form).toBe(searchForm(text, accents));
      const places = Array.from(form, (_, at) => [from(at), to(at)]).flat();
      expect(places.every((place) => place <= text.length)).toBe(true);
    }
  });

  it.each([
    ["with Émile here", "emile", "Émile"],
    ["with E\u0301mile here", "émile", "E\u0301mile"],
    ["die Straße dort", "strasse", "Straße"],
    ["six ﬁgs", "figs", "ﬁgs"],
    ["the ﬁg", "fi", "ﬁ"],
  ])("marks whole characters: %s, %s", (text, word, marked) => {
    const { form, from, to } = searchFormPlaces(text);
    const at = form.indexOf(searchForm(word));
    expect(text.slice(from(at), to(at + searchForm(word).length - 1))).toBe(marked);
  });
});
