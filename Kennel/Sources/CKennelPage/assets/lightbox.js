// A photo over the grid. The address bar shows its address, the Back button closes it, and arrow keys and swipes show
// the next one.

import { keepUnfinishedComment } from "./comments.js";
import { loadOlder } from "./grid.js";
import { fadeIn } from "./pictures.js";
import { address, onRefresh } from "./refresh.js";
import { page } from "./requests.js";
import { neighbour, tileOf } from "./tiles.js";
import { formatTimes } from "./times.js";
import { toast } from "./toasts.js";

const dialog = document.getElementById("lightbox");
const place = dialog.querySelector(".place");
const announcement = dialog.querySelector("[aria-live]");
const previous = dialog.querySelector(".previous");
const next = dialog.querySelector(".next");
const gridTitle = document.title;
const hasGrid = Boolean(document.getElementById("grid"));
let shown = null;

const idOf = (tile) => tile && Number(tile.dataset.post);
const newer = () => neighbour(tileOf(shown), false);
const older = () => neighbour(tileOf(shown), true);

/** Builds a first view immediately from the grid: the frame with the picture in its current quality. */
function sketch(tile) {
  const article = document.createElement("article");
  article.className = "photo";
  const stage = article.appendChild(document.createElement("div"));
  stage.className = "stage";
  const frame = stage.appendChild(document.createElement("div"));
  frame.className = tile.className.replace("tile", "frame");
  const sharp = tile.querySelector(".sharp");
  const known = sharp.complete && sharp.currentSrc ? sharp.currentSrc : tile.querySelector(".soft")?.src;
  if (known) {
    const picture = frame.appendChild(document.createElement("img"));
    picture.className = "soft";
    picture.alt = "";
    picture.src = known;
  }
  article.appendChild(document.createElement("div")).className = "details";
  return article;
}

function fill(found) {
  const article = document.adoptNode(found.querySelector("article.photo"));
  // A video that is already there keeps its position.
  const video = place.querySelector("video.sharp");
  const same = article.querySelector("video.sharp");
  if (video && same && video.currentSrc === new URL(same.getAttribute("src"), location).href) same.replaceWith(video);
  const frame = place.querySelector(".frame");
  if (frame?.querySelector(".soft")) {
    // The grid's picture is sharper than the placeholder, so it stays below until the large one is loaded.
    const full = article.querySelector(".frame");
    frame.className = `${full.className} ${frame.classList.contains("grown") ? "grown" : ""}`;
    frame.querySelector(".sharp")?.remove();
    frame.append(full.querySelector(".sharp"));
    article.querySelector(".stage").replaceWith(frame.parentElement);
  }
  place.replaceChildren(keepUnfinishedComment(place, article));
  fadeIn(place);
  formatTimes(place);
}

