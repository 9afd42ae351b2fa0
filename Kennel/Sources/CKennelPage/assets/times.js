// Shows relative times and dates in the reader's time zone.

const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const dates = new Intl.DateTimeFormat("en-GB", { dateStyle: "long" });
const moments = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "short" });

function relativeTime(date) {
  const minutes = (date - Date.now()) / 60_000;
  if (minutes > -1) return "just now";
  // Truncated, so that "60 minutes ago" never occurs.
  if (minutes > -60) return words.format(Math.trunc(minutes), "minute");
  if (minutes > -60 * 24) return words.format(Math.trunc(minutes / 60), "hour");
  if (minutes > -60 * 24 * 7) return words.format(Math.trunc(minutes / 60 / 24), "day");
  return dates.format(date);
}

export function formatTimes(root = document) {
  for (const element of root.querySelectorAll("time")) {
    const date = new Date(element.dateTime);
    if (Number.isNaN(date.getTime())) continue;
    element.textContent = relativeTime(date);
    element.title = moments.format(date);
  }
}

setInterval(formatTimes, 60_000);
