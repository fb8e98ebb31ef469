/** Another pet as it is dressed, at rest: asked for when its row comes into sight. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { SkinSheet } from "../bindings";
import { useStore } from "../state/context";
import { Dressed, type Look, lookOf } from "./pet_avatar";
import { useInSight } from "./skin_picture";

export function PetPicture({ pet, size }: { pet: string; size: number }) {
  const store = useStore();
  const place = useRef<HTMLSpanElement>(null);
  const seen = useInSight(place, true);
  const [sheet, setSheet] = useState<Look>();
  useEffect(() => {
    if (!seen) return;
    let here = true;
    const found = (got: SkinSheet | null) => here && setSheet(lookOf(got));
    store.commands.previewPet({ pet }).then(found, () => found(null));
    return () => {
      here = false;
    };
  }, [pet, seen]);
  return (
    <span ref={place} class="pet-picture">
      <Dressed sheet={sheet} size={size} />
    </span>
  );
}
