// The list of months: it shows the month that the reader is looking at, and scrolls to months that are already loaded.

import { onRefresh } from "./refresh.js";
import { monthName } from "./times.js";

const list = document.querySelector(".months details");
const grid = document.getElementById("grid");
let isPlanned = false;

/** The heading of the month at the top of the window. */
function headingAtTop() {
  const edge = document.querySelector(".bar").getBoundingClientRect().bottom + 64;
  const headings = [...grid.querySelectorAll(".month")];
  return headings.findLast((heading) => heading.getBoundingClientRect().top <= edge) ?? headings[0];
}

function showMonth() {
  isPlanned = false;
  const heading = headingAtTop();
  if (!heading) return;
  const { month } = heading.dataset;
  // At the top, the heading itself is next to the list.
  list.querySelector(".now").textContent = scrollY > 64 ? monthName(month) : "Months";
  for (const link of list.querySelectorAll(".years a")) {
    if (link.dataset.month === month) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

function plan() {
  if (isPlanned) return;
  isPlanned = true;
  requestAnimationFrame(showMonth);
}

function close() {
  if (!list.open) return;
  const hasFocus = list.contains(document.activeElement);
  list.open = false;
  if (hasFocus) list.querySelector("summary").focus();
}

/** Scrolls to a month. Returns false if its first photo is not loaded. */
function scrollToMonth(month) {
  const heading = grid.querySelector(`.month[data-month="${month}"]`);
  if (!heading) return false;
  close();
  heading.scrollIntoView({ block: "start" });
  heading.querySelector("h2").focus({ preventScroll: true });
  return true;
}

if (list) {
  addEventListener("scroll", plan, { passive: true });
  document.addEventListener("click", (event) => {
    if (!list.contains(event.target)) return close();
    const link = event.target.closest(".years a");
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (link && isPlain && scrollToMonth(link.dataset.month)) event.preventDefault();
  });
  list.addEventListener("keydown", (event) => event.key === "Escape" && close());
  list.addEventListener("toggle", () => {
    if (!list.open) return;
    showMonth();
    list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  });
  onRefresh((found) => {
    const newer = found.querySelector(".months .years");
    if (newer) list.querySelector(".years").replaceWith(document.adoptNode(newer));
    plan();
  });
}
