// Sharing photos: the dialog for the photos that were chosen, dropped, pasted or not sent completely before.

import { add, captionOf, chosen, focusCaption, isWritten, remove, sendable, showProgress, showState } from "./chosen.js";
import { confirmed } from "./confirmation.js";
import { holdNews, showNews } from "./grid.js";
import { report, summary } from "./outcome.js";
import { isTemporary, sendPhotos } from "./sending.js";
import { forget, signedIn, viewer } from "./session.js";
import { text } from "./texts.js";
import { toast } from "./toasts.js";
import { cancel as cancelUpload } from "./tus.js";
import * as unsent from "./unsent.js";

const types = /^(image\/(jpeg|png|webp|gif|hei[cf]|avif)|video\/(mp4|quicktime|x-m4v|3gpp))$/;
// Most systems do not know the type of these files.
const newNames = /\.(hei[cf]|avif|mov|m4v|3gp)$/i;
// The server knows the limit for them.
const videos = /^video\/|\.(mov|m4v|3gp)$/i;
const maximumBytes = 25 * 1024 * 1024;
const maximumPhotos = 1000;

const dialog = document.getElementById("upload");
const form = dialog.querySelector("form");
const error = form.querySelector(".error");
const total = form.querySelector(".total");
const totalText = total.querySelector("p");
const totalBar = total.querySelector("progress");
const share = form.querySelector("[type=submit]");
const stop = form.querySelector("[data-close]");
const input = document.getElementById("upload-files");

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

function updateButtons() {
  const photos = sendable();
  share.disabled = !photos.length || Boolean(sending);
  const isAgain = photos.some(({ item }) => item.classList.contains("failed"));
  share.textContent = isAgain ? text("tryAgain") : text("sharePhotos", { count: Math.max(photos.length, 1) });
  stop.textContent = text(sending ? "stop" : chosen().length && !photos.length ? "close" : "cancel");
}

/** Removes a photo from the dialog, and what the browser has kept of it. */
function drop(photo) {
  remove(photo);
  unsent.forget(photo.key);
  updateButtons();
}

/** Removes what the kennel has of a photo. A person can have only a few unfinished uploads. */
function abandon(photo) {
  if (photo.address) cancelUpload(photo.address);
  photo.address = null;
}

/** Removes a photo that will not be shared. */
function discard(photo) {
  abandon(photo);
  drop(photo);
}

function addPhoto(photo) {
  add(photo, () => {
    discard(photo);
    if (chosen().length) focusCaption();
    else form.querySelector("[data-choose]").focus();
  });
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
    else if (chosen().length >= maximumPhotos) tooMany += 1;
    else {
      const photo = { file, key: unsent.newKey() };
      addPhoto(photo);
      first ??= photo;
    }
  }
  if (tooMany) faults.push(text("tooManyPhotos", { maximum: maximumPhotos, count: tooMany }));
  error.textContent = [...new Set(faults)].slice(0, 5).join(" ");
  updateButtons();
  if (!dialog.open) dialog.showModal();
  if (first) focusCaption(first);
}

/** Says that a photo is already in the kennel. It is skipped, unless the user wants it again. */
function offerAgain(photo, post) {
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
    showState(photo, text("willBeShared"));
    updateButtons();
    share.focus();
  });
  showState(photo, [text("alreadyShared"), link, " ", again]);
}

function showTotal(result) {
  total.hidden = result.count < 2;
  totalBar.hidden = !sending;
  totalBar.max = result.count;
  totalBar.value = result.shared.length + result.known + result.failed;
  totalText.textContent = summary(result);
}

/** Disables changes to the photos while they are being sent. */
function setSending(controller) {
  sending = controller;
  form.classList.toggle("sending", Boolean(sending));
  const fields = form.querySelectorAll("textarea, [data-remove], [data-choose], [name=place]");
  for (const field of fields) field.disabled = Boolean(sending);
  updateButtons();
}

/** What the browser keeps with the file of a photo. */
const detailsOf = ({ caption, sharesPlace, isAgain, isStopped, address }) =>
  ({ viewer: viewer(), caption, sharesPlace, isAgain, isStopped, address });

/** Keeps the photos one after another, as far as they are still needed. */
async function keep(photos) {
  for (const photo of photos) {
    if (chosen().includes(photo)) await unsent.keep(photo.key, photo.file, detailsOf(photo));
    // It may have been shared meanwhile.
    if (!chosen().includes(photo)) unsent.forget(photo.key);
  }
}

