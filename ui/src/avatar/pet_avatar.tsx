/** Pictures of pets: a body or a skin at rest, in motion under pointer or focus, and the pet as it is dressed now. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { SkinInfo, SkinSheet } from "../bindings";
import type { Act } from "../pet/acts";
import { portraitOf } from "../pet/bodies";
import { parade, perform } from "../pet/renderer";
import { useStore } from "../state/context";

export function Portrait({ size = 132, body = "" }: { size?: number; body?: string }) {
  return <img class="portrait" src={portraitOf(body)} width={size} height={Math.round((size * 208) / 192)} alt="" />;
}

const SIZE = 88;
const PICTURE = /^data:image\/(png|webp);base64,/;

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

/** A skin in motion. `skin`: a sheet, or the id of one of our own bodies. */
function Moving({ skin }: { skin: SkinSheet | string }) {
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => (place.current ? parade(place.current, skin, isCalm()) : undefined), [skin]);
  return <span ref={place} class="skin-picture live-skin" aria-hidden="true" />;
}

/** Whether to draw without motion: the setting wins over the system. */
function isCalm(): boolean {
  const { motion } = document.documentElement.dataset;
  if (motion === "on" || motion === "off") return motion === "on";
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** Whether the element has been in sight once: skins further down load when they are scrolled to. */
function useInSight(place: { current: Element | null }, wanted: boolean): boolean {
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
      () => undefined, // wearing it reports what is wrong
    );
    return () => {
      here = false;
    };
  }, [skin, wanted]);
  return sheet;
}

function styleOf(sheet: SkinSheet, size = SIZE) {
  const scale = size / Math.max(sheet.frame_width, sheet.frame_height);
  return {
    width: `${sheet.frame_width * scale}px`,
    height: `${sheet.frame_height * scale}px`,
    backgroundImage: `url("${sheet.image}")`,
    backgroundSize: "100% 100%",
  };
}

/** The last known look, so that the next page need not wait; a name for one of our own bodies. */
let last: Look | undefined;

/** An image from the core, or the name of one of our own bodies. */
type Look = SkinSheet | string;

function lookOf(got: SkinSheet | null): Look {
  return got && PICTURE.test(got.image) ? got : (got?.skin ?? "");
}

/** `act`: what one of our own bodies does now. */
export function CurrentPet({ size = 132, act }: { size?: number; act?: Act | undefined }) {
  const store = useStore();
  const [sheet, setSheet] = useState(last);
  const pet = store.app.value?.pet;
  const changed = store.settingsChange.value;
  useEffect(() => {
    let here = true;
    const show = (got: SkinSheet | null) => {
      last = lookOf(got);
      if (here) setSheet(last);
    };
    store.commands.previewSkin({}).then(show, () => show(null));
    return () => {
      here = false;
    };
  }, [pet, changed]);
  if (act && typeof sheet === "string") return <ActingPet body={sheet} act={act} size={size} />;
  return <PetDrawing sheet={sheet} size={size} />;
}

function ActingPet({ body, act, size }: { body: string; act: Act; size: number }) {
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => (place.current ? perform(place.current, body, act, isCalm()) : undefined), [body, act]);
  const style = { display: "block", width: `${size}px`, height: `${heightOf(size)}px` };
  return <span ref={place} class="portrait live-skin" style={style} data-act={act} aria-hidden="true" />;
}

function heightOf(size: number): number {
  return Math.round((size * 208) / 192);
}

/** `sheet` undefined: not loaded yet. */
function PetDrawing({ sheet, size }: { sheet: Look | undefined; size: number }) {
  const height = heightOf(size);
  if (sheet === undefined) return <span class="portrait" style={{ display: "block", height: `${height}px` }} />;
  if (typeof sheet === "string") return <Portrait size={size} body={sheet} />;
  return <span class="portrait skin-picture" style={styleOf(sheet, height)} />;
}

export function PetPicture({ pet, size }: { pet: string; size: number }) {
  const store = useStore();
  const place = useRef<HTMLSpanElement>(null);
  const seen = useInSight(place, true);
  const [sheet, setSheet] = useState<Look>();
  useEffect(() => {
    if (!seen) return;
    let here = true;
    const show = (got: SkinSheet | null) => here && setSheet(lookOf(got));
    store.commands.previewPet({ pet }).then(show, () => show(null));
    return () => {
      here = false;
    };
  }, [pet, seen]);
  return (
    <span ref={place} class="pet-picture">
      <PetDrawing sheet={sheet} size={size} />
    </span>
  );
}
