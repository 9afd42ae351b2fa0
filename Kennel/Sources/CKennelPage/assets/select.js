// Selecting several photos in the grid, to delete them or to put them into albums. While selecting, a photo is a checkbox instead of a link.

import { addToAlbum, mayEditAlbum, removeFromAlbum, setCover, shownAlbum } from "./albums.js";
import { confirmed } from "./confirmation.js";
import { removePost } from "./grid.js";
import { send } from "./requests.js";
import { forget, signedIn } from "./session.js";
import { text } from "./texts.js";
import { allPosts, onReturn } from "./tiles.js";
import { toast } from "./toasts.js";

const bar = document.getElementById("selection");
const count = bar.querySelector(".count");
const remove = bar.querySelector("[data-select-delete]");
const add = bar.querySelector("[data-select-album]");
const cover = bar.querySelector("[data-select-cover]");
const takeOut = bar.querySelector("[data-select-remove]");
const grid = document.getElementById("grid");
let isSelecting = false;
let last = null;
/** The selected posts. Some of their photos may be taken out of the document. */
const chosen = new Set();

const photos = () => [...grid.querySelectorAll(".tile .open")];
const postOf = (photo) => Number(photo.closest(".tile").dataset.post);
const selected = () => allPosts().filter((post) => chosen.has(post));

function update() {
  const number = selected().length;
  count.textContent = number ? text("selected", { count: number }) : text("selectPhotos");
  for (const button of [add, takeOut, remove]) button.disabled = !number;
  cover.disabled = number !== 1;
}

function prepare() {
  for (const photo of photos()) mark(photo);
  update();
}

/** Makes a photo a checkbox, or a link again. */
function mark(photo) {
  if (isSelecting) {
    photo.setAttribute("role", "checkbox");
    photo.setAttribute("aria-checked", chosen.has(postOf(photo)));
  } else {
    photo.removeAttribute("role");
    photo.removeAttribute("aria-checked");
  }
}

onReturn((tile) => mark(tile.querySelector(".open")));

// Photos may be added and removed while the reader selects.
const watching = new MutationObserver(prepare);

function begin() {
  if (!grid || isSelecting) return;
  isSelecting = true;
  // It gives the focus back, so it is closed first.
  document.getElementById("account")?.hidePopover();
  document.body.classList.add("selecting");
  // In an album, what is done concerns the album.
  add.hidden = document.body.dataset.role === "viewer";
  remove.hidden = Boolean(shownAlbum());
  takeOut.hidden = !shownAlbum();
  cover.hidden = !mayEditAlbum();
  bar.hidden = false;
  prepare();
  watching.observe(grid, { childList: true });
  photos()[0]?.focus({ preventScroll: true });
}

function end() {
  if (!isSelecting) return;
  isSelecting = false;
  last = null;
  chosen.clear();
  watching.disconnect();
  document.body.classList.remove("selecting");
  bar.hidden = true;
  for (const photo of photos()) mark(photo);
}

/** Selects a photo or removes it from the selection; with `isRange`, also all photos since the last one. */
function toggle(photo, isRange) {
  const post = postOf(photo);
  const all = allPosts();
  const isWanted = !chosen.has(post);
  const from = isRange ? all.indexOf(last) : -1;
  const to = all.indexOf(post);
  const range = from < 0 ? [post] : all.slice(Math.min(from, to), Math.max(from, to) + 1);
  for (const one of range) {
    if (isWanted) chosen.add(one);
    else chosen.delete(one);
  }
  last = post;
  prepare();
}

async function deleteSelected() {
  const posts = selected();
  const isSure = await confirmed(text("deletePhotos", { count: posts.length }), text("deletePhotosText"));
  if (!isSure) return;
  remove.disabled = true;
  let deleted = 0;
  let refused = 0;
  try {
    for (const post of posts) {
      try {
        await send("DELETE", `/posts/${post}`);
        deleted += 1;
        removePost(post);
      } catch (problem) {
        if (problem.status === 403) refused += 1;
        // Someone else may have deleted it.
        else if (problem.status !== 404) throw problem;
      }
    }
    end();
  } catch (problem) {
    toast(problem.message);
    update();
    if (problem.status === 401) {
      forget();
      signedIn(text("signedOut"));
    }
  }
  if (deleted) toast(text("movedToBin", { count: deleted }));
  if (refused) toast(text("notDeleted", { count: refused }));
}

/** Does something with the selected photos, and ends the selection if that succeeded. */
async function perform(button, action) {
  button.disabled = true;
  if (await action(selected())) end();
  else update();
}

// Before the handler that opens photos.
document.addEventListener("click", (event) => {
  const photo = isSelecting && event.target.closest("#grid .open");
  if (!photo) return;
  event.preventDefault();
  event.stopPropagation();
  toggle(photo, event.shiftKey);
}, true);
document.addEventListener("keydown", (event) => {
  if (!isSelecting) return;
  const photo = event.target.closest("#grid .open");
  if (event.key === "Escape" && !document.querySelector("dialog[open]")) end();
  if (event.key !== " " || !photo) return;
  event.preventDefault();
  toggle(photo, event.shiftKey);
});
document.addEventListener("click", (event) => event.target.closest("[data-select]") && begin());
bar.querySelector("[data-select-end]").addEventListener("click", end);
remove.addEventListener("click", deleteSelected);
add.addEventListener("click", () => perform(add, addToAlbum));
takeOut.addEventListener("click", () => perform(takeOut, removeFromAlbum));
cover.addEventListener("click", () => perform(cover, ([post]) => setCover(post)));
