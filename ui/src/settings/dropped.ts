/** What was dropped, as files: those of a folder too, named `folder/file`. Only what a skin can be made of is read. */

const WANTED = /\.(zip|png|webp|gif|jpe?g|json|xml|txt|md)$|(^|\/)(licen[cs]e|readme)$/i;
/** As many as the core takes. */
const MOST = 64;

export async function filesOf(transfer: DataTransfer | null): Promise<File[]> {
  const entries = [...(transfer?.items ?? [])].map((item) => item.webkitGetAsEntry?.() ?? null);
  const folders = entries.filter((entry): entry is FileSystemDirectoryEntry => entry?.isDirectory === true);
  if (folders.length === 0) return [...(transfer?.files ?? [])];
  const found: File[] = [];
  for (const folder of folders) await walk(folder, folder.name, found);
  return found;
}

async function walk(folder: FileSystemDirectoryEntry, path: string, found: File[]): Promise<void> {
  const reader = folder.createReader();
  for (;;) {
    const entries = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed));
    if (entries.length === 0) return;
    for (const entry of entries) {
      if (found.length >= MOST) return;
      const name = `${path}/${entry.name}`;
      if (entry.isDirectory) await walk(entry as FileSystemDirectoryEntry, name, found);
      else if (WANTED.test(name)) found.push(await named(entry as FileSystemFileEntry, name));
    }
  }
}

async function named(entry: FileSystemFileEntry, name: string): Promise<File> {
  const file = await new Promise<File>((done, failed) => entry.file(done, failed));
  return new File([file], name, { type: file.type });
}
