/** Nothing may lead away from this page, whatever is clicked or dropped. */
export function stayOnPage(): void {
  window.open = () => null;
  for (const name of ["dragenter", "dragover"] as const) {
    window.addEventListener(name, (event) => {
      // Somebody here takes it and said so; a file may be let go over the editor, which reads it.
      if (event.defaultPrevented || goesIntoField(event)) return;
      event.preventDefault();
      // Otherwise the pointer would promise to copy what is then lost.
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

/** Text may be dropped into a field; anything else would be opened in place of the page. */
function goesIntoField(event: DragEvent): boolean {
  const types = event.dataTransfer?.types ?? [];
  return within(event, "textarea, input, .cm-editor") && types.includes("text/plain") && !types.includes("Files");
}

function within(event: Event, selector: string): boolean {
  return event.target instanceof Element && event.target.closest(selector) !== null;
}
