// A photo over the grid: its address is in the bar, the back button closes it, arrow keys and swipes go on.

import { onAnew } from "./anew.js";
import { keepWriting } from "./comments.js";
import { loadOlder, tileOf } from "./grid.js";
import { softly } from "./pictures.js";
import { page } from "./requests.js";
import { tellTimes } from "./times.js";
import { toast } from "./toasts.js";

const dialog = document.getElementById("lightbox");
const place = dialog.querySelector(".place");
const said = dialog.querySelector("[aria-live]");
const previous = dialog.querySelector(".previous");
const next = dialog.querySelector(".next");
const gridTitle = document.title;
const hasGrid = Boolean(document.getElementById("grid"));
let shown = null;

const idOf = (tile) => tile && Number(tile.dataset.post);
const newer = () => tileOf(shown)?.previousElementSibling;
const older = () => tileOf(shown)?.nextElementSibling;

/** At once, of what the grid already has: the frame with the picture as it is there. */
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
  const frame = place.querySelector(".frame");
  if (frame?.querySelector(".soft")) {
    // The grid's picture is sharper than the placeholder: it stays below until the large one is there.
    const full = article.querySelector(".frame");
    frame.className = `${full.className} ${frame.classList.contains("grown") ? "grown" : ""}`;
    frame.querySelector(".sharp")?.remove();
    frame.append(full.querySelector(".sharp"));
    article.querySelector(".stage").replaceWith(frame.parentElement);
  }
  place.replaceChildren(keepWriting(place, article));
  softly(place);
  tellTimes(place);
}

/** Has the picture grow out of its place in the grid. */
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
    // What had the focus is gone; keys go on being heard.
    dialog.focus();
  }
  try {
    const found = await page(`/photos/${post}`);
    if (shown !== post) return;
    fill(found);
    document.title = found.title;
    said.textContent = found.querySelector("article h1")?.textContent ?? "";
    for (const neighbour of [older(), newer()]) if (neighbour) prepare(neighbour);
  } catch (problem) {
    if (shown !== post) return;
    toast(problem.message);
    if (problem.status === 404) close();
  }
}

/** Fetches a neighbour's picture ahead. */
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
  said.textContent = "";
  document.title = gridTitle;
  const link = tile?.querySelector(".open");
  tile?.scrollIntoView({ block: "nearest" });
  link?.focus({ preventScroll: true });
}

export function close() {
  if (history.state?.photo) history.back();
  else hide();
}

/** Which photo is over the grid; null when none is. */
export const shownPost = () => shown;

/** Its photo is gone: the next one is shown, or none. */
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
  // On a photo's own page, loaded anew, the grid that was here before is to be fetched.
  if (!hasGrid) location.reload();
  else if (event.state?.photo) show(event.state.photo);
  else if (shown !== null) hide();
});

dialog.addEventListener("cancel", (event) => {
  if (event.target !== dialog) return;
  event.preventDefault();
  // Who has begun to write leaves the writing first.
  const field = document.activeElement;
  if (field.localName === "textarea" && field.value) field.blur();
  else close();
});
// A browser may close it without asking. Told late, it may be open again by then.
dialog.addEventListener("close", (event) => {
  if (event.target === dialog && shown !== null && !dialog.open) close();
});
dialog.querySelector("[data-close]").addEventListener("click", close);
previous.addEventListener("click", () => step(false));
next.addEventListener("click", () => step(true));
dialog.addEventListener("keydown", (event) => {
  if (event.target.closest("textarea, input") || event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.key === "ArrowLeft") step(false);
  if (event.key === "ArrowRight") step(true);
});

onAnew(async () => {
  if (shown === null) return;
  const post = shown;
  const found = await page(`/photos/${post}`);
  if (shown === post) fill(found);
});

// Swipes. Up and down stay the browser's.

const far = 60;
let swipe = null;

dialog.addEventListener("pointerdown", (event) => {
  const frame = event.pointerType === "touch" && event.isPrimary ? place.querySelector(".frame") : null;
  swipe = frame && event.target.closest(".stage") ? { frame, x: event.clientX } : null;
});
dialog.addEventListener("pointermove", (event) => {
  if (!swipe || !event.isPrimary) return;
  dialog.classList.add("dragging");
  swipe.frame.style.setProperty("--x", `${event.clientX - swipe.x}px`);
});
function settle(event, isDone) {
  if (!swipe) return;
  const { frame, x } = swipe;
  const distance = event.clientX - x;
  swipe = null;
  dialog.classList.remove("dragging");
  const isWay = distance < 0 ? !next.disabled : !previous.disabled;
  if (isDone && isWay && Math.abs(distance) > far) return step(distance < 0);
  frame.parentElement.classList.add("settling");
  frame.addEventListener("transitionend", () => frame.parentElement?.classList.remove("settling"), { once: true });
  frame.style.removeProperty("--x");
}
dialog.addEventListener("pointerup", (event) => settle(event, true));
dialog.addEventListener("pointercancel", (event) => settle(event, false));
