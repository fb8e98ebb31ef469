/** What changed between two texts, as ranges of whole lines: what both have in common keeps its place. Pure. */

export interface LineChange {
  /** in the old text, in UTF-16 code units */
  from: number;
  to: number;
  insert: string;
}

/** Above it the lines between the common start and end are one change. */
const MOST_CELLS = 1_000_000;

export function lineChanges(old: string, next: string): LineChange[] {
  const [a, b] = [withEnds(old), withEnds(next)];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const start = lengthOf(a.slice(0, head));
  const [mine, theirs] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)];
  if (mine.length * theirs.length > MOST_CELLS) {
    return [{ from: start, to: start + lengthOf(mine), insert: theirs.join("") }];
  }
  return between(mine, theirs, start);
}

/** By the longest common subsequence of lines. */
function between(a: string[], b: string[], start: number): LineChange[] {
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  const cell = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      common[i * width + j] = a[i] === b[j] ? cell(i + 1, j + 1) + 1 : Math.max(cell(i + 1, j), cell(i, j + 1));
    }
  }
  const changes: LineChange[] = [];
  let [i, j, at] = [0, 0, start];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      at += (a[i] ?? "").length;
      i += 1;
      j += 1;
      continue;
    }
    const change: LineChange = { from: at, to: at, insert: "" };
    while ((i < a.length || j < b.length) && !(i < a.length && j < b.length && a[i] === b[j])) {
      if (j < b.length && (i === a.length || cell(i, j + 1) >= cell(i + 1, j))) {
        change.insert += b[j];
        j += 1;
      } else {
        change.to += (a[i] ?? "").length;
        i += 1;
      }
    }
    at = change.to;
    changes.push(change);
  }
  return changes;
}

function withEnds(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function lengthOf(lines: string[]): number {
  return lines.reduce((sum, line) => sum + line.length, 0);
}
