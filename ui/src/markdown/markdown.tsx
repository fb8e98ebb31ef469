/**
 * A reply's Markdown as elements, token by token. Refuses HTML (shown as text), pictures from anywhere (a placeholder
 * says where they are; a click loads one) and links that are not http, https or mailto (shown as text).
 */
import type { Token, Tokens } from "marked";
import type { ComponentChild } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { Boundary } from "../components/boundary";
import { CopyButton } from "../components/copy";
import { Icon } from "../components/icons";
import { memo } from "../components/memo";
import type { Pictures } from "../state/chat/images";
import { t } from "../texts";
import { EMPTY, type Parsed, parse } from "./blocks";
import { highlight } from "./highlight";
import { safeLink } from "./links";
import { Formula, type MathToken } from "./math";
import { PicturesContext, RemoteImage } from "./picture";

export type OpenLink = (url: string) => void;

interface Props {
  text: string;
  onLink: OpenLink;
  /** where pictures may be loaded; else they can only be opened in the browser */
  pictures?: Pictures | null;
}

/** If a block can't be drawn, it alone is shown as it was written; if nothing can, all of it is. */
export function Markdown(props: Props) {
  return (
    <Boundary of={props.text} fallback={<div class="md">{asWritten(props.text)}</div>}>
      <Blocks {...props} />
    </Boundary>
  );
}

function Blocks({ text, onLink, pictures = null }: Props) {
  const before = useRef<Parsed>(EMPTY);
  const parsed = useMemo(() => {
    before.current = parse(text, before.current);
    return before.current;
  }, [text]);
  return (
    <PicturesContext.Provider value={pictures}>
      <div class="md">
        {parsed.blocks.map((block) => (
          <Boundary key={block.start} of={block.token} fallback={asWritten(block.token.raw)}>
            <TopBlock token={block.token} onLink={onLink} />
          </Boundary>
        ))}
      </div>
    </PicturesContext.Provider>
  );
}

const TopBlock = memo(
  ({ token, onLink }: { token: Token; onLink: OpenLink }) => <>{drawBlock(token, onLink)}</>,
  // A block that was read again but says the same is not drawn again.
  (a, b) => a.token.type === b.token.type && a.token.raw === b.token.raw,
);

function asWritten(text: string): ComponentChild {
  return (
    <p class="as-written" dir="auto">
      {text.trimEnd()}
    </p>
  );
}

function drawBlocks(tokens: Token[] | undefined, onLink: OpenLink): ComponentChild {
  return tokens?.map((token) => drawBlock(token, onLink));
}

function drawBlock(token: Token, onLink: OpenLink): ComponentChild {
  switch (token.type) {
    case "paragraph":
      return <p dir="auto">{drawInline((token as Tokens.Paragraph).tokens, onLink)}</p>;
    case "heading":
      return drawHeading(token as Tokens.Heading, onLink);
    case "code":
      return <CodeBlock code={(token as Tokens.Code).text} language={(token as Tokens.Code).lang ?? ""} />;
    case "blockquote":
      return <blockquote dir="auto">{drawBlocks((token as Tokens.Blockquote).tokens, onLink)}</blockquote>;
    case "list":
      return drawList(token as Tokens.List, onLink);
    case "table":
      return drawTable(token as Tokens.Table, onLink);
    case "math":
      return <Formula token={token as MathToken} />;
    case "hr":
      return <hr />;
    case "plain":
      return asWritten(token.raw);
    case "space":
    case "def":
    case "checkbox":
      return null;
    case "text": {
      const { tokens, text } = token as Tokens.Text;
      return tokens ? drawInline(tokens, onLink) : unescapeText(text);
    }
    default: // HTML among others
      return <p>{token.raw.trimEnd()}</p>;
  }
}

function drawHeading(token: Tokens.Heading, onLink: OpenLink): ComponentChild {
  // The page has headings of its own: a reply's start below them.
  const level = Math.min(6, token.depth + 2);
  return (
    // biome-ignore lint/a11y/useSemanticElements: the level is counted, so the element can't be
    <div class={`h h${token.depth}`} role="heading" aria-level={level} dir="auto">
      {drawInline(token.tokens, onLink)}
    </div>
  );
}

function drawList(list: Tokens.List, onLink: OpenLink): ComponentChild {
  const items = list.items.map((item) => (
    <li class={item.task ? "task" : undefined}>
      {item.task && <input type="checkbox" checked={item.checked === true} disabled aria-label={t("ui.md.task")} />}
      {drawBlocks(item.tokens, onLink)}
    </li>
  ));
  return list.ordered ? (
    <ol start={Number(list.start) || 1} dir="auto">
      {items}
    </ol>
  ) : (
    <ul dir="auto">{items}</ul>
  );
}

