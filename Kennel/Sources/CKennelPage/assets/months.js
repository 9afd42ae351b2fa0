// The list of months: it shows the month that the reader is looking at, and scrolls to months that are already loaded.

import { onRefresh } from "./refresh.js";
import { text } from "./texts.js";
import { headingOf, tilesIn } from "./tiles.js";
import { monthName } from "./times.js";

const list = document.querySelector(".months details");
const grid = document.getElementById("grid");
let isPlanned = false;

/** The month at the top of the window. */
function monthAtTop() {
  const edge = document.querySelector(".bar").getBoundingClientRect().bottom + 64;
  const all = [...grid.querySelectorAll(".month, .tile")];
  return (all.findLast((item) => item.getBoundingClientRect().top <= edge) ?? all[0])?.dataset.month;
}

function showMonth() {
  isPlanned = false;
  const month = monthAtTop();
  if (!month) return;
  // At the top, the heading itself is next to the list.
  const now = list.querySelector(".now");
  now.classList.toggle("named", scrollY > 64);
  now.textContent = scrollY > 64 ? monthName(month) : text("months");
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
  const heading = headingOf(month);
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
