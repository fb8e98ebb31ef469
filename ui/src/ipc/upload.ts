/** Files on their way to the core: base64 in pieces, since one message has a limit, and the core's own limits. */
import type { GivenFile } from "../bindings";

export const MEGABYTE = 1024 * 1024;
/** bytes */
export const LARGEST_FILE = 20 * MEGABYTE;
/** bytes */
export const LARGEST_TEXT = 2 * MEGABYTE;
/** per message */
export const MOST_FILES = 10;
/** Characters; a longer text is attached as a file. */
export const LONG_TEXT = 10_000;

/** Bytes of the files in one message to the core. */
export const LARGEST = 12_000_000;
/** Bytes whose base64 has exactly a million characters. */
const PIECE = 750_000;

export async function packFile(file: File): Promise<GivenFile> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const data: string[] = [];
  for (let at = 0; at < bytes.length; at += PIECE) data.push(base64(bytes.subarray(at, at + PIECE)));
  return { name: file.name, data };
}

function base64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
}

/** Return the text of a drop; for a link or a picture of a web page that is its address. "" before the drop event. */
export function droppedText(transfer: DataTransfer | null): string {
  const text = transfer?.getData("text/plain") ?? "";
  if (text || !transfer) return text;
  const lines = transfer.getData("text/uri-list").split(/\r?\n/);
  return lines.filter((line) => line !== "" && !line.startsWith("#")).join("\n");
}