function drawTable(table: Tokens.Table, onLink: OpenLink): ComponentChild {
  const align = (index: number) => `text-align:${table.align[index] ?? "start"}`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms; a region would be a landmark for each
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table must be scrollable by keyboard
    <div class="table" role="group" tabIndex={0} aria-label={t("ui.md.table")}>
      <table>
        <thead>
          <tr>
            {table.header.map((cell, index) => (
              <th style={align(index)}>{drawInline(cell.tokens, onLink)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row) => (
            <tr>
              {row.map((cell, index) => (
                <td style={align(index)}>{drawInline(cell.tokens, onLink)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function drawInline(tokens: Token[] | undefined, onLink: OpenLink): ComponentChild {
  return tokens?.map((token) => {
    switch (token.type) {
      case "strong":
        return <strong>{drawInline(token.tokens, onLink)}</strong>;
      case "em":
        return <em>{drawInline(token.tokens, onLink)}</em>;
      case "del":
        return <del>{drawInline(token.tokens, onLink)}</del>;
      case "codespan":
        return <code>{(token as Tokens.Codespan).text}</code>;
      case "math":
        return <Formula token={token as MathToken} />;
      case "br":
        return <br />;
      case "link":
        return drawLink(token as Tokens.Link, onLink);
      case "image":
        return drawImage(token as Tokens.Image, onLink);
      case "escape":
        return (token as Tokens.Escape).text;
      case "text": {
        const { tokens: inner, text } = token as Tokens.Text;
        return inner ? drawInline(inner, onLink) : unescapeText(text);
      }
      case "checkbox":
        return null;
      default: // HTML among others
        return token.raw;
    }
  });
}

function drawLink(link: Tokens.Link, onLink: OpenLink): ComponentChild {
  const url = safeLink(link.href);
  const inside = drawInline(link.tokens, onLink);
  // A picture's placeholder has a button, which a link can't hold: the link stands behind it, by its address.
  const pictured = link.tokens.some((token) => token.type === "image");
  if (pictured) return url === null ? inside : [inside, " ", drawAnchor(url, hostOf(url), onLink)];
  if (url === null) return <span data-tip={link.href}>{inside}</span>;
  return drawAnchor(url, inside, onLink);
}

function drawAnchor(url: string, inside: ComponentChild, onLink: OpenLink): ComponentChild {
  return (
    <a
      href={url}
      data-tip={url}
      rel="noreferrer"
      onClick={(event) => {
        event.preventDefault();
        onLink(url);
      }}
      onAuxClick={(event) => event.preventDefault()}
    >
      {inside}
    </a>
  );
}

/** Nothing is loaded by itself, so that nobody learns that it was read. */
function drawImage(image: Tokens.Image, onLink: OpenLink): ComponentChild {
  const url = safeLink(image.href);
  if (url !== null && !url.startsWith("mailto:")) {
    return <RemoteImage url={url} alt={unescapeText(image.text)} onOpen={() => onLink(url)} />;
  }
  return (
    <span class="no-image">
      <span class="words">
        <Icon name="picture" slashed />
        <span>
          {t("ui.md.image_none")} {image.text && <b dir="auto">{unescapeText(image.text)}</b>}{" "}
          <span class="address">{shortened(image.href)}</span>
        </span>
      </span>
    </span>
  );
}

function hostOf(url: string): string {
  return new URL(url).host || url;
}

const ADDRESS = 60;

function shortened(address: string): string {
  return address.length > ADDRESS ? `${address.slice(0, ADDRESS)}…` : address;
}

function CodeBlock({ code, language }: { code: string; language: string }) {
  const name = /^[\w+#.-]+/.exec(language)?.[0] ?? "";
  const drawn = useMemo(() => highlight(code, name.toLowerCase()), [code, name]);
  return (
    <figure class="code">
      <figcaption>
        <span>{name || t("ui.md.code")}</span>
        <CopyButton text={code} label={t("ui.md.copy_code")} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines must be scrollable by keyboard */}
      <pre tabIndex={0}>
        <code>{drawn}</code>
      </pre>
    </figure>
  );
}

/** marked leaves entities in text tokens as they were written. */
export function unescapeText(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => ENTITIES[name] ?? "");
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", nbsp: "\u00a0" };
