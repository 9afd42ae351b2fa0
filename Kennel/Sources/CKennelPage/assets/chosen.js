// The photos that were chosen for sharing: a list with a preview, a caption and a progress bar for each.

import { text } from "./texts.js";

const list = document.querySelector("#upload .chosen");
const template = document.getElementById("chosen-photo");

let photos = [];

/** The chosen photos that were not shared yet. */
export const chosen = () => photos;

/** The photos that have not been refused permanently. */
export const sendable = () => photos.filter(({ isRefused }) => !isRefused);

const field = (photo) => photo.item.querySelector("textarea");

export const captionOf = (photo) => field(photo).value.trim();

export const focusCaption = (photo) => (photo ? field(photo) : list.querySelector("textarea"))?.focus();

/** Returns whether a caption was written. */
export const isWritten = () => photos.some(captionOf);

/** Adds a photo to the list. It has a file, and may have a caption. */
export function add(photo, onRemove) {
  const item = template.content.firstElementChild.cloneNode(true);
  for (const name of item.querySelectorAll(".file")) name.textContent = photo.file.name || text("thePhoto");
  photo.item = item;
  photo.preview = URL.createObjectURL(photo.file);
  const image = item.querySelector("img");
  image.addEventListener("error", () => { image.hidden = true; });
  image.src = photo.preview;
  field(photo).value = photo.caption ?? "";
  item.querySelector("[data-remove]").addEventListener("click", () => onRemove(photo));
  list.append(item);
  photos.push(photo);
}

export function remove(photo) {
  URL.revokeObjectURL(photo.preview);
  photo.item.remove();
  photos = photos.filter((other) => other !== photo);
}

/** Shows how much of a photo was sent, as a fraction from 0 to 1. */
export function showProgress(photo, part) {
  const bar = photo.item.querySelector("progress");
  photo.item.classList.remove("failed");
  bar.hidden = false;
  bar.value = part;
  bar.ariaLabel = text("uploadingNamed", { name: photo.file.name });
  photo.item.querySelector(".state").textContent = text(part < 1 ? "uploading" : "processing");
}

/** Shows a message about a photo that is not being sent, or nothing. */
export function showState(photo, content = "", isFailed = false) {
  photo.item.querySelector("progress").hidden = true;
  photo.item.classList.toggle("failed", isFailed);
  photo.item.querySelector(".state").replaceChildren(...[content].flat());
}
