/** Words marked where they stand on the page, without a change to its elements; kept up while the page changes. */

const NAME = "found";

export function wordsOf(sought: string): string[] {
  return sought.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Returns what takes the marks away. Where the web view can't mark, nothing is marked. */
export function markWords(frame: Element | null, words: string[]): () => void {
  const list = frame?.querySelector(".messages-content");
  if (!list || words.length === 0 || typeof Highlight === "undefined") return () => undefined;
  let asked = 0;
  const mark = () => {
    asked = 0;
    CSS.highlights.set(NAME, new Highlight(...ranges(list, words)));
  };
  const soon = () => {
    asked ||= requestAnimationFrame(mark);
  };
  mark();
  const watch = new MutationObserver(soon);
  watch.observe(list, { childList: true, characterData: true, subtree: true });
  return () => {
    watch.disconnect();
    cancelAnimationFrame(asked);
    CSS.highlights.delete(NAME);
  };
}

function ranges(list: Element, words: string[]): Range[] {
  const found: Range[] = [];
  for (const body of list.querySelectorAll(".bubble")) {
    const walk = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node !== null; node = walk.nextNode()) {
      const text = (node.nodeValue ?? "").toLowerCase();
      for (const word of words) {
        for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
          const range = new Range();
          range.setStart(node, at);
          range.setEnd(node, Math.min(at + word.length, node.nodeValue?.length ?? 0));
          found.push(range);
        }
      }
    }
  }
  return found;
}
