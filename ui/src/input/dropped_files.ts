/** What was dropped, as files: those of a folder too, named `folder/file`. Only what a skin can be made of is read. */

const WANTED = /\.(zip|png|webp|gif|jpe?g|json|xml|txt|md)$|(^|\/)(licen[cs]e|readme)$/i;
/** As many as the core takes. */
const MOST = 64;
/** Somebody may drop all they have: so much is looked at, and no deeper. */
const LOOKED_AT = 2000;
const DEEPEST = 4;

interface Found {
  files: File[];
  looked: number;
}

export async function filesOf(transfer: DataTransfer | null): Promise<File[]> {
  const entries = [...(transfer?.items ?? [])].map((item) => item.webkitGetAsEntry?.() ?? null);
  const folders = entries.filter((entry): entry is FileSystemDirectoryEntry => entry?.isDirectory === true);
  if (folders.length === 0) return [...(transfer?.files ?? [])];
  const found: Found = { files: [], looked: 0 };
  for (const folder of folders) await walk(folder, folder.name, found, 1);
  return found.files;
}

async function walk(folder: FileSystemDirectoryEntry, path: string, found: Found, depth: number): Promise<void> {
  const reader = folder.createReader();
  for (;;) {
    const entries = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed));
    if (entries.length === 0) return;
    for (const entry of entries) {
      found.looked += 1;
      if (found.files.length >= MOST || found.looked > LOOKED_AT) return;
      const name = `${path}/${entry.name}`;
      if (entry.isDirectory) {
        if (depth < DEEPEST) await walk(entry as FileSystemDirectoryEntry, name, found, depth + 1);
      } else if (WANTED.test(name)) found.files.push(await named(entry as FileSystemFileEntry, name));
    }
  }
}

async function named(entry: FileSystemFileEntry, name: string): Promise<File> {
  const file = await new Promise<File>((done, failed) => entry.file(done, failed));
  return new File([file], name, { type: file.type });
}
