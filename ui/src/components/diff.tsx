/** Diffs of whole texts, as one list or side by side: nothing left out, hidden characters made visible. */
import type { ComponentChild } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { type Diff, type DiffLine, UNSEEN } from "../bindings";
import { number, t } from "../texts";
import { SCROLLS } from "./controls";

const SIGNS: Record<DiffLine["kind"], string> = { same: " ", added: "+", removed: "\u2212" };

export function DiffView({ diff, label }: { diff: Diff; label: string }) {
  const lines = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    // Start at the first change.
    const first = lines.current?.querySelector<HTMLElement>("tr.added, tr.removed");
    if (lines.current && first) lines.current.scrollTop = Math.max(0, first.offsetTop - 60);
  }, [diff]);
  return (
    <div class="diff">
      <p class="diff-sum">
        {(diff.added > 0 || diff.removed === 0) && (
          <span class="plus">{t("ui.diff.added", { count: number(diff.added) })}</span>
        )}
        {diff.removed > 0 && <span class="minus">{t("ui.diff.removed", { count: number(diff.removed) })}</span>}
      </p>
      <section class="diff-lines" ref={lines} {...SCROLLS} aria-label={label}>
        <table>
          <tbody>
            {diff.lines.map((line) => (
              <tr class={line.kind}>
                <td class="no">{line.old_line ?? ""}</td>
                <td class="no">{line.new_line ?? ""}</td>
                <td class="sign">
                  <span aria-hidden="true">{SIGNS[line.kind]}</span>
                  {line.kind !== "same" && <span class="sr">{t(`ui.diff.line_${line.kind}`)}</span>}
                </td>
                <td class="text">{revealHidden(line.text)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
}

/** Show characters that can't be seen as code points, as `reveal` in `pet/text/unseen.py`. */
export function revealHidden(text: string): ComponentChild {
  const pieces: ComponentChild[] = [];
  let from = 0;
  for (const match of text.matchAll(UNSEEN)) {
    if (match[1]) continue;
    pieces.push(text.slice(from, match.index));
    const code = (match[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    pieces.push(<mark class="hidden-char">{`U+${code}`}</mark>);
    from = match.index + match[0].length;
  }
  if (pieces.length === 0) return text;
  return [...pieces, text.slice(from)];
}

/** Return the text as it is drawn: what the owner edits has nothing in it that they don't see. */
export function withoutHidden(text: string): string {
  return text.replace(UNSEEN, (_, kept?: string) => kept ?? "");
}

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
    <section class="side-by-side" ref={frame} {...SCROLLS} aria-label={label}>
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

/** Pair each run of removed lines with the run of added lines that follows it. Pure. */
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
