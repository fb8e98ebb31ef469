/** A skin in motion, while the pointer or the focus is on its card. */
import { useEffect, useRef } from "preact/hooks";
import type { SkinSheet } from "../bindings";
import { parade } from "../pet/parade";

/** `sheet` null: our own character. */
export function LiveSkin({ sheet }: { sheet: SkinSheet | null }) {
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => (place.current ? parade(place.current, sheet, isCalm()) : undefined), [sheet]);
  return <span ref={place} class="skin-picture live-skin" aria-hidden="true" />;
}

/** The setting wins over the system, as everywhere. */
function isCalm(): boolean {
  const { motion } = document.documentElement.dataset;
  if (motion === "on" || motion === "off") return motion === "on";
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
