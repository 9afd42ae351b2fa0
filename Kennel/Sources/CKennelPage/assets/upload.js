// Sharing photos: they are chosen, dropped or pasted, and each has a preview, a caption and a progress bar.

import { confirmed } from "./confirmation.js";
import { holdNews, showNews } from "./grid.js";
import { Problem, sendForm } from "./requests.js";
import { forget, signedIn } from "./session.js";
import { text } from "./texts.js";
import { isShown } from "./tiles.js";
import { monthName } from "./times.js";
import { toast } from "./toasts.js";

const types = /^(image\/(jpeg|png|webp|gif|hei[cf]|avif)|video\/(mp4|quicktime|x-m4v|3gpp))$/;
// Most systems do not know the type of these files.
const newNames = /\.(hei[cf]|avif|mov|m4v|3gp)$/i;
// The server knows the limit for them.
const videos = /^video\/|\.(mov|m4v|3gp)$/i;
const maximumBytes = 25 * 1024 * 1024;
const maximumPhotos = 20;

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
  if (!types.test(file.type) && !newNames.test(file.name)) {
    return text("notAPicture", { name: file.name });
  }
  const isVideo = videos.test(file.type) || videos.test(file.name);
  if (file.size > maximumBytes && !isVideo) return text("tooLarge", { name: file.name });
  if (file.size === 0) return text("emptyFile", { name: file.name });
  return null;
}

function remove(photo) {
  URL.revokeObjectURL(photo.preview);
  photo.item.remove();
  chosen = chosen.filter((other) => other !== photo);
  updateButtons();
}

/** The photos that have not been refused permanently. */
const sendable = () => chosen.filter(({ isRefused }) => !isRefused);

function updateButtons() {
  const photos = sendable();
  share.disabled = !photos.length || Boolean(sending);
  const isAgain = photos.some(({ item }) => item.classList.contains("failed"));
  share.textContent = isAgain ? text("tryAgain") : text("sharePhotos", { count: Math.max(photos.length, 1) });
  stop.textContent = text(sending ? "stop" : chosen.length && !photos.length ? "close" : "cancel");
}

