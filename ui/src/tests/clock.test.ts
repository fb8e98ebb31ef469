/** The tests' clock: it stands still, so that no test depends on the day. */
import { afterEach, expect, it, vi } from "vitest";
import { dayAndTime } from "../texts";

afterEach(() => void vi.useRealTimers());

/** Return the page's text for nine o'clock of a day. */
const shown = (year: number, month: number, day: number) =>
  dayAndTime(new Date(year, month - 1, day, 9).toISOString());

it("every test has the same day, whatever the day is", () => {
  expect(shown(2026, 11, 23)).toBe("09:00");
  expect(shown(2026, 11, 22)).toBe("22 Nov, 09:00");
  expect(shown(2027, 11, 23)).toBe("23 Nov 2027, 09:00");
});

it("a test that chose another day goes back to the same", () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date(2028, 1, 29) });
  expect(shown(2028, 2, 29)).toBe("09:00");
  vi.useRealTimers();
  expect(shown(2026, 11, 23)).toBe("09:00");
});

it("fake timers begin at that day and go on from it", () => {
  vi.useFakeTimers();
  expect(shown(2026, 11, 23)).toBe("09:00");
  vi.advanceTimersByTime(86_400_000);
  expect(shown(2026, 11, 24)).toBe("09:00");
});

it("days that are named stay what they are", () => {
  const named = new Date("2001-02-03T04:05:06Z");
  expect(named).toBeInstanceOf(Date);
  expect(named.getTime()).toBe(Date.UTC(2001, 1, 3, 4, 5, 6));
});
it("an event has the time of the tests", () => {
  vi.useFakeTimers();
  const before = new Event("pointermove").timeStamp;
  vi.advanceTimersByTime(500);
  expect(new Event("pointerup").timeStamp - before).toBe(500);
});
