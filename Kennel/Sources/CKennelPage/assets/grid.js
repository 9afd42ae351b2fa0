// The grid. It loads older photos while scrolling, and shows new ones as they arrive. The tiles come from the pages
// that a reader without scripts would visit.

import { takeHearts } from "./hearts.js";
import { fadeIn } from "./pictures.js";
import { address, onRefresh, refresh } from "./refresh.js";
import { page } from "./requests.js";
import { monthName } from "./times.js";
import { toast } from "./toasts.js";

const grid = document.getElementById("grid");
const more = document.querySelector(".more");
const news = document.getElementById("news");
const { place } = document.body.dataset;
const isFirst = !/[?&](before|month)=/.test(location.search);
const maximumPages = 20;
const waiting = new Set();
let loading = null;
let isHeld = false;

const tiles = (root) => [...root.querySelectorAll("#grid > .tile")];
const isCalm = matchMedia("(prefers-reduced-motion: reduce)");

export const tileOf = (post) => grid?.querySelector(`[data-post="${post}"]`);

/** Returns the tile after or before another one, or null. */
export function neighbour(tile, isOlder) {
  let next = tile;
  do next = isOlder ? next?.nextElementSibling : next?.previousElementSibling;
  while (next && !next.matches(".tile"));
  return next ?? null;
}

/** Puts the headings of the months between the tiles. */
function divide() {
  for (const heading of grid.querySelectorAll(".month")) {
    const { month } = heading.dataset;
    const isWanted = heading.nextElementSibling?.dataset.month === month
      && neighbour(heading, false)?.dataset.month !== month;
    if (isWanted) continue;
    heading.previousElementSibling.remove();
    heading.remove();
  }
  for (const tile of tiles(document)) {
    const { month } = tile.dataset;
    if (tile.previousElementSibling?.dataset.month === month) continue;
    const rest = document.createElement("li");
    rest.className = "rest";
    rest.setAttribute("aria-hidden", "true");
    const heading = document.createElement("li");
    heading.className = "month";
    heading.dataset.month = month;
    const title = heading.appendChild(document.createElement("h2"));
    title.tabIndex = -1;
    title.textContent = monthName(month);
    tile.before(rest, heading);
  }
}

/** Takes what has changed of a tile from a newer document. */
function takeChanges(tile, newer) {
  takeHearts(newer.querySelector(".heart"));
  tile.dataset.month = newer.dataset.month;
  const [picture, changed] = [tile.querySelector(".sharp"), newer.querySelector(".sharp")];
  if (picture.alt === changed.alt) return;
  picture.alt = changed.alt;
  tile.querySelector(".about").replaceWith(document.adoptNode(newer.querySelector(".about")));
}

function adopt(tile, isNew = false) {
  const own = document.adoptNode(tile);
  fadeIn(own);
  if (isNew) {
    own.classList.add("new");
    own.addEventListener("animationend", () => own.classList.remove("new"), { once: true });
  }
  return own;
}

function adoptEnds(found) {
  more?.replaceChildren(...document.adoptNode(found.querySelector(".more") ?? document.createElement("nav")).childNodes);
  const link = more?.querySelector("a");
  if (link) nearing.observe(link);
}

function adoptEmptiness(found) {
  const shown = document.querySelector("main > .empty");
  const empty = grid.querySelector(".tile") ? null : found?.querySelector("main > .empty");
  if (shown && !shown.isSameNode(empty)) shown.remove();
  if (empty) grid.after(document.adoptNode(empty));
}

/** Loads the older photos that the page links to. Returns false if there are none. */
export function loadOlder() {
  const link = more?.querySelector("a");
  if (!link) return Promise.resolve(false);
  loading ??= (async () => {
    try {
      const found = await page(link.href);
      grid.append(...tiles(found).filter((tile) => !tileOf(tile.dataset.post)).map((tile) => adopt(tile)));
      divide();
      adoptEnds(found);
      return true;
    } catch (problem) {
      link.textContent = "Try again to load older photos";
      toast(problem.message);
      return false;
    } finally {
      loading = null;
    }
  })();
  return loading;
}

