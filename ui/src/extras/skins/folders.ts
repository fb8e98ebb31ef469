/** The files of a drop, those of dropped folders among them. */

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
