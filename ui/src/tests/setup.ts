/** Before each file of tests: when it is, and how effects run. */
import { options } from "preact";

/** Noon, so that it is the same day wherever the tests run. */
const NOW = new Date(2026, 10, 23, 12).getTime();

/**
 * The clock stands still, for every test on every day. A test that needs another moment takes
 * `vi.useFakeTimers({ now })` or `vi.setSystemTime`; after `vi.useRealTimers()` it is this one again. Timers run.
 */
globalThis.Date = new Proxy(Date, {
  construct: (target, given, made) => Reflect.construct(target, given.length ? given : [NOW], made),
  apply: (target) => new target(NOW).toString(),
  get: (target, name) => (name === "now" ? () => NOW : Reflect.get(target, name)),
});

// Effects run at once: a frame asked for would come when the page is gone already.
options.requestAnimationFrame = (callback) => queueMicrotask(callback);
