/** Colours are defined in one file, light beside dark; visually hidden text has one rule. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const files = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".css"))
  .map((file) => ({ file: file.replaceAll("\\", "/"), text: readFileSync(`src/${file}`, "utf8") }));

describe("the colours", () => {
  it("are told apart as light and dark in one place", () => {
    const telling = files.filter(({ text }) => /prefers-color-scheme|data-theme|color-scheme:/.test(text));
    expect(telling.map(({ file }) => file)).toEqual(["style/palette.css"]);
  });

  it("have a dark one for each light one, and each that is used is there", () => {
    const all = files.map(({ text }) => text).join("\n");
    expect(all.match(/var\(\s*--light,/g)?.length).toBe(all.match(/var\(\s*--dark,/g)?.length);
    const named = new Set([...all.matchAll(/(--[\w-]+):/g)].map(([, name]) => name));
    const used = new Set([...all.matchAll(/var\((--[\w-]+)\)/g)].map(([, name]) => name));
    expect(new Set([...used].filter((name) => !named.has(name)))).toEqual(
      new Set(["--at", "--width", "--height"]), // set by scripts
    );
  });
});

it("what is only heard is hidden by one rule, which narrow windows call by name", () => {
  const hiding = files.filter(({ text }) => text.includes("inset(50%)"));
  expect(hiding.map(({ file }) => file)).toEqual(["style/base.css"]);
  expect(files.filter(({ text }) => /@media[\s\S]+--unseen: ;/.test(text))).toHaveLength(3);
});
