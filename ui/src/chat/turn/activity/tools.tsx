/** The folded list of what the pet did for a reply, each tool with its icon and words. */
import type { ComponentChild } from "preact";
import type { ToolView } from "../../../bindings";
import { revealHidden } from "../../../components/diff/diff";
import { Icon, type IconName } from "../../../components/icons";
import { placeName } from "../../../memory/places";
import { errorText, type Key, t } from "../../../texts";

interface Doing {
  icon: IconName;
  /** with what it is about: a file, words, a name */
  about: Key;
  /** where the call does not say */
  bare: Key;
}

const DOES: Record<string, Doing> = {
  read: { icon: "file", about: "ui.tool.read", bare: "ui.tool.read_some" },
  write: { icon: "pencil", about: "ui.tool.write", bare: "ui.tool.write_some" },
  edit: { icon: "pencil", about: "ui.tool.edit", bare: "ui.tool.edit_some" },
  memory_write: { icon: "pin", about: "ui.tool.memory_write", bare: "ui.tool.memory_write" },
  memory_search: { icon: "search", about: "ui.tool.memory_search", bare: "ui.tool.memory_search_some" },
  memory_get: { icon: "book", about: "ui.tool.memory_get", bare: "ui.tool.memory_get_some" },
  memory_forget: { icon: "trash", about: "ui.tool.memory_forget", bare: "ui.tool.memory_forget_some" },
  skill: { icon: "spark", about: "ui.tool.skill", bare: "ui.tool.skill_some" },
  tidy: { icon: "book", about: "ui.tool.tidy", bare: "ui.tool.tidy_some" },
  remember: { icon: "pin", about: "ui.tool.remember", bare: "ui.tool.remember" },
};

/** How a tool hears that its owner refused. */
const REFUSED = new Set(["tool_owner_refused", "tool_forget_refused"]);

export function ToolActivity({ tools }: { tools: ToolView[] }) {
  const running = tools.find((tool) => tool.running);
  const failed = tools.filter((tool) => tool.error && !kept(tool)).length;
  const refused = tools.find(kept);
  const only = tools.length === 1 ? tools[0] : undefined;
  const shown = running ?? only;
  return (
    <details class="tools">
      <summary>
        <Icon name="chevron" />
        {shown ? describe(shown) : t("ui.tool.many", { count: tools.length })}
        {!running && refused && <span class="quiet-text">· {keptWords(refused)}</span>}
        {!running && failed > 0 && <span class="quiet-text">{t("ui.tool.some_failed", { count: failed })}</span>}
      </summary>
      <ul>
        {tools.map((tool) => (
          <li key={tool.call}>
            <Icon name={icon(tool)} />
            <span>
              <span class="what">{describe(tool)}</span>
              {tool.error && <span class="quiet-text"> {kept(tool) ? keptWords(tool) : errorText(tool.error)}</span>}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The owner said no: that is an answer, and nothing went wrong. */
function kept({ error }: ToolView): boolean {
  return error !== null && REFUSED.has(error.code);
}

function keptWords({ tool, file }: ToolView): ComponentChild {
  if (tool === "memory_forget" || !file) return t("ui.tool.kept_it");
  return revealHidden(t("ui.tool.kept_file", { file: placeName(file) }));
}

function icon(tool: ToolView): IconName {
  if (tool.error && !kept(tool)) return "warning";
  return tool.running ? "clock" : (DOES[tool.tool]?.icon ?? "check");
}

/** `file` is what the call is about, whatever that is for its tool. */
function describe(tool: ToolView) {
  return revealHidden(toolText(tool));
}

/** What the pet did, in words. */
export function toolText(tool: ToolView): string {
  const does = DOES[tool.tool];
  if (!does) return t("ui.tool.other", { tool: tool.tool });
  return tool.file === null || tool.file === "" ? t(does.bare) : t(does.about, { what: placeName(tool.file) });
}
