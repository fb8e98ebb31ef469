/**
 * A skin in the chooser: its resting picture, asked for when it comes into sight; in motion while the pointer or the
 * focus is on its card. Our own character is drawn by the page. Draws nothing that is no picture of the core's.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import type { SkinInfo, SkinSheet } from "../bindings";
import { parade } from "../pet/preview_cycle";
import { useStore } from "../state/context";
import { Portrait } from "./portrait";

const SIZE = 88;
export const PICTURE = /^data:image\/(png|webp);base64,/;

export function SkinPicture({ skin, live }: { skin: SkinInfo; live: boolean }) {
  const place = useRef<HTMLSpanElement>(null);
  const drawn = skin.origin === "drawn";
  const wanted = !drawn && !skin.problem;
  const seen = useInSight(place, wanted);
  const still = useSheet(skin.id, false, wanted && seen);
  const whole = useSheet(skin.id, true, wanted && live);
  if (drawn) return live ? <Moving skin={skin.id} /> : <Portrait size={SIZE} body={skin.id} />;
  if (live && whole) return <Moving skin={whole} />;
  return <span ref={place} class="skin-picture" style={still ? styleOf(still) : undefined} />;
}

/** The setting wins over the system, as everywhere. `skin`: a sheet, or the id of one of our own bodies. */
function Moving({ skin }: { skin: SkinSheet | string }) {
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => (place.current ? parade(place.current, skin, isCalm()) : undefined), [skin]);
  return <span ref={place} class="skin-picture live-skin" aria-hidden="true" />;
}

export function isCalm(): boolean {
  const { motion } = document.documentElement.dataset;
  if (motion === "on" || motion === "off") return motion === "on";
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** Hundreds of skins may be there; those further down cost nothing until they are scrolled to. */
export function useInSight(place: { current: Element | null }, wanted: boolean): boolean {
  const [seen, setSeen] = useState(typeof IntersectionObserver === "undefined");
  useEffect(() => {
    if (seen || !wanted || !place.current) return;
    const watcher = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) setSeen(true);
    });
    watcher.observe(place.current);
    return () => watcher.disconnect();
  }, [seen, wanted]);
  return seen;
}

function useSheet(skin: string, whole: boolean, wanted: boolean): SkinSheet | null {
  const store = useStore();
  const [sheet, setSheet] = useState<SkinSheet | null>(null);
  useEffect(() => {
    let here = true;
    if (!wanted || sheet) return;
    store.commands.previewSkin({ skin, whole }).then(
      (got) => here && PICTURE.test(got.image) && setSheet(got),
      () => undefined, // a card without a picture; wearing it will say what is wrong
    );
    return () => {
      here = false;
    };
  }, [skin, wanted]);
  return sheet;
}

export function styleOf(sheet: SkinSheet, size = SIZE) {
  const scale = size / Math.max(sheet.frame_width, sheet.frame_height);
  return {
    width: `${sheet.frame_width * scale}px`,
    height: `${sheet.frame_height * scale}px`,
    backgroundImage: `url("${sheet.image}")`,
    backgroundSize: "100% 100%",
  };
}