async function sendAll() {
  const photos = sendable();
  const result = { shared: [], known: 0, failed: 0, count: photos.length };
  let isSignedOut = false;
  for (const photo of photos) {
    const caption = captionOf(photo);
    const sharesPlace = photo.keepsPlace ? Boolean(photo.sharesPlace) : form.elements.place.checked;
    // What belongs to an upload is said when it begins.
    if (caption !== photo.caption || sharesPlace !== photo.sharesPlace) abandon(photo);
    Object.assign(photo, { caption, sharesPlace, isStopped: false });
    showState(photo);
  }
  keep(photos);
  setSending(new AbortController());
  // The user's own photos are not announced as new.
  holdNews(true);
  error.textContent = "";
  showTotal(result);
  await sendPhotos(photos, sending, {
    begun: (photo) => unsent.change(photo.key, detailsOf(photo)),
    progress: showProgress,
    waiting: (photo, { status }) =>
      showState(photo, text(status ? "kennelBusy" : "connectionLost")),
    shared(photo, post) {
      result.shared.push(post);
      drop(photo);
      showTotal(result);
    },
    failed(photo, problem) {
      if (problem.name === "AbortError") {
        photo.isStopped = true;
        unsent.change(photo.key, detailsOf(photo));
        showState(photo);
        return false;
      }
      if (problem.status === 409 && problem.post) {
        result.known += 1;
        // Without HTTPS, this is found out when all bytes have arrived.
        abandon(photo);
        offerAgain(photo, problem.post);
      } else {
        result.failed += 1;
        isSignedOut ||= problem.status === 401;
        photo.isRefused = !isTemporary(problem) && problem.status !== 401;
        // The kennel has removed what is not a photo. It still has others, such as one that exceeds the quota.
        if ([415, 422].includes(problem.status)) photo.address = null;
        if (photo.isRefused) abandon(photo);
        showState(photo, problem.message, true);
      }
      if (photo.isRefused) unsent.forget(photo.key);
      showTotal(result);
      return problem.status === 401;
    },
  });
  setSending(null);
  showTotal(result);
  await finish(result, isSignedOut);
}

async function finish({ shared }, isSignedOut) {
  if (isSignedOut) forget();
  if (!chosen().length) dialog.close();
  else if (!sendable().length) stop.focus();
  if (shared.length) await showNews().catch(() => {});
  holdNews(false);
  if (shared.length) toast(await report(shared));
  if (isSignedOut) signedIn(text("signedOut"));
}

/** Stops the upload in progress. Otherwise, it closes the dialog, after confirmation if there are captions. */
async function cancel() {
  if (sending) return sending.abort();
  if (isAsking) return;
  isAsking = true;
  isMeant = !isWritten() || (await confirmed(text("discardPhotos"), text("captionsLost"), text("discard")));
  isAsking = false;
  if (isMeant) dialog.close();
}

/** Goes on with what was being shared when the page was closed. */
async function restore() {
  if (!viewer() || document.body.dataset.role === "viewer") return;
  const keys = await unsent.keys();
  if (!keys.length || !(await unsent.claim("exclusive"))) return;
  const { place } = form.elements;
  let isStopped = false;
  for (const key of keys) {
    const { file, details } = (await unsent.find(key)) ?? {};
    if (details?.viewer !== viewer()) continue;
    isStopped ||= details.isStopped;
    // The photos may come from different windows, and what is decided for one must not apply to another.
    addPhoto({ ...details, file, key, isStopped: false, keepsPlace: true });
  }
  if (!chosen().length) return unsent.unclaim();
  place.checked = chosen().every(({ sharesPlace }) => sharesPlace);
  place.indeterminate = !place.checked && chosen().some(({ sharesPlace }) => sharesPlace);
  updateButtons();
  if (!dialog.open) dialog.showModal();
  if (!isStopped) await sendAll();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!sendable().length || sending) return;
  unsent.claim("shared");
  sendAll();
});
form.elements.place.addEventListener("change", () => {
  for (const photo of chosen()) photo.keepsPlace = false;
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
  for (const photo of [...chosen()]) discard(photo);
  unsent.unclaim();
  Object.assign(form.elements.place, { checked: false, indeterminate: false });
  error.textContent = "";
  total.hidden = true;
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
restore();
