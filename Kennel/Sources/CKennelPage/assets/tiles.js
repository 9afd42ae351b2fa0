// The photos of the grid. Rows far above or below the window are taken out of the document, so that it stays small, and put
// back before the reader gets there. An item of the same height, a gap, takes their place. What is taken out is kept as
// markup, because elements would keep their pictures in memory.

import { fadeIn } from "./pictures.js";

const grid = document.getElementById("grid");
/** The distances from the window, in pixels, at which rows are taken out and put back. */
const far = 3000;
const near = 1500;
/** Fewer photos are not worth a gap. */
const minimumCount = 48;
/** What is taken out, by its gap. */
const stored = new Map();
const returning = [];
const template = document.createElement("template");
let isPlanned = false;

const isTile = (item) => Boolean(item?.matches(".tile"));
const idOf = (tile) => Number(tile.dataset.post);
const isGap = (item) => stored.has(item);

/** Registers a function that is called with each photo that is put back. */
export const onReturn = (part) => returning.push(part);

/** The photos in the document. */
export const tilesIn = (root = document) => [...root.querySelectorAll("#grid > .tile")];

/** The ids of all photos, in their order. */
export function allPosts() {
  return [...(grid?.children ?? [])].flatMap((item) => (isTile(item) ? [idOf(item)] : stored.get(item)?.posts ?? []));
}

const gapOf = (post) => [...stored].find(([, { posts }]) => posts.includes(post))?.[0];

export const isShown = (post) => Boolean(grid?.querySelector(`.tile[data-post="${post}"]`) || gapOf(post));

/** Returns the photo of a post, which is put back if it was taken out, or null. */
export function tileOf(post) {
  const find = () => grid?.querySelector(`.tile[data-post="${post}"]`) ?? null;
  const gap = find() ? null : gapOf(post);
  if (gap) putBack(gap);
  return find();
}

/** Returns the photo after or before another one, or null. It is put back if it was taken out. */
export function neighbour(tile, isOlder) {
  const move = (item) => (isOlder ? item?.nextElementSibling : item?.previousElementSibling);
  let next = move(tile);
  while (next && !isTile(next)) {
    if (isGap(next)) {
      const [first, last] = putBack(next);
      next = isOlder ? first : last;
    } else next = move(next);
  }
  return next ?? null;
}

/** Returns the heading of a month, or null if it is not in the grid. */
export function headingOf(month) {
  const find = () => grid.querySelector(`.month[data-month="${month}"]`);
  const gap = find() ? null : [...stored.keys()].find((one) => stored.get(one).months.includes(month));
  if (gap) putBack(gap);
  return find();
}

/** Whether there are gaps in the document. */
export const hasGaps = () => stored.size > 0;

/** Notes that what is taken out may have changed since. */
export function markOutdated() {
  for (const entry of stored.values()) entry.isOutdated = true;
}

/** Returns the photos between two gaps: those around the middle of the window, or the first ones. They are put back if
 * necessary. With them: whether a gap comes before them, the gap after them or null, and its first post. */
export function segment(isTop) {
  const middle = innerHeight / 2;
  const at = isTop ? 0 : [...grid.children].findLastIndex((item) => item.getBoundingClientRect().top <= middle);
  const item = grid.children[Math.max(at, 0)];
  const inside = isGap(item) ? putBack(item)[0] : item;
  const items = [...grid.children];
  let from = items.indexOf(inside);
  let to = from;
  while (from > 0 && !isGap(items[from - 1])) from -= 1;
  while (to < items.length && !isGap(items[to])) to += 1;
  const after = items[to] ?? null;
  return { tiles: items.slice(from, to).filter(isTile), isAfterGap: from > 0, after, end: stored.get(after)?.posts[0] };
}

/** Where the item after a change is. A change that leaves this as it is moves nothing. */
const edge = (following) => (following ? following.getBoundingClientRect().top : grid.getBoundingClientRect().bottom) + scrollY;

