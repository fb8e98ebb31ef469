/** Files the owner picked or dropped, on their way to the core: base64 in pieces, since one message has a limit. */
import type { GivenFile } from "../bindings";

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
