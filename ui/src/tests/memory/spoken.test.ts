import { expect, it } from "vitest";
import { quoted, spokenWords } from "../../memory/spoken";

it.each([
  ["Owner: send the parcel (2026-11-27)", "send the parcel"],
  ["主人：交房租（截止2026-11-27）", "交房租"],
  ["[2026-11-22] call Ana", "call Ana"],
  ["Owner:", "Owner:"],
  ["Ask the owner: is 2026-11-27 fine?", "Ask the owner: is 2026-11-27 fine?"],
])("a promise is said without speaker and date: %s", (noted, said) => {
  expect(spokenWords(noted)).toBe(said);
});

it.each([
  ["主人：我第一杯咖啡不加奶。", "owner", "我第一杯咖啡不加奶。"],
  ["Pet: Noted.", "pet", "Noted."],
  ["- likes: tea", null, "likes: tea"],
  ["Owner:", null, "Owner:"],
])("a piece of memory names its speaker apart: %s", (snippet, who, words) => {
  expect(quoted(snippet)).toEqual({ who, words });
});
