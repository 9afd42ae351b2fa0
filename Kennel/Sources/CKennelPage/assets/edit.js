// Editing the caption of a photo and the time when it was taken.

import { refresh } from "./refresh.js";
import { send } from "./requests.js";
import { forget, signedIn } from "./session.js";
import { text } from "./texts.js";
import { toast } from "./toasts.js";

const dialog = document.getElementById("edit");
const form = dialog.querySelector("form");
const error = form.querySelector(".error");
const { caption, taken } = form.elements;
let post = null;

// The time of a post has the form 2026-07-14T16:03:00+02:00.
const minute = ({ taken: time }) => time.slice(0, 16);
// A zone that the camera or a person has stated stays. Otherwise, the kennel knows the zone.
const zone = ({ taken: time, takenSource }) => (["camera", "edited"].includes(takenSource) ? time.slice(19) : "");

async function open(id) {
  try {
    post = await send("GET", `/posts/${id}`);
  } catch (problem) {
    return toast(problem.message);
  }
  caption.value = post.caption;
  taken.value = minute(post);
  taken.max = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16);
  error.textContent = "";
  dialog.showModal();
  caption.focus();
}

function changes() {
  const changed = {};
  const entered = caption.value.trim();
  if (entered !== post.caption) changed.caption = entered;
  if (taken.value && taken.value !== minute(post)) changed.taken = taken.value + ":00" + zone(post);
  return changed;
}

async function save() {
  const changed = changes();
  if (Object.keys(changed).length) {
    await send("PATCH", `/posts/${post.id}`, changed);
    toast(text("photoChanged"));
  }
  dialog.close();
  await refresh().catch(() => {});
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = form.querySelector("[type=submit]");
  button.disabled = true;
  error.textContent = "";
  try {
    await save();
  } catch (problem) {
    error.textContent = problem.message;
    if (problem.status === 401) {
      forget();
      signedIn(text("signedOut"));
    }
  } finally {
    button.disabled = false;
  }
});
form.querySelector("[data-close]").addEventListener("click", () => dialog.close());
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-edit-post]");
  if (button) open(Number(button.dataset.editPost));
});
