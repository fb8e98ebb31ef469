/** Call `handler` for these events. Return the function that ends it. */
export function listen<E extends Event>(
  to: EventTarget,
  names: readonly string[],
  handler: (event: E) => void,
  options?: AddEventListenerOptions | boolean,
): () => void {
  for (const name of names) to.addEventListener(name, handler as EventListener, options);
  return () => {
    for (const name of names) to.removeEventListener(name, handler as EventListener, options);
  };
}
