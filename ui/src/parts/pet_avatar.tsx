/** The pet as it is dressed now, at rest: where the page greets in its name. */
import { useEffect, useState } from "preact/hooks";
import type { SkinSheet } from "../bindings";
import { PICTURE, styleOf } from "../settings/appearance/skin_picture";
import { useStore } from "../state/context";
import { Portrait } from "./portrait";

/** As it was found last, so that the next page need not wait for it; null for our own character. */
let last: SkinSheet | null | undefined;

export function Itself({ size = 132 }: { size?: number }) {
  const store = useStore();
  const [sheet, setSheet] = useState(last);
  const pet = store.app.value?.pet;
  const changed = store.settingsChange.value;
  useEffect(() => {
    let here = true;
    const found = (got: SkinSheet | null) => {
      last = got && PICTURE.test(got.image) ? got : null;
      if (here) setSheet(last);
    };
    store.commands.previewSkin({}).then(found, () => found(null));
    return () => {
      here = false;
    };
  }, [pet, changed]);
  return <Dressed sheet={sheet} size={size} />;
}

/** `sheet` undefined: not known yet; null: our own character. */
export function Dressed({ sheet, size }: { sheet: SkinSheet | null | undefined; size: number }) {
  const height = Math.round((size * 208) / 192);
  if (sheet === undefined) return <span class="portrait" style={{ display: "block", height: `${height}px` }} />;
  if (sheet === null) return <Portrait size={size} />;
  return <span class="portrait skin-picture" style={styleOf(sheet, height)} />;
}
