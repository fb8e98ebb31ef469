/**
 * The layers of the pages: imports go one way between rooms, without cycles in any folder, in the order of the docs.
 */
import { describe, expect, it } from "vitest";
import architecture from "../../../docs/architecture.md?raw";

const files = import.meta.glob<string>(["../**/*.{ts,tsx}", "!../tests/**"], {
  query: "?raw",
  import: "default",
  eager: true,
});
/** Imports at run time; types may be imported from anywhere. */
const IMPORT = /^(?:import|export)\s+(?!type\b)(?:[^;"]*?\bfrom\s+)?"(\.[^"]+)"/gm;
const described = [...architecture.matchAll(/^\| `ui\/src\/(\w+)` \|/gm)].map((match) => match[1]);

/** Return the imports within each folder ("" is src) as pairs of files and folders in it. */
function imports(): Map<string, [string, string][]> {
  const graph = new Map<string, [string, string][]>();
  for (const [path, text] of Object.entries(files)) {
    for (const [, spec = ""] of text.matchAll(IMPORT)) {
      const from = path.replace(/^\.\.\/|\.tsx?$/g, "").split("/");
      const to = new URL(spec, `file:///${from.join("/")}`).pathname.slice(1).split("/");
      const at = from.findIndex((part, index) => part !== to[index]);
      const [a, b] = [from[at], to[at]];
      if (!a || !b) continue;
      const folder = from.slice(0, at).join("/");
      graph.set(folder, [...(graph.get(folder) ?? []), [a, b]]);
    }
  }
  return graph;
}

/** Return the edges that remain after removing sources and sinks repeatedly: the cycles. */
function circles(edges: [string, string][]): string[] {
  const left = edges.filter(([a, b]) => edges.some(([from]) => from === b) && edges.some(([, to]) => to === a));
  return left.length === edges.length ? [...new Set(left.map(([from, to]) => `${from} -> ${to}`))] : circles(left);
}

describe("extras of the pages", () => {
  it("import no other extra", () => {
    expect((imports().get("extras") ?? []).filter(([from]) => from !== "list")).toEqual([]);
  });
});

describe("rooms of the pages", () => {
  it("import each other in no circle", () => {
    const graph = imports();
    expect([...graph.keys()]).toContain("settings/model");
    for (const [folder, edges] of graph) expect(circles(edges), folder).toEqual([]);
  });

  it("stand in the architecture page, each above what it imports", () => {
    const rooms = new Set(Object.keys(files).flatMap((path) => path.match(/^\.\.\/(\w+)\//)?.[1] ?? []));
    expect(new Set(described)).toEqual(rooms);
    const up = (imports().get("") ?? []).filter(([from, to]) => described.indexOf(from) > described.indexOf(to));
    expect(up.filter(([from, to]) => rooms.has(from) && rooms.has(to))).toEqual([]);
  });
});