const nearing = new IntersectionObserver(
  (entries, observer) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      observer.unobserve(target); // after a failure, the reader clicks the link
      loadOlder();
    }
  },
  { rootMargin: "1200px" },
);

/** Updates the grid from a newer page, and from following pages up to the current length. */
async function takeGrid(newer) {
  if (!grid) return;
  const wanted = tiles(newer);
  const shown = tiles(document).length;
  let last = newer;
  for (let pages = 1; wanted.length < shown && pages < maximumPages; pages++) {
    const next = last.querySelector(".more a");
    if (!next) break;
    last = await page(next.getAttribute("href"));
    wanted.push(...tiles(last));
  }
  arrange(wanted);
  adoptEnds(last);
  adoptEmptiness(newer);
  forgetNews();
}

function arrange(wanted) {
  let at = grid.querySelector(".tile");
  for (const tile of wanted) {
    const known = tileOf(tile.dataset.post);
    if (known) takeChanges(known, tile);
    if (known && known === at) at = neighbour(at, true);
    else grid.insertBefore(known ?? adopt(tile), at);
  }
  while (at) {
    const gone = at;
    at = neighbour(at, true);
    gone.remove();
  }
  divide();
}

function forgetNews() {
  waiting.clear();
  updateNotice();
}

/** Hides the notice about new photos while `held` is true. */
export function holdNews(held) {
  isHeld = held;
  updateNotice();
}

function updateNotice() {
  news.hidden = isHeld || waiting.size === 0;
  if (waiting.size) news.textContent = waiting.size === 1 ? "1 new photo" : `${waiting.size} new photos`;
}

/** Shows a notice about a new post. The grid does not move until the reader clicks it. */
export function announce(post) {
  if (place !== "photos" || tileOf(post)) return;
  waiting.add(post);
  updateNotice();
}

/** Shows new photos: at the top, or among the older ones if they were taken earlier. */
export async function showNews() {
  if (place !== "photos" || !isFirst) {
    location.assign("/");
    return;
  }
  const found = await page(address);
  const newest = tiles(found);
  const fresh = newest.filter((tile) => !tileOf(tile.dataset.post));
  const isOnTop = fresh.every((tile, index) => tile === newest[index]);
  const isComplete = [...waiting].every((post) => tileOf(post) || fresh.some((tile) => Number(tile.dataset.post) === post));
  // More than one page of new photos would leave a gap.
  const isGap = fresh.length && fresh.length === newest.length && grid.querySelector(".tile");
  if (isGap || !isOnTop || !isComplete) {
    await refresh();
  } else {
    grid.prepend(...fresh.map((tile) => adopt(tile, true)));
    divide();
  }
  adoptEmptiness(null);
  if (!more.querySelector("a") && tiles(document).length === fresh.length) adoptEnds(found);
  forgetNews();
}

export function removePost(post) {
  waiting.delete(post);
  updateNotice();
  const tile = tileOf(post);
  if (!tile) return;
  const finish = () => {
    tile.remove();
    divide();
    if (!grid.querySelector(".tile") && !more.querySelector("a")) refresh().catch(() => {});
  };
  if (isCalm.matches) return finish();
  tile.classList.add("leaving");
  setTimeout(finish, 220);
}

onRefresh(takeGrid);

news.addEventListener("click", async () => {
  const posts = [...waiting];
  try {
    await showNews();
    const shown = posts.map(tileOf).filter(Boolean);
    const top = grid.querySelector(".tile");
    // The new photos may be among older ones.
    const first = !shown.length || shown.includes(top) ? top : shown[0];
    const behavior = isCalm.matches ? "auto" : "smooth";
    if (first === top) scrollTo({ top: 0, behavior });
    else first.scrollIntoView({ block: "center", behavior });
    first?.querySelector(".open").focus({ preventScroll: true });
    if (posts.length && !shown.length) toast("The new photos were taken earlier than those shown here.");
  } catch (problem) {
    toast(problem.message);
  }
});

more?.addEventListener("click", (event) => {
  if (!event.target.closest("a")) return;
  event.preventDefault();
  loadOlder();
});

const link = more?.querySelector("a");
if (link) nearing.observe(link);
