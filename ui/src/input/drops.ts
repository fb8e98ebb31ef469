/** Drops: drop zones, and the guard against drops and links that would leave the page. */
import { useState } from "preact/hooks";

interface Zone {
  onDragEnter: (event: DragEvent) => void;
  onDragOver: (event: DragEvent) => void;
  onDragLeave: (event: DragEvent) => void;
  onDrop: (event: DragEvent) => void;
}

/**
 * Return the element's handlers, and whether a drag that it takes is over it. `takes` is called again at the drop,
 * since `over` may not be drawn yet.
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
    // Entering a child fires dragenter without dragover: unless it is accepted too, the drop is refused until the
    // pointer moves again.
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

/** Block navigation away from the page by clicks and drops. */
export function stayOnPage(): void {
  window.open = () => null;
  for (const name of ["dragenter", "dragover"] as const) {
    window.addEventListener(name, (event) => {
      // Handled elsewhere; the editor reads dropped files itself.
      if (event.defaultPrevented || goesIntoField(event)) return;
      event.preventDefault();
      // Otherwise the pointer shows a copy that will not happen.
      if (event.dataTransfer && !within(event, ".cm-editor")) event.dataTransfer.dropEffect = "none";
    });
  }
  window.addEventListener("drop", (event) => {
    if (!goesIntoField(event)) event.preventDefault();
  });
  for (const name of ["click", "auxclick"]) {
    document.addEventListener(name, (event) => {
      if (within(event, "a[href]")) event.preventDefault();
    });
  }
}

/** Only text may be dropped into a field; a file would open in place of the page. */
function goesIntoField(event: DragEvent): boolean {
  const types = event.dataTransfer?.types ?? [];
  return within(event, "textarea, input, .cm-editor") && types.includes("text/plain") && !types.includes("Files");
}

function within(event: Event, selector: string): boolean {
  return event.target instanceof Element && event.target.closest(selector) !== null;
}
