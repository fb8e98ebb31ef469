/** Files on their way to the core: base64 in pieces, since one message has a limit, and the core's own limits. */
import type { GivenFile } from "../bindings";

export const MEGABYTE = 1024 * 1024;
/** Bytes of one file. */
export const LARGEST_FILE = 20 * MEGABYTE;
/** Bytes of a text file. */
export const LARGEST_TEXT = 2 * MEGABYTE;
/** Files that go with one message. */
export const MOST_FILES = 10;
/** A text of more characters goes along as a file: it can be read there, and the field stays quick. */
export const LONG_TEXT = 12_000;

/** What one message to the core may carry, in bytes of the files. */
export const LARGEST = 12_000_000;
/** Bytes whose base64 is exactly a million characters. */
const PIECE = 750_000;

export async function packed(file: File): Promise<GivenFile> {
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
