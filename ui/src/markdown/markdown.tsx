/** A reply's Markdown as elements, never as HTML. Links are checked here; remote pictures load only on a click. */

import type { Token, Tokens } from "marked";
import { type ComponentChild, createContext } from "preact";
import { useContext, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { LoadedPicture } from "../bindings";
import { Boundary, memo } from "../components/boundary";
import { CopyButton, SCROLLS } from "../components/controls";
import { Icon } from "../components/icons";
import { Dialog } from "../components/overlays";
import type { Pictures, RemotePicture } from "../state/chat/remote_pictures";
import { errorText, t } from "../texts";
import { EMPTY, type Parsed, parse } from "./blocks";
import { highlight } from "./highlight";
import { Formula, type MathToken } from "./math";

function safeLink(href: string): string | null {
  let url: URL;
  try {
    url = new URL(href);
  } catch {
    return null;
  }
  return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : null;
}

/** The pictures of the reply; null where none may be loaded, as in a preview. */
const PicturesContext = createContext<Pictures | null>(null);

interface ImageProps {
  /** the address as parsed, with the host that will be requested */
  url: string;
  alt: string;
  onOpen: () => void;
}

function RemoteImage({ url, alt, onOpen }: ImageProps) {
  const pictures = useContext(PicturesContext);
  const state: RemotePicture = pictures?.at(url).value ?? { is: "closed" };
  const clicked = useRef(false);
  const shown = useRef<HTMLButtonElement>(null);
  const host = new URL(url).host;

  useLayoutEffect(() => {
    if (state.is !== "shown" || !clicked.current) return;
    clicked.current = false;
    // The clicked button is gone: the picture takes the focus, unless it is elsewhere.
    if (document.activeElement === document.body) shown.current?.focus({ preventScroll: true });
  }, [state.is]);

  function load(): void {
    clicked.current = true;
    pictures?.load(url);
  }

  return (
    <span class={state.is === "shown" ? "remote-image" : "no-image"}>
      {state.is === "shown" ? (
        <Shown picture={state.picture} alt={alt || t("ui.md.image_at", { host })} button={shown} />
      ) : (
        <span class="words" data-tip={`${t("ui.md.image_note", { host })}\n${url}`}>
          <Icon name="picture" slashed />
          <span>{alt ? <b dir="auto">{alt}</b> : t("ui.md.image")}</span>
        </span>
      )}
      <span class="from">
        <span class="address" data-tip={url}>
          {host}
        </span>
        <span class="acts">
          {pictures && state.is !== "shown" && (
            <button type="button" class="link" data-tip={url} aria-disabled={state.is === "loading"} onClick={load}>
              {t(LABELS[state.is])}
            </button>
          )}
          <button type="button" class="link" data-tip={url} onClick={onOpen}>
            {t("ui.md.image_open")}
          </button>
        </span>
      </span>
      <span role="status" class={state.is === "failed" ? "why" : "sr"}>
        {state.is === "loading" && t("ui.md.image_loading")}
        {state.is === "shown" && clicked.current && t("ui.md.image_loaded")}
        {state.is === "failed" && errorText(state.error)}
      </span>
    </span>
  );
}

const LABELS = {
  closed: "ui.md.image_load",
  loading: "ui.md.image_loading",
  failed: "ui.md.image_again",
} as const;

interface ShownProps {
  picture: LoadedPicture;
  alt: string;
  button: { current: HTMLButtonElement | null };
}

function Shown({ picture, alt, button }: ShownProps) {
  const [large, setLarge] = useState(false);
  const { image, width, height } = picture;
  return (
    <>
      <button type="button" class="attachment" ref={button} data-tip={alt} onClick={() => setLarge(true)}>
        <img src={image} width={width} height={height} alt={t("ui.attach.open", { name: alt })} draggable={false} />
      </button>
      {large && (
        <Dialog title={alt} onClose={() => setLarge(false)} wide>
          <img class="whole-picture" src={image} alt={alt} />
        </Dialog>
      )}
    </>
  );
}

type OpenLink = (url: string) => void;

interface Props {
  text: string;
  onLink: OpenLink;
  /** where pictures may be loaded; else they only open in the browser */
  pictures?: Pictures | null;
}

/** A block that fails to draw is shown as written; if nothing can be drawn, all of it is. */
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
  // A block parsed again with the same content is not drawn again.
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
      return isBreak(token) ? <br /> : <p>{token.raw.trimEnd()}</p>;
  }
}

/** Whether the token is `<br>`, the only HTML that is drawn: a table's cell has no other line break. */
export function isBreak(token: Token): boolean {
  return /^<br\s*\/?>\s*$/i.test(token.raw);
}

function drawHeading(token: Tokens.Heading, onLink: OpenLink): ComponentChild {
  // A reply's headings are below the page's own.
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
    <div class="table" role="group" {...SCROLLS} aria-label={t("ui.md.table")}>
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
        return isBreak(token) ? <br /> : token.raw;
    }
  });
}

function drawLink(link: Tokens.Link, onLink: OpenLink): ComponentChild {
  const url = safeLink(link.href);
  const inside = drawInline(link.tokens, onLink);
  // A link can't contain the picture's button: it follows the picture, shown by its address.
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

/** Nothing loads by itself: loading would reveal that the reply was read. */
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
      <pre {...SCROLLS}>
        <code>{drawn}</code>
      </pre>
    </figure>
  );
}

/** Decode the entities that marked leaves in text tokens. */
export function unescapeText(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => ENTITIES[name] ?? "");
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", nbsp: "\u00a0" };
