/** Drops: drop zones, the files and text of a drop, and the guard against drops and links that would leave the page. */
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

const WANTED = /\.(zip|png|webp|gif|jpe?g|json|xml|txt|md)$|(^|\/)(licen[cs]e|readme)$/i;
/** The core's limit of files. */
const MOST = 64;
/** Limits for dropped folders: entries visited, and depth. */
const MOST_VISITED = 2000;
const DEEPEST = 4;

interface Walked {
  files: File[];
  visited: number;
}

export async function filesOf(transfer: DataTransfer | null): Promise<File[]> {
  const entries = [...(transfer?.items ?? [])].map((item) => item.webkitGetAsEntry?.() ?? null);
  const folders = entries.filter((entry): entry is FileSystemDirectoryEntry => entry?.isDirectory === true);
  if (folders.length === 0) return [...(transfer?.files ?? [])];
  const result: Walked = { files: [], visited: 0 };
  for (const folder of folders) await walk(folder, folder.name, result, 1);
  return result.files;
}

async function walk(folder: FileSystemDirectoryEntry, path: string, result: Walked, depth: number): Promise<void> {
  const reader = folder.createReader();
  for (;;) {
    const entries = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed));
    if (entries.length === 0) return;
    for (const entry of entries) {
      result.visited += 1;
      if (result.files.length >= MOST || result.visited > MOST_VISITED) return;
      const name = `${path}/${entry.name}`;
      if (entry.isDirectory) {
        if (depth < DEEPEST) await walk(entry as FileSystemDirectoryEntry, name, result, depth + 1);
      } else if (WANTED.test(name)) result.files.push(await named(entry as FileSystemFileEntry, name));
    }
  }
}

async function named(entry: FileSystemFileEntry, name: string): Promise<File> {
  const file = await new Promise<File>((done, failed) => entry.file(done, failed));
  return new File([file], name, { type: file.type });
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
