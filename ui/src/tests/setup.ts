/** Setup of every test file: the clock, and effects. */
import { options } from "preact";

/** Noon: the same day in every time zone of the tests. */
const NOW = new Date(2026, 10, 23, 12).getTime();

/**
 * Stop the clock, for every test. A test that needs another moment calls `vi.useFakeTimers({ now })` or
 * `vi.setSystemTime`; after `vi.useRealTimers()` it is this one again. Timers run.
 */
globalThis.Date = new Proxy(Date, {
  construct: (target, given, made) => Reflect.construct(target, given.length ? given : [NOW], made),
  apply: (target) => new target(NOW).toString(),
  get: (target, name) => (name === "now" ? () => NOW : Reflect.get(target, name)),
});

/**
 * Stamp an event with the clock of the tests at its first reading, not with the machine's, which `vi.useFakeTimers`
 * doesn't stop: the time between two events decides whether the core hears that the owner is there.
 */
const stamps = new WeakMap<Event, number>();
Object.defineProperty(Event.prototype, "timeStamp", {
  configurable: true,
  get(this: Event): number {
    const stamp = stamps.get(this) ?? performance.now();
    stamps.set(this, stamp);
    return stamp;
  },
});

// Run effects at once: a frame would come after the page is gone.
options.requestAnimationFrame = (callback) => queueMicrotask(callback);
