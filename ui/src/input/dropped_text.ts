/** The words that were dropped. A link or a picture of a web page may come as its address alone. "" until the drop. */
export function droppedText(transfer: DataTransfer | null): string {
  const text = transfer?.getData("text/plain") ?? "";
  if (text || !transfer) return text;
  const lines = transfer.getData("text/uri-list").split(/\r?\n/);
  return lines.filter((line) => line !== "" && !line.startsWith("#")).join("\n");
}