/** Takes complete rows out of the document. */
function takeOut(items) {
  const tiles = items.filter(isTile);
  const following = items.at(-1).nextElementSibling;
  const before = edge(following);
  const gap = document.createElement("li");
  gap.className = "gap";
  gap.setAttribute("aria-hidden", "true");
  gap.dataset.first = tiles[0].dataset.month;
  gap.dataset.month = tiles.at(-1).dataset.month;
  const height = before - items[0].getBoundingClientRect().top - scrollY;
  gap.style.height = `${height}px`;
  stored.set(gap, {
    posts: tiles.map(idOf),
    months: items.filter((item) => item.matches(".month")).map((heading) => heading.dataset.month),
    markup: items.map((item) => item.outerHTML).join(""),
    isOutdated: false,
  });
  items[0].before(gap);
  for (const item of items) item.remove();
  gap.style.height = `${height + before - edge(following)}px`;
}

/** Puts the rows of a gap back. Returns the first and the last photo. */
function putBack(gap) {
  const { markup, isOutdated } = stored.get(gap);
  stored.delete(gap);
  template.innerHTML = markup;
  const items = [...template.content.children];
  gap.replaceWith(...items);
  const tiles = items.filter(isTile);
  for (const tile of tiles) {
    fadeIn(tile);
    for (const part of returning) part(tile, isOutdated);
  }
  return [tiles[0], tiles.at(-1)];
}

/** The rows of the grid, each with its distance from the window. A gap is a row of its own. */
function rows() {
  const box = grid.getBoundingClientRect();
  // Of the items, only integers are known quickly, which suffices to recognize rows.
  const origin = box.top - grid.offsetTop;
  const found = [];
  for (const item of grid.children) {
    const y = item.offsetTop;
    const row = found.at(-1);
    if (row && row.y === y && !isGap(item)) row.items.push(item);
    else found.push({ y, items: [item] });
  }
  found.forEach((row, index) => {
    const start = origin + row.y;
    const end = index + 1 < found.length ? origin + found[index + 1].y : box.bottom;
    row.distance = Math.max(-end, start - innerHeight, 0);
  });
  return found;
}

/** Whether a row can be taken out. The last row may not be complete. What has the focus stays. */
const isRemovable = (row, last) =>
  row !== last && row.distance > far && !isGap(row.items[0]) && !row.items.some((item) => item.contains(document.activeElement));

/** Whether nothing else is left between two gaps, or before the first one. */
function isBetweenGaps(run) {
  const [before, after] = [run[0].previousElementSibling, run.at(-1).nextElementSibling];
  return (!before || isGap(before)) && isGap(after);
}

function update() {
  isPlanned = false;
  // While a photo is open, the rows around it must stay.
  if (document.getElementById("lightbox").open) return;
  const all = rows();
  let run = [];
  const finish = () => {
    // A heading stays with its photos.
    const heading = run.at(-1)?.matches(".month") ? [run.pop()] : [];
    const count = run.filter(isTile).length;
    if (count >= minimumCount || (count && isBetweenGaps(run))) takeOut(run);
    run = heading;
  };
  for (const row of all) {
    if (!isRemovable(row, all.at(-1))) {
      finish();
      run = [];
    } else {
      run.push(...row.items);
      if (run.filter(isTile).length >= 2 * minimumCount) finish();
    }
  }
  finish();
  for (const row of all) if (row.distance < near && isGap(row.items[0])) putBack(row.items[0]);
}

/** Plans to take out what is far from the window, and to put back what is near. */
export function plan() {
  if (isPlanned || !grid) return;
  isPlanned = true;
  requestAnimationFrame(update);
}

if (grid) {
  addEventListener("scroll", plan, { passive: true });
  let width = grid.offsetWidth;
  addEventListener("resize", () => {
    // The rows of a narrower grid are shorter, so it is higher.
    const change = width / (grid.offsetWidth || width);
    width = grid.offsetWidth || width;
    for (const gap of stored.keys()) gap.style.height = `${parseFloat(gap.style.height) * change}px`;
    plan();
  });
  // The next photo must be there before the focus moves.
  grid.addEventListener("keydown", (event) => {
    const tile = event.key === "Tab" && event.target.closest(".tile");
    if (tile) neighbour(tile, !event.shiftKey);
  });
}
