/** The pet as it is dressed now, at rest: where the page greets in its name. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { SkinSheet } from "../bindings";
import type { Act } from "../pet/acts";
import { perform } from "../pet/preview_cycle";
import { useStore } from "../state/context";
import { Portrait } from "./portrait";
import { isCalm, PICTURE, styleOf } from "./skin_picture";

/** As it was found last, so that the next page need not wait for it; a name for one of our own bodies. */
let last: Look | undefined;

/** A picture of the core's, or the name of one of our own bodies. */
export type Look = SkinSheet | string;

export function lookOf(got: SkinSheet | null): Look {
  return got && PICTURE.test(got.image) ? got : (got?.skin ?? "");
}

/** `act`: what it does now, if it wears one of our own bodies. */
export function Itself({ size = 132, act }: { size?: number; act?: Act | undefined }) {
  const store = useStore();
  const [sheet, setSheet] = useState(last);
  const pet = store.app.value?.pet;
  const changed = store.settingsChange.value;
  useEffect(() => {
    let here = true;
    const found = (got: SkinSheet | null) => {
      last = lookOf(got);
      if (here) setSheet(last);
    };
    store.commands.previewSkin({}).then(found, () => found(null));
    return () => {
      here = false;
    };
  }, [pet, changed]);
  if (act && typeof sheet === "string") return <Acting body={sheet} act={act} size={size} />;
  return <Dressed sheet={sheet} size={size} />;
}

function Acting({ body, act, size }: { body: string; act: Act; size: number }) {
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => (place.current ? perform(place.current, body, act, isCalm()) : undefined), [body, act]);
  const style = { display: "block", width: `${size}px`, height: `${heightOf(size)}px` };
  return <span ref={place} class="portrait live-skin" style={style} data-act={act} aria-hidden="true" />;
}

function heightOf(size: number): number {
  return Math.round((size * 208) / 192);
}

/** `sheet` undefined: not known yet. */
export function Dressed({ sheet, size }: { sheet: Look | undefined; size: number }) {
  const height = heightOf(size);
  if (sheet === undefined) return <span class="portrait" style={{ display: "block", height: `${height}px` }} />;
  if (typeof sheet === "string") return <Portrait size={size} body={sheet} />;
  return <span class="portrait skin-picture" style={styleOf(sheet, height)} />;
}
