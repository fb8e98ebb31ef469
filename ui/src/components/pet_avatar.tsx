/** The pet as it is dressed now, at rest: where the page greets in its name. */
import { useEffect, useState } from "preact/hooks";
import type { SkinSheet } from "../bindings";
import { PICTURE, styleOf } from "../settings/appearance/skin_picture";
import { useStore } from "../state/context";
import { Portrait } from "./portrait";

/** As it was found last, so that the next page need not wait for it; a name for one of our own bodies. */
let last: Look | undefined;

/** A picture of the core's, or the name of one of our own bodies. */
export type Look = SkinSheet | string;

export function lookOf(got: SkinSheet | null): Look {
  return got && PICTURE.test(got.image) ? got : (got?.skin ?? "");
}

export function Itself({ size = 132 }: { size?: number }) {
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
  return <Dressed sheet={sheet} size={size} />;
}

/** `sheet` undefined: not known yet. */
export function Dressed({ sheet, size }: { sheet: Look | undefined; size: number }) {
  const height = Math.round((size * 208) / 192);
  if (sheet === undefined) return <span class="portrait" style={{ display: "block", height: `${height}px` }} />;
  if (typeof sheet === "string") return <Portrait size={size} body={sheet} />;
  return <span class="portrait skin-picture" style={styleOf(sheet, height)} />;
}
