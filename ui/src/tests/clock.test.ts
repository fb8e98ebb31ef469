/** The tests' clock, which stands still, so that no test depends on the day; and what counts days, on other days. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { dayFromToday, dayName, whenWords } from "../memory/places";
import { canSnoozeToEvening } from "../memory/spoken";
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

describe.each([
  ["a first of March", "2027-03-01T12:00:00", "2027-02-28", "2027-03-02", "2027-03-31", "28 Feb, 09:00"],
  ["the end of a leap day", "2028-02-29T23:58:00", "2028-02-28", "2028-03-01", "2028-03-30", "28 Feb, 09:00"],
  ["the end of a year", "2027-12-31T23:59:30", "2027-12-30", "2028-01-01", "2028-01-30", "30 Dec, 09:00"],
  ["the beginning of one", "2028-01-01T00:00:00", "2027-12-31", "2028-01-02", "2028-01-31", "31 Dec 2027, 09:00"],
  ["a day without two o'clock", "2028-03-26T01:59:30", "2028-03-25", "2028-03-27", "2028-04-25", "25 Mar, 09:00"],
])("on %s", (_, now, yesterday, tomorrow, later, shownYesterday) => {
  it("days are counted on the owner's clock", () => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date(now) });
    expect([-1, 0, 1, 30].map((days) => dayFromToday(days))).toEqual([yesterday, now.slice(0, 10), tomorrow, later]);
    expect([dayFromToday(0), tomorrow].map((day) => whenWords(day))).toEqual(["today", "tomorrow"]);
    expect(whenWords(later)).toBe(`on ${dayName(later)}`);
    expect(dayName(tomorrow).endsWith("2028")).toBe(!now.startsWith(tomorrow.slice(0, 4)));
    expect(dayAndTime(`${yesterday}T09:00:00`)).toBe(shownYesterday);
    expect(dayAndTime(now)).toBe(now.slice(11, 16));
    expect(canSnoozeToEvening()).toBe(new Date(now).getHours() < 18);
  });
});
