/** Scripts in a page: escaped for HTML, and the same to JavaScript. */
import { describe, expect, it } from "vitest";
import { inlineScript } from "../../../build/inline";

/** Return what the script sets in `made`. */
function run(code: string): unknown {
  return new Function(`let made; ${code}; return made;`)();
}

describe("a script in a page", () => {
  it.each([
    ["a string", `made = "<!-- </script> </SCRIPT>"`],
    ["a string with backslashes", String.raw`made = "\\<!-- \<!-- \\\<!--"`],
    ["a template", `made = \`<!--\${1 + 1}</script>\``],
    ["JSON in a string", `made = JSON.parse('"<!--"')`],
    ["an expression", `made = /<!--(.)/.exec("a<!--b")[1]`],
    ["an expression with the flag u", `made = /<!--(.)/u.exec("a<!--b")[1]`],
    ["an expression with the flag v", `made = /<!--(.)/v.exec("a<!--b")[1]`],
    ["a class of signs", `made = "<!-a".match(/[<!--a]/g).length`],
    ["an expression of the source of another", `made = new RegExp(/<!--/.source + "(.)", "mu").exec("<!--b")[1]`],
    ["an escape that is none", String.raw`made = /\<!--/.test("<!--")`],
    ["a comment", "made = 1 /* <!-- </script> */"],
    ["after letters of two code units", `made = "🐇🐇<!--" + /🐇<!--/u.test("🐇<!--")`],
  ])("means the same: %s", (_, code) => {
    const inlined = inlineScript(code);
    expect(inlined).not.toMatch(/<!--|<\/script/i);
    expect(run(inlined)).toEqual(run(code));
  });

  it("is unchanged where nothing is to be escaped", () => {
    expect(inlineScript("made = 1 < 2")).toBe("made = 1 < 2");
  });

  it.each([
    ["a tagged template", "made = String.raw`<!--`", "in a tagged template"],
    ["a lookbehind", "made = /(?<!--)a/", "as a lookbehind"],
  ])("is refused where an escape would mean something else: %s", (_, code, why) => {
    expect(() => inlineScript(code)).toThrow(why);
  });
});
