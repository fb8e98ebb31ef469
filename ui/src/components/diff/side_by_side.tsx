/** Two texts beside each other, line by line, nothing left out; in a narrow window the lines stand below each other. */
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Diff, DiffLine } from "../../bindings";
import { t } from "../../texts";
import { revealHidden } from "./diff";

interface Props {
  diff: Diff;
  left: string;
  right: string;
  label: string;
}

export function SideBySide({ diff, left, right, label }: Props) {
  const frame = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const first = frame.current?.querySelector<HTMLElement>("tr.changed");
    if (frame.current && first) frame.current.scrollTop = first.offsetTop - 60;
  }, [diff]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: two long texts must be scrollable by keyboard
    <section class="side-by-side" ref={frame} tabIndex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            <th scope="col">{left}</th>
            <th scope="col">{right}</th>
          </tr>
        </thead>
        <tbody>
          {pairs(diff.lines).map(([mine, theirs]) => (
            <tr class={mine === theirs ? "" : "changed"}>
              <Side line={mine} alone={theirs === null} />
              <Side line={theirs} alone={mine === null} />
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Side({ line, alone }: { line: DiffLine | null; alone: boolean }) {
  if (!line) return <td class="gap" />;
  return (
    <td class={alone && line.kind !== "same" ? `${line.kind} alone` : line.kind}>
      {line.kind !== "same" && <span class="sr">{t(`ui.diff.line_${line.kind}`)}</span>}
      {revealHidden(line.text)}
    </td>
  );
}

type Pair = [DiffLine | null, DiffLine | null];

/** A run of removed lines stands beside the run of added ones that follows it. Pure. */
export function pairs(lines: DiffLine[]): Pair[] {
  const rows: Pair[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  function flush(): void {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1) {
      rows.push([removed[at] ?? null, added[at] ?? null]);
    }
    removed = [];
    added = [];
  }
  for (const line of lines) {
    if (line.kind === "removed") {
      if (added.length > 0) flush();
      removed.push(line);
    } else if (line.kind === "added") {
      added.push(line);
    } else {
      flush();
      rows.push([line, line]);
    }
  }
  flush();
  return rows;
}
