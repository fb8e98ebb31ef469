/** Pictures of pets, as the core draws them: a skin at rest, in motion under pointer or focus, and the pet's own now. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { SkinFilm, SkinInfo, SkinSheet } from "../bindings";
import { useLoad } from "../components/loading";
import { useStore } from "../state/context";

const SIZE = 88;
const PICTURE = /^data:image\/(png|webp|svg\+xml);base64,/;

/** One of our own bodies at rest. */
export function Portrait({ size = 132, body }: { size?: number; body: string }) {
  const sheet = useSheet(body, true);
  return <PetDrawing sheet={sheet} size={size} />;
}

export function SkinPicture({ skin, live }: { skin: SkinInfo; live: boolean }) {
  const place = useRef<HTMLSpanElement>(null);
  const seen = useInSight(place, !skin.problem);
  const still = useSheet(skin.id, !skin.problem && seen);
  const film = useFilm(skin.id, "", !skin.problem && live && !isCalm());
  if (live && film) return <Moving film={film} />;
  return <span ref={place} class="skin-picture" style={still ? styleOf(still) : undefined} />;
}

/** A skin in motion. `size`: the longer side. */
function Moving({ film, size = SIZE }: { film: SkinFilm; size?: number }) {
  const [at, setAt] = useState(isCalm() ? film.still : 0);
  const step = film.steps[at];
  useEffect(() => {
    if (!step || isCalm()) return;
    const next = at + 1 < film.steps.length ? at + 1 : film.again;
    const timer = setTimeout(() => setAt(next), step.milliseconds);
    return () => clearTimeout(timer);
  }, [film, at]);
  if (!step) return null;
  const { sheet } = film;
  const { width, height } = boxOf(sheet, size);
  const [x, y] = [step.cell % sheet.columns, Math.floor(step.cell / sheet.columns)];
  const style = {
    ...styleOf(sheet, size),
    backgroundSize: `${width * sheet.columns}px auto`,
    backgroundPosition: `${-x * width}px ${-y * height}px`,
    transform: step.move || undefined,
    transformOrigin: "50% 100%",
  };
  return <span class="skin-picture live-skin" style={style} data-act={step.act} aria-hidden="true" />;
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

function useSheet(skin: string, wanted: boolean): SkinSheet | null {
  const store = useStore();
  const ask = async () => (wanted ? drawable(await store.commands.previewSkin({ skin })) : null);
  return useLoad(ask, [wanted], skin).value; // if it fails, wearing it reports what is wrong
}

function drawable(sheet: SkinSheet): SkinSheet | null {
  return PICTURE.test(sheet.image) ? sheet : null;
}

function useFilm(skin: string, act: string, wanted: boolean): SkinFilm | null {
  const store = useStore();
  const [film, setFilm] = useState<SkinFilm | null>(null);
  useEffect(() => {
    let here = true;
    if (!wanted || film) return;
    store.commands.filmSkin({ skin, act }).then(
      (got) => here && PICTURE.test(got.sheet.image) && setFilm(got),
      () => undefined,
    );
    return () => {
      here = false;
    };
  }, [skin, act, wanted]);
  return wanted ? film : null;
}

function boxOf(sheet: SkinSheet, size: number) {
  const scale = size / Math.max(sheet.frame_width, sheet.frame_height);
  return { width: Math.round(sheet.frame_width * scale), height: Math.round(sheet.frame_height * scale) };
}

function styleOf(sheet: SkinSheet, size = SIZE) {
  const { width, height } = boxOf(sheet, size);
  return {
    width: `${width}px`,
    height: `${height}px`,
    backgroundImage: `url("${sheet.image}")`,
    backgroundSize: "100% 100%",
  };
}

/** The last known picture, so that the next page need not wait. */
let last: SkinSheet | null = null;

/** The pet as it is dressed now. `act`: what it does. */
export function CurrentPet({ size = 132, act = "" }: { size?: number; act?: string | undefined }) {
  const store = useStore();
  const [sheet, setSheet] = useState(last);
  const film = useFilm("", act, act !== "");
  const pet = store.app.value?.pet;
  const changed = store.settingsChange.value;
  useEffect(() => {
    let here = true;
    store.commands.previewSkin({}).then(
      (got) => {
        last = drawable(got);
        if (here) setSheet(last);
      },
      () => undefined,
    );
    return () => {
      here = false;
    };
  }, [pet, changed]);
  if (!film) return <PetDrawing sheet={sheet} size={size} />;
  return (
    <span class="portrait" style={{ display: "block" }} data-act={act}>
      <Moving film={film} size={heightOf(size)} />
    </span>
  );
}

function heightOf(size: number): number {
  return Math.round((size * 208) / 192);
}

/** `sheet`: of one cell; null: not loaded yet. */
function PetDrawing({ sheet, size }: { sheet: SkinSheet | null; size: number }) {
  const height = heightOf(size);
  if (!sheet) return <span class="portrait" style={{ display: "block", height: `${height}px` }} />;
  return <img class="portrait" src={sheet.image} {...boxOf(sheet, height)} alt="" />;
}

export function PetPicture({ pet, size }: { pet: string; size: number }) {
  const store = useStore();
  const place = useRef<HTMLSpanElement>(null);
  const seen = useInSight(place, true);
  const ask = async () => (seen ? drawable(await store.commands.previewPet({ pet })) : null);
  const sheet = useLoad(ask, [seen], pet).value;
  return (
    <span ref={place} class="pet-picture">
      <PetDrawing sheet={sheet} size={size} />
    </span>
  );
}
