// Sharing photos: chosen, dropped or pasted, each with a preview, a caption and its progress.

import { confirmed } from "./confirmation.js";
import { holdNews, showNews } from "./grid.js";
import { Problem, sendForm } from "./requests.js";
import { forget, signedIn } from "./session.js";
import { toast } from "./toasts.js";

const types = ["image/jpeg", "image/png", "image/webp", "image/gif"];
const mostBytes = 25 * 1024 * 1024;
const mostPhotos = 20;

const dialog = document.getElementById("upload");
const form = dialog.querySelector("form");
const list = form.querySelector(".chosen");
const error = form.querySelector(".error");
const share = form.querySelector("[type=submit]");
const stop = form.querySelector("[data-close]");
const input = document.getElementById("upload-files");
const template = document.getElementById("chosen-photo");
const drop = document.getElementById("drop");

let chosen = [];
let sending = null;
let isAsking = false;
let isMeant = false;

function fault(file) {
  if (/^image\/hei[cf]$/.test(file.type) || /\.hei[cf]$/i.test(file.name)) {
    return `“${file.name}” is a HEIC picture, which few browsers show. Save it as a JPEG, then choose that.`;
  }
  if (!types.includes(file.type)) return `“${file.name}” is not a JPEG, PNG, WebP or GIF picture.`;
  if (file.size > mostBytes) return `“${file.name}” is larger than 25 MB. Make it smaller, then choose it again.`;
  if (file.size === 0) return `“${file.name}” is empty.`;
  return null;
}

function remove(photo) {
  URL.revokeObjectURL(photo.preview);
  photo.item.remove();
  chosen = chosen.filter((other) => other !== photo);
  tell();
}

/** Those that have not been refused for good. */
const sendable = () => chosen.filter(({ isRefused }) => !isRefused);

function tell() {
  const photos = sendable();
  share.disabled = !photos.length || Boolean(sending);
  const isAgain = photos.some(({ item }) => item.classList.contains("failed"));
  share.textContent = isAgain ? "Try again" : photos.length > 1 ? `Share ${photos.length} photos` : "Share";
  stop.textContent = sending ? "Stop" : chosen.length && !photos.length ? "Close" : "Cancel";
}

function add(file) {
  const item = template.content.firstElementChild.cloneNode(true);
  const photo = { file, item, preview: URL.createObjectURL(file) };
  for (const name of item.querySelectorAll(".file")) name.textContent = file.name || "the photo";
  const image = item.querySelector("img");
  image.addEventListener("error", () => { image.hidden = true; });
  image.src = photo.preview;
  item.querySelector("[data-remove]").addEventListener("click", () => {
    remove(photo);
    (list.querySelector("textarea") ?? form.querySelector("[data-choose]")).focus();
  });
  list.append(item);
  chosen.push(photo);
  return item;
}

/** Shows files to be shared. */
export async function offer(files) {
  if (!files.length || !(await signedIn("Sign in to share photos."))) return;
  const faults = [];
  let tooMany = 0;
  let first = null;
  for (const file of files) {
    const reason = fault(file);
    if (reason) faults.push(reason);
    else if (chosen.length >= mostPhotos) tooMany += 1;
    else {
      const item = add(file);
      first ??= item;
    }
  }
  if (tooMany) faults.push(`At most ${mostPhotos} photos at once: ${tooMany} ${tooMany === 1 ? "is" : "are"} left out.`);
  error.textContent = [...new Set(faults)].join(" ");
  tell();
  if (!dialog.open) dialog.showModal();
  first?.querySelector("textarea").focus();
}

/** Whether the same may be taken another time: it was not the photo that was found fault with. */
const mayGoBetter = ({ status }) => [0, 401, 408, 429].includes(status) || status >= 500;

