/** A part of the page on which something may be dropped. */
import { useState } from "preact/hooks";

interface Zone {
  onDragEnter: (event: DragEvent) => void;
  onDragOver: (event: DragEvent) => void;
  onDragLeave: (event: DragEvent) => void;
  onDrop: (event: DragEvent) => void;
}

/**
 * Returns the handlers for the element, and whether a drag that it takes is over it. ``takes`` is asked anew at the
 * drop: what ``over`` shows may not be drawn yet.
 */
export function useDropZone(
  takes: (event: DragEvent) => boolean,
  dropped: (transfer: DataTransfer | null) => void,
): { over: boolean; zone: Zone } {
  const [over, setOver] = useState(false);
  const dragged = (event: DragEvent) => {
    if (!takes(event)) return;
    event.preventDefault();
    setOver(true);
  };
  const zone: Zone = {
    // The move onto another element inside is an enter alone, no over: unless it is accepted too, a drop is refused
    // until the pointer moves once more.
    onDragEnter: dragged,
    onDragOver: dragged,
    onDragLeave: (event) => {
      const { currentTarget: box, relatedTarget: to } = event;
      if (!(to instanceof Node && box instanceof Node && box.contains(to))) setOver(false);
    },
    onDrop: (event) => {
      setOver(false);
      if (!takes(event)) return;
      event.preventDefault();
      dropped(event.dataTransfer);
    },
  };
  return { over, zone };
}
