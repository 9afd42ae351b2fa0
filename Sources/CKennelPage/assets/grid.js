// The grid: older photos as one scrolls, and new ones when they come. Tiles are taken from the pages that a reader
// without scripts would go to.

import { address, lookAnew, onAnew } from "./anew.js";
import { takeHearts } from "./hearts.js";
import { softly } from "./pictures.js";
import { page } from "./requests.js";
import { toast } from "./toasts.js";

const grid = document.getElementById("grid");
const more = document.querySelector(".more");
const news = document.getElementById("news");
const { place } = document.body.dataset;
const isFirst = !new URLSearchParams(location.search).has("before");
const mostPages = 20;
const waiting = new Set();
let loading = null;
let isHeld = false;

const tiles = (root) => [...root.querySelectorAll("#grid > .tile")];
const isCalm = matchMedia("(prefers-reduced-motion: reduce)");

export const tileOf = (post) => grid?.querySelector(`[data-post="${post}"]`);

function adopt(tile, isNew = false) {
  const own = document.adoptNode(tile);
  softly(own);
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
  const empty = grid.children.length ? null : found?.querySelector("main > .empty");
  if (shown && !shown.isSameNode(empty)) shown.remove();
  if (empty) grid.after(document.adoptNode(empty));
}

/** Loads the older photos that the page links to; false when there are none. */
export function loadOlder() {
  const link = more?.querySelector("a");
  if (!link) return Promise.resolve(false);
  loading ??= (async () => {
    try {
      const found = await page(link.href);
      grid.append(...tiles(found).filter((tile) => !tileOf(tile.dataset.post)).map((tile) => adopt(tile)));
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
      observer.unobserve(target); // a link that fails is for a click
      loadOlder();
    }
  },
  { rootMargin: "1200px" },
);

/** Makes the grid like a newer one, as long as it is here. */
async function takeGrid(newer) {
  if (!grid) return;
  const wanted = tiles(newer);
  const shown = grid.children.length;
  let last = newer;
  for (let pages = 1; wanted.length < shown && pages < mostPages; pages++) {
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
  let at = grid.firstElementChild;
  for (const tile of wanted) {
    const known = tileOf(tile.dataset.post);
    if (known) takeHearts(tile.querySelector(".heart"));
    if (known && known === at) at = at.nextElementSibling;
    else grid.insertBefore(known ?? adopt(tile), at);
  }
  while (at) {
    const gone = at;
    at = at.nextElementSibling;
    gone.remove();
  }
}

function forgetNews() {
  waiting.clear();
  tellNews();
}

/** Keeps what is new to itself for a while. */
export function holdNews(held) {
  isHeld = held;
  tellNews();
}

function tellNews() {
  news.hidden = isHeld || waiting.size === 0;
  if (waiting.size) news.textContent = waiting.size === 1 ? "1 new photo" : `${waiting.size} new photos`;
}

/** Somebody has posted: says so, and leaves it to the reader when the grid moves. */
export function announce(post) {
  if (place !== "photos" || tileOf(post)) return;
  waiting.add(post);
  tellNews();
}

/** Puts new photos at the top. */
export async function showNews() {
  if (place !== "photos" || !isFirst) {
    location.assign("/");
    return;
  }
  const found = await page(address);
  const fresh = tiles(found).filter((tile) => !tileOf(tile.dataset.post));
  // More than a page of them: there would be a gap.
  if (fresh.length && fresh.length === tiles(found).length && grid.children.length) await lookAnew();
  else grid.prepend(...fresh.map((tile) => adopt(tile, true)));
  adoptEmptiness(null);
  if (!more.querySelector("a") && grid.children.length === fresh.length) adoptEnds(found);
  forgetNews();
}

export function removePost(post) {
  waiting.delete(post);
  tellNews();
  const tile = tileOf(post);
  if (!tile) return;
  const finish = () => {
    tile.remove();
    if (!grid.children.length && !more.querySelector("a")) lookAnew().catch(() => {});
  };
  if (isCalm.matches) return finish();
  tile.classList.add("leaving");
  setTimeout(finish, 220);
}

onAnew(takeGrid);

news.addEventListener("click", async () => {
  try {
    await showNews();
    scrollTo({ top: 0, behavior: isCalm.matches ? "auto" : "smooth" });
    grid.querySelector(".open")?.focus({ preventScroll: true });
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