async function sendOne(photo, signal) {
  const { item, file } = photo;
  const bar = item.querySelector("progress");
  const state = item.querySelector(".state");
  item.classList.remove("failed");
  bar.hidden = false;
  bar.value = 0;
  bar.ariaLabel = `Sending ${file.name}`;
  state.textContent = "Sending";
  const caption = item.querySelector("textarea").value.trim();
  // Not in the address: proxies write those down, and refuse long ones.
  const sent = new FormData();
  if (caption) sent.append("caption", caption);
  sent.append("photo", file);
  const progress = (part) => {
    bar.value = part;
    if (part === 1) state.textContent = "Making it ready";
  };
  try {
    await sendForm("/posts", sent, { progress, signal });
    return true;
  } catch (problem) {
    bar.hidden = true;
    if (problem.name === "AbortError") {
      state.textContent = "";
      throw problem;
    }
    item.classList.add("failed");
    photo.isRefused = !mayGoBetter(problem);
    state.textContent = problem.message;
    if (problem instanceof Problem && problem.status === 401) {
      forget();
      throw problem;
    }
    return false;
  }
}

/** While photos are on their way nothing about them changes. */
function setSending(controller) {
  sending = controller;
  form.classList.toggle("sending", Boolean(sending));
  for (const field of form.querySelectorAll("textarea, [data-remove], [data-choose]")) field.disabled = Boolean(sending);
  tell();
}

async function sendAll() {
  setSending(new AbortController());
  // One's own are no news.
  holdNews(true);
  error.textContent = "";
  let count = 0;
  let isSignedOut = false;
  try {
    for (const photo of sendable()) {
      if (!(await sendOne(photo, sending.signal))) continue;
      count += 1;
      remove(photo);
    }
  } catch (problem) {
    isSignedOut = problem.status === 401;
  } finally {
    setSending(null);
  }
  if (!chosen.length) dialog.close();
  else if (!sendable().length) stop.focus();
  if (count) await showNews().catch(() => {});
  holdNews(false);
  if (count) {
    toast(count === 1 ? "Your photo is shared." : `Your ${count} photos are shared.`);
  }
  if (isSignedOut) signedIn("You were signed out. Sign in, then try again.");
}

const isWritten = () => chosen.some(({ item }) => item.querySelector("textarea").value.trim());

/** Stops what is being sent; nothing being sent, leaves it, but throws no caption away unasked. */
async function cancel() {
  if (sending) return sending.abort();
  if (isAsking) return;
  isAsking = true;
  isMeant = !isWritten() || (await confirmed("Discard these photos?", "What you wrote goes, too.", "Discard"));
  isAsking = false;
  if (isMeant) dialog.close();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (sendable().length && !sending) sendAll();
});
stop.addEventListener("click", cancel);
form.querySelector("[data-choose]").addEventListener("click", () => input.click());
dialog.addEventListener("cancel", (event) => {
  // One that is only told of is answered when it has closed.
  if (event.target !== dialog || !event.cancelable) return;
  event.preventDefault();
  cancel();
});
dialog.addEventListener("close", (event) => {
  if (event.target !== dialog) return;
  sending?.abort();
  // A browser may close it without asking.
  if (!isMeant && isWritten()) {
    dialog.showModal();
    cancel();
    return;
  }
  isMeant = false;
  for (const photo of [...chosen]) remove(photo);
  error.textContent = "";
});

input.addEventListener("change", () => {
  const files = [...input.files];
  input.value = "";
  offer(files);
});
document.addEventListener("click", async (event) => {
  if (!event.target.closest("[data-upload]")) return;
  if (await signedIn("Sign in to share photos.")) input.click();
});

// Dropped anywhere, and pasted anywhere.

const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
let depth = 0;

function endDrag() {
  depth = 0;
  if (drop.matches(":popover-open")) drop.hidePopover();
}

document.addEventListener("dragenter", (event) => {
  if (!hasFiles(event)) return;
  event.preventDefault();
  depth += 1;
  if (!drop.matches(":popover-open")) drop.showPopover();
});
document.addEventListener("dragover", (event) => {
  if (hasFiles(event)) event.preventDefault();
});
document.addEventListener("dragleave", (event) => {
  if (!hasFiles(event)) return;
  depth -= 1;
  if (depth <= 0) endDrag();
});
document.addEventListener("drop", (event) => {
  if (!hasFiles(event)) return;
  event.preventDefault();
  endDrag();
  offer([...event.dataTransfer.files]);
});
document.addEventListener("paste", (event) => {
  const files = [...(event.clipboardData?.files ?? [])].filter((file) => file.type.startsWith("image/"));
  if (!files.length) return;
  event.preventDefault();
  offer(files);
});
