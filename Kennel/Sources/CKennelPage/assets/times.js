// Shows relative times and dates in the reader's time zone.

import { language, text } from "./texts.js";

const words = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
const dates = new Intl.DateTimeFormat(text("dateLocale"), { dateStyle: "long" });
const moments = new Intl.DateTimeFormat(text("dateLocale"), { dateStyle: "full", timeStyle: "short" });

const months = new Intl.DateTimeFormat(text("dateLocale"), { month: "long", year: "numeric", timeZone: "UTC" });

/** Returns a month such as `2026-07` in words. */
export const monthName = (month) => months.format(new Date(`${month}-01`));

const startOfDay = (date) => new Date(date).setHours(0, 0, 0, 0);

function relativeTime(date) {
  const minutes = (date - Date.now()) / 60_000;
  if (minutes > -1) return text("justNow");
  // Truncated, so that "60 minutes ago" never occurs.
  if (minutes > -60) return words.format(Math.trunc(minutes), "minute");
  if (minutes > -60 * 24) return words.format(Math.trunc(minutes / 60), "hour");
  // “Yesterday” is a day of the calendar.
  const days = Math.round((startOfDay(date) - startOfDay(Date.now())) / 86_400_000);
  if (days > -7) return words.format(days, "day");
  return dates.format(date);
}

/** Shows when something was shared or said. The time when a photo was taken is that of its place, so it stays. */
export function formatTimes(root = document) {
  for (const element of root.querySelectorAll("time:not([data-taken])")) {
    const date = new Date(element.dateTime);
    if (Number.isNaN(date.getTime())) continue;
    element.textContent = relativeTime(date);
    element.title = moments.format(date);
  }
}

setInterval(formatTimes, 60_000);
