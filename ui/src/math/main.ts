/** KaTeX with its fonts, in a script that is loaded with the first formula. */
import katex from "katex";
import style from "katex/dist/katex.min.css?inline";

declare global {
  interface Window {
    __soulpetMath?: (tex: string, into: HTMLElement, display: boolean) => boolean;
  }
}

let dressed = false;

/**
 * Set a formula into an element. Returns false if it is not one. Rejects links, pictures and HTML in a formula, and endless
 * macros.
 */
window.__soulpetMath = (tex, into, display) => {
  if (!dressed) {
    const element = document.createElement("style");
    element.textContent = style;
    document.head.append(element);
    dressed = true;
  }
  try {
    katex.render(tex, into, { displayMode: display, trust: false, strict: "ignore", maxSize: 6, maxExpand: 200 });
    return true;
  } catch {
    into.replaceChildren(); // shown as written
    return false;
  }
};