/** Animates the picture from its place in the grid to its full size. */
function grow(from) {
  const frame = place.querySelector(".frame");
  const to = frame?.getBoundingClientRect();
  if (!from || !to?.width || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const scale = Math.max(from.width / to.width, from.height / to.height);
  const x = from.left + from.width / 2 - to.left - to.width / 2;
  const y = from.top + from.height / 2 - to.top - to.height / 2;
  frame.classList.add("grown");
  dialog.classList.add("growing");
  const motion = frame.animate(
    [{ transform: `translate(${x}px, ${y}px) scale(${scale})` }, { transform: "none" }],
    { duration: 280, easing: "cubic-bezier(0.2, 0.7, 0.2, 1)" },
  );
  motion.onfinish = motion.oncancel = () => dialog.classList.remove("growing");
}

async function show(post) {
  shown = post;
  const tile = tileOf(post);
  const start = dialog.open ? null : tile?.getBoundingClientRect();
  place.replaceChildren(...(tile ? [sketch(tile)] : []));
  dialog.scrollTop = 0;
  previous.disabled = !newer();
  next.disabled = !older() && !document.querySelector(".more a");
  if (!dialog.open) {
    dialog.showModal();
    dialog.focus();
    grow(start);
  } else if (!dialog.contains(document.activeElement) || document.activeElement.disabled) {
    // The focused element is gone. The dialog takes the focus, so that keys still work.
    dialog.focus();
  }
  try {
    const found = await page(`/photos/${post}`);
    if (shown !== post) return;
    fill(found);
    document.title = found.title;
    announcement.textContent = found.querySelector("article h1")?.textContent ?? "";
    for (const neighbour of [older(), newer()]) if (neighbour) prepare(neighbour);
  } catch (problem) {
    if (shown !== post) return;
    toast(problem.message);
    if (problem.status === 404) close();
  }
}

/** Preloads the picture of a neighbour. */
function prepare(tile) {
  const picture = new Image();
  picture.sizes = "(min-width: 60em) calc(100vw - 24rem), 100vw";
  picture.srcset = tile.querySelector(".sharp").srcset;
}

function hide() {
  const tile = tileOf(shown);
  shown = null;
  if (dialog.open) dialog.close();
  place.replaceChildren();
  announcement.textContent = "";
  document.title = gridTitle;
  const link = tile?.querySelector(".open");
  // What is hidden cannot have the focus.
  tile?.classList.remove("held");
  tile?.scrollIntoView({ block: "nearest" });
  link?.focus({ preventScroll: true });
}

export function close() {
  if (history.state?.photo) history.back();
  else hide();
}

/** The photo that is open over the grid, or null if there is none. */
export const shownPost = () => shown;

/** Shows the next photo after the open one was deleted, or closes the dialog if there is none. */
export function leave(post) {
  if (shown !== post) return;
  const tile = older() ?? newer();
  if (tile) go(tile);
  else close();
}

function go(tile) {
  const post = idOf(tile);
  history.replaceState({ photo: post }, "", `/photos/${post}`);
  return show(post);
}

async function step(isOlder) {
  if (isOlder && !older()) await loadOlder();
  const tile = isOlder ? older() : newer();
  if (tile) await go(tile);
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("#grid .open");
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!link || !isPlain) return;
  event.preventDefault();
  const post = idOf(link.closest(".tile"));
  history.pushState({ photo: post }, "", `/photos/${post}`);
  show(post);
});

addEventListener("popstate", (event) => {
  // After a reload, a photo has its own page, so the grid has to be loaded again. A link within a page, such as the one that
  // skips the bar, keeps the address.
  if (!hasGrid) {
    if (location.pathname + location.search !== address) location.reload();
  } else if (event.state?.photo) show(event.state.photo);
  else if (shown !== null) hide();
});

dialog.addEventListener("cancel", (event) => {
  if (event.target !== dialog) return;
  event.preventDefault();
  // If a comment has been started, Escape only leaves the text field.
  const field = document.activeElement;
  if (field.localName === "textarea" && field.value) field.blur();
  else close();
});
// A browser may close the dialog without a cancel event. The event may arrive late, when the dialog is open again.
dialog.addEventListener("close", (event) => {
  if (event.target === dialog && shown !== null && !dialog.open) close();
});
dialog.querySelector("[data-close]").addEventListener("click", close);
previous.addEventListener("click", () => step(false));
next.addEventListener("click", () => step(true));
dialog.addEventListener("keydown", (event) => {
  if (event.target.closest("textarea, input, video") || event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.key === "ArrowLeft") step(false);
  if (event.key === "ArrowRight") step(true);
});

onRefresh(async () => {
  if (shown === null) return;
  const post = shown;
  const found = await page(`/photos/${post}`);
  if (shown === post) fill(found);
});

// Horizontal swipes. The browser handles vertical ones.

const far = 60;
let swipe = null;

dialog.addEventListener("pointerdown", (event) => {
  const frame = event.pointerType === "touch" && event.isPrimary ? place.querySelector(".frame") : null;
  swipe = frame && event.target.closest(".stage") && event.target.localName !== "video" ? { frame, x: event.clientX } : null;
});
dialog.addEventListener("pointermove", (event) => {
  if (!swipe || !event.isPrimary) return;
  dialog.classList.add("dragging");
  swipe.frame.style.setProperty("--x", `${event.clientX - swipe.x}px`);
});
function endSwipe(event, isDone) {
  if (!swipe) return;
  const { frame, x } = swipe;
  const distance = event.clientX - x;
  swipe = null;
  dialog.classList.remove("dragging");
  const hasNeighbour = distance < 0 ? !next.disabled : !previous.disabled;
  if (isDone && hasNeighbour && Math.abs(distance) > far) return step(distance < 0);
  frame.parentElement.classList.add("settling");
  frame.addEventListener("transitionend", () => frame.parentElement?.classList.remove("settling"), { once: true });
  frame.style.removeProperty("--x");
}
dialog.addEventListener("pointerup", (event) => endSwipe(event, true));
dialog.addEventListener("pointercancel", (event) => endSwipe(event, false));
