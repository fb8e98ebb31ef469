/**
 * A picture that a reply points to. A placeholder says what and where it is; nobody there learns of it before the
 * owner's click. A loaded one is shown large by another click, as those that were sent.
 */
import { createContext } from "preact";
import { useContext, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { LoadedPicture } from "../bindings";
import { Icon } from "../components/icons";
import { Dialog } from "../components/overlays/dialog";
import type { Pictures, RemotePicture } from "../state/chat/images";
import { errorText, t } from "../texts";

/** Null where nothing can be loaded, as in a file that is only looked at. */
export const PicturesContext = createContext<Pictures | null>(null);

interface Props {
  /** as the page has understood it: with the host as it will be asked for */
  url: string;
  alt: string;
  onOpen: () => void;
}

export function RemoteImage({ url, alt, onOpen }: Props) {
  const pictures = useContext(PicturesContext);
  const state: RemotePicture = pictures?.at(url).value ?? { is: "closed" };
  const clicked = useRef(false);
  const shown = useRef<HTMLButtonElement>(null);
  const host = new URL(url).host;

  useLayoutEffect(() => {
    if (state.is !== "shown" || !clicked.current) return;
    clicked.current = false;
    // The button that was clicked is gone; unless the owner went elsewhere meanwhile, the picture takes its place.
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
