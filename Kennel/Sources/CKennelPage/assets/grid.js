// The grid. It loads older photos while scrolling, and shows new ones as they arrive. The tiles come from the pages
// that a reader without scripts would visit.

import { takeHearts } from "./hearts.js";
import { fadeIn } from "./pictures.js";
import { address, onRefresh, refresh } from "./refresh.js";
import { page } from "./requests.js";
import { toast } from "./toasts.js";

const grid = document.getElementById("grid");
const more = document.querySelector(".more");
const news = document.getElementById("news");
const { place } = document.body.dataset;
const isFirst = !new URLSearchParams(location.search).has("before");
const maximumPages = 20;
const waiting = new Set();
let loading = null;
let isHeld = false;

const tiles = (root) => [...root.querySelectorAll("#grid > .tile")];
const isCalm = matchMedia("(prefers-reduced-motion: reduce)");

export const tileOf = (post) => grid?.querySelector(`[data-post="${post}"]`);

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
  const empty = grid.children.length ? null : found?.querySelector("main > .empty");
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
  const shown = grid.children.length;
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

/** Adds new photos at the top. */
export async function showNews() {
  if (place !== "photos" || !isFirst) {
    location.assign("/");
    return;
  }
  const found = await page(address);
  const fresh = tiles(found).filter((tile) => !tileOf(tile.dataset.post));
  // More than one page of new photos would leave a gap.
  if (fresh.length && fresh.length === tiles(found).length && grid.children.length) await refresh();
  else grid.prepend(...fresh.map((tile) => adopt(tile, true)));
  adoptEmptiness(null);
  if (!more.querySelector("a") && grid.children.length === fresh.length) adoptEnds(found);
  forgetNews();
}

export function removePost(post) {
  waiting.delete(post);
  updateNotice();
  const tile = tileOf(post);
  if (!tile) return;
  const finish = () => {
    tile.remove();
    if (!grid.children.length && !more.querySelector("a")) refresh().catch(() => {});
  };
  if (isCalm.matches) return finish();
  tile.classList.add("leaving");
  setTimeout(finish, 220);
}

onRefresh(takeGrid);

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
