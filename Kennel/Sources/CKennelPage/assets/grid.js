// The grid. It loads older photos while scrolling, and shows new ones as they arrive. The tiles come from the pages
// that a reader without scripts would visit.

import { takeHearts } from "./hearts.js";
import { fadeIn } from "./pictures.js";
import { address, onRefresh, refresh, refreshSoon } from "./refresh.js";
import { page } from "./requests.js";
import { text } from "./texts.js";
import { hasGaps, isShown, markOutdated, onReturn, plan, segment, tileOf, tilesIn } from "./tiles.js";
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

const isCalm = matchMedia("(prefers-reduced-motion: reduce)");

/** Returns the month of the photo before an item. */
function monthBefore(item) {
  let before = item.previousElementSibling;
  while (before && !before.matches(".tile, .gap")) before = before.previousElementSibling;
  return before?.dataset.month;
}

/** Puts the headings of the months between the tiles. */
function divide() {
  for (const heading of grid.querySelectorAll(".month")) {
    const { month } = heading.dataset;
    const after = heading.nextElementSibling?.dataset;
    const isWanted = (after?.first ?? after?.month) === month
      && monthBefore(heading) !== month;
    if (isWanted) continue;
    if (heading.previousElementSibling?.matches(".rest")) heading.previousElementSibling.remove();
    heading.remove();
  }
  for (const tile of tilesIn()) {
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

/** Hides the last row while more photos follow: its photos move when the row is completed. So does the link, which is only
 * needed if loading fails. */
function holdLastRow() {
  const link = more?.querySelector("a");
  const isFollowed = Boolean(link) && !link.dataset.failed;
  for (const tile of grid?.querySelectorAll(".held") ?? []) tile.classList.remove("held");
  more?.classList.toggle("held", isFollowed);
  const last = grid?.lastElementChild;
  for (let tile = last; isFollowed && tile?.matches(".tile") && tile.offsetTop === last.offsetTop; tile = tile.previousElementSibling) {
    tile.classList.add("held");
  }
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
  holdLastRow();
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
      grid.append(...tilesIn(found).filter((tile) => !isShown(Number(tile.dataset.post))).map((tile) => adopt(tile)));
      divide();
      adoptEnds(found);
      plan();
      return true;
    } catch (problem) {
      link.textContent = text("loadAgain");
      link.dataset.failed = "";
      holdLastRow();
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
  if (hasGaps()) {
    await takeSegment();
    return forgetNews();
  }
  const wanted = tilesIn(newer);
  const shown = tilesIn().length;
  let last = newer;
  for (let pages = 1; wanted.length < shown && pages < maximumPages; pages++) {
    const next = last.querySelector(".more a");
    if (!next) break;
    last = await page(next.getAttribute("href"));
    wanted.push(...tilesIn(last));
  }
  arrange(wanted, tilesIn(), null);
  adoptEnds(last);
  adoptEmptiness(newer);
  forgetNews();
}

/** Updates the photos around the window, up to those that are taken out of the document. Others follow when they return. */
async function takeSegment(isTop = false) {
  markOutdated();
  const { tiles, isAfterGap, after, end } = segment(isTop);
  // After a gap, the first photo stays: what follows it is known.
  const [first, ...others] = tiles;
  const shown = isAfterGap ? others : tiles;
  let next = isAfterGap ? `${address.split("?")[0]}?before=${first.dataset.position}` : address;
  const wanted = [];
  let last = null;
  let isComplete = false;
  for (let pages = 0; next && !isComplete && pages < maximumPages; pages++) {
    last = await page(next);
    const found = tilesIn(last);
    const index = found.findIndex((tile) => Number(tile.dataset.post) === end);
    wanted.push(...(index < 0 ? found : found.slice(0, index)));
    next = last.querySelector(".more a")?.getAttribute("href");
    isComplete = after ? index >= 0 : !next || wanted.length >= shown.length;
  }
  // The reader may have moved on meanwhile.
  if (!isComplete || [...tiles, after].some((item) => item && !item.isConnected)) return;
  arrange(wanted, shown, after);
  if (!after) adoptEnds(last);
}

/** Gives the photos of a part of the grid the order and the contents of newer ones. */
function arrange(wanted, shown, after) {
  const rest = shown.filter((tile) => tile.isConnected);
  for (const tile of wanted) {
    const known = tileOf(tile.dataset.post);
    if (known) takeChanges(known, tile);
    if (known && known === rest[0]) rest.shift();
    else {
      if (rest.includes(known)) rest.splice(rest.indexOf(known), 1);
      grid.insertBefore(known ?? adopt(tile), rest[0] ?? after);
    }
  }
  for (const gone of rest) gone.remove();
  divide();
  plan();
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
  if (waiting.size) news.textContent = text("newPhotos", { count: waiting.size });
}

/** Shows a notice about a new post. The grid does not move until the reader clicks it. */
export function announce(post) {
  if (place !== "photos" || isShown(post)) return;
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
  const newest = tilesIn(found);
  const fresh = newest.filter((tile) => !isShown(Number(tile.dataset.post)));
  const isOnTop = fresh.every((tile, index) => tile === newest[index]);
  const isComplete = [...waiting].every((post) => isShown(post) || fresh.some((tile) => Number(tile.dataset.post) === post));
  // More than one page of new photos would leave a gap.
  const isGap = fresh.length && fresh.length === newest.length && grid.querySelector(".tile");
  if (isGap || !isOnTop || !isComplete) {
    await refresh();
    if (hasGaps()) await takeSegment(true);
  } else {
    grid.prepend(...fresh.map((tile) => adopt(tile, true)));
    divide();
  }
  adoptEmptiness(null);
  if (!more.querySelector("a") && !hasGaps() && tilesIn().length === fresh.length) adoptEnds(found);
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
    if (!grid.querySelector(".tile, .gap") && !more.querySelector("a")) refresh().catch(() => {});
  };
  if (isCalm.matches) return finish();
  tile.classList.add("leaving");
  setTimeout(finish, 220);
}

onRefresh(takeGrid);
onReturn((tile, isOutdated) => isOutdated && refreshSoon());

news.addEventListener("click", async () => {
  const posts = [...waiting];
  try {
    await showNews();
    const shown = posts.map(tileOf).filter(Boolean);
    const top = grid.querySelector(".tile, .gap");
    // The new photos may be among older ones.
    const first = !shown.length || shown.includes(top) ? top : shown[0];
    const behavior = isCalm.matches ? "auto" : "smooth";
    if (first === top) scrollTo({ top: 0, behavior });
    else first.scrollIntoView({ block: "center", behavior });
    first?.classList.remove("held");
    first?.querySelector(".open")?.focus({ preventScroll: true });
    if (posts.length && !shown.length) toast(text("newPhotosEarlier"));
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
holdLastRow();
addEventListener("resize", holdLastRow);