function add(file) {
  const item = template.content.firstElementChild.cloneNode(true);
  const photo = { file, item, preview: URL.createObjectURL(file) };
  for (const name of item.querySelectorAll(".file")) name.textContent = file.name || text("thePhoto");
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

/** Returns whether the user is signed in and may share photos. Asks the user to sign in if necessary. */
async function mayShare() {
  if (!(await signedIn(text("signInToShare")))) return false;
  if (document.body.dataset.role !== "viewer") return true;
  toast(text("onlyViewer"));
  return false;
}

/** Adds files to the dialog and opens it. */
export async function offer(files) {
  if (!files.length || !(await mayShare())) return;
  const faults = [];
  let tooMany = 0;
  let first = null;
  for (const file of files) {
    const reason = fault(file);
    if (reason) faults.push(reason);
    else if (chosen.length >= maximumPhotos) tooMany += 1;
    else {
      const item = add(file);
      first ??= item;
    }
  }
  if (tooMany) faults.push(text("tooManyPhotos", { maximum: maximumPhotos, count: tooMany }));
  error.textContent = [...new Set(faults)].join(" ");
  updateButtons();
  if (!dialog.open) dialog.showModal();
  first?.querySelector("textarea").focus();
}

/** Returns whether another attempt may succeed: the photo itself was not the problem. */
const isRetryable = ({ status }) => [0, 401, 408, 429].includes(status) || status >= 500;

/** Says that a photo is already in the kennel. It is skipped, unless the user wants it again. */
function offerAgain(photo, post) {
  const state = photo.item.querySelector(".state");
  photo.isRefused = true;
  const link = document.createElement("a");
  link.href = `/photos/${post}`;
  link.target = "_blank";
  link.textContent = text("seeIt");
  const again = document.createElement("button");
  again.type = "button";
  again.className = "link";
  again.textContent = text("shareAgain");
  again.addEventListener("click", () => {
    photo.isRefused = false;
    photo.isAgain = true;
    state.textContent = text("willBeShared");
    updateButtons();
    share.focus();
  });
  state.replaceChildren(text("alreadyShared"), link, " ", again);
}

async function sendOne(photo, signal) {
  const { item, file } = photo;
  const bar = item.querySelector("progress");
  const state = item.querySelector(".state");
  item.classList.remove("failed");
  bar.hidden = false;
  bar.value = 0;
  bar.ariaLabel = text("uploadingNamed", { name: file.name });
  state.textContent = text("uploading");
  const caption = item.querySelector("textarea").value.trim();
  // The caption is not in the address, because proxies log addresses and reject long ones.
  const sent = new FormData();
  if (caption) sent.append("caption", caption);
  if (form.elements.place.checked) sent.append("place", "shared");
  sent.append("photo", file);
  const progress = (part) => {
    bar.value = part;
    if (part === 1) state.textContent = text("processing");
  };
  try {
    return await sendForm(photo.isAgain ? "/posts?duplicate=allow" : "/posts", sent, { progress, signal });
  } catch (problem) {
    bar.hidden = true;
    if (problem.name === "AbortError") {
      state.textContent = "";
      throw problem;
    }
    if (problem.status === 409 && problem.post) {
      offerAgain(photo, problem.post);
      return null;
    }
    item.classList.add("failed");
    photo.isRefused = !isRetryable(problem);
    state.textContent = problem.message;
    if (problem instanceof Problem && problem.status === 401) {
      forget();
      throw problem;
    }
    return null;
  }
}

/** Returns a message about shared photos. It says where they are if that is not in view. */
function report(posts) {
  const message = text("photosShared", { count: posts.length });
  const months = new Set(posts.filter(({ id }) => !isShown(id)).map(({ taken }) => taken.slice(0, 7)));
  if (months.size === 1) return `${message} ${text("seeMonth", { month: monthName([...months][0]) })}`;
  return months.size ? `${message} ${text("inTheirMonths")}` : message;
}

/** Disables changes to the photos while they are being sent. */
function setSending(controller) {
  sending = controller;
  form.classList.toggle("sending", Boolean(sending));
  const fields = form.querySelectorAll("textarea, [data-remove], [data-choose], [name=place]");
  for (const field of fields) field.disabled = Boolean(sending);
  updateButtons();
}

async function sendAll() {
  setSending(new AbortController());
  // The user's own photos are not announced as new.
  holdNews(true);
  error.textContent = "";
  const shared = [];
  let isSignedOut = false;
  try {
    for (const photo of sendable()) {
      const post = await sendOne(photo, sending.signal);
      if (!post) continue;
      shared.push(post);
      remove(photo);
    }
  } catch (problem) {
    isSignedOut = problem.status === 401;
  } finally {
    setSending(null);
  }
  if (!chosen.length) dialog.close();
  else if (!sendable().length) stop.focus();
  if (shared.length) await showNews().catch(() => {});
  holdNews(false);
  if (shared.length) toast(report(shared));
  if (isSignedOut) signedIn(text("signedOut"));
}

const isWritten = () => chosen.some(({ item }) => item.querySelector("textarea").value.trim());

/** Stops the upload in progress. Otherwise, it closes the dialog, after confirmation if there are captions. */
async function cancel() {
  if (sending) return sending.abort();
  if (isAsking) return;
  isAsking = true;
  isMeant = !isWritten() || (await confirmed(text("discardPhotos"), text("captionsLost"), text("discard")));
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
  // A cancel event that cannot be prevented is handled after the dialog has closed.
  if (event.target !== dialog || !event.cancelable) return;
  event.preventDefault();
  cancel();
});
dialog.addEventListener("close", (event) => {
  if (event.target !== dialog) return;
  sending?.abort();
  // A browser may close the dialog without a cancel event.
  if (!isMeant && isWritten()) {
    dialog.showModal();
    cancel();
    return;
  }
  isMeant = false;
  for (const photo of [...chosen]) remove(photo);
  form.elements.place.checked = false;
  error.textContent = "";
});

input.addEventListener("change", () => {
  const files = [...input.files];
  input.value = "";
  offer(files);
});
document.addEventListener("click", async (event) => {
  if (!event.target.closest("[data-upload]")) return;
  if (await mayShare()) input.click();
});

// Dropping and pasting work anywhere on the page.

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
