// The signed-in user, and the sign-in dialog.

import { forgetEverything, forgetKept } from "./kept.js";
import { onRefresh, refresh } from "./refresh.js";
import { send } from "./requests.js";
import { text } from "./texts.js";
import { toast } from "./toasts.js";
import { forgetAll } from "./unsent.js";

const dialog = document.getElementById("sign-in");
const form = dialog.querySelector("form");
const error = form.querySelector(".error");
const why = form.querySelector(".why");
let waiting = [];

/** The name of the signed-in user, or an empty string if nobody is signed in. */
export const viewer = () => document.body.dataset.viewer;

/** Records that the session has ended, as reported by the kennel. */
export function forget() {
  document.body.dataset.viewer = "";
  forgetKept();
}

/** Asks the user to sign in if necessary, and returns whether the user is signed in. */
export function signedIn(reason = "") {
  if (viewer()) return Promise.resolve(true);
  why.textContent = reason;
  why.hidden = !reason;
  error.textContent = "";
  if (!dialog.open) dialog.showModal();
  return new Promise((resolve) => waiting.push(resolve));
}

/** Whether a comment or a caption was begun, or photos were chosen, that loading the page again would lose. */
const hasUnsent = () => document.getElementById("upload")?.open
  || [...document.querySelectorAll("main textarea, dialog textarea")].some(({ value, defaultValue }) => value !== defaultValue);

/**
 * Refreshes the page. If it is only for people who are signed in, and nobody is, everything private leaves the screen. What was
 * not sent appears again after signing in.
 */
export async function refreshOrLeave() {
  try {
    await refresh();
  } catch ({ status }) {
    if (status !== 401) return;
    if (!hasUnsent()) return location.reload();
    forget();
    document.body.classList.add("left");
    signedIn(text("signedOut"));
  }
}

onRefresh(() => document.body.classList.remove("left"));

/** Leaves the page if the session of its viewer has ended, for example because it was ended on another device. */
export async function checkSession() {
  if (!viewer()) return;
  try {
    const { user } = await send("GET", "/session");
    if (!user) await refreshOrLeave();
  } catch {
    // The kennel cannot be reached.
  }
}

function answer(isSignedIn) {
  const all = waiting;
  waiting = [];
  for (const resolve of all) resolve(isSignedIn);
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = form.querySelector("[type=submit]");
  button.disabled = true;
  error.textContent = "";
  try {
    const { user } = await send("POST", "/session", Object.fromEntries(new FormData(form)));
    document.body.dataset.viewer = user.name;
    form.reset();
    await refresh().catch(() => location.reload());
    answer(true);
    dialog.close();
    toast(text("welcome", { name: user.name }));
  } catch (problem) {
    error.textContent = problem.message;
    form.elements.password.focus();
    form.elements.password.select();
  } finally {
    button.disabled = false;
  }
});

dialog.addEventListener("close", () => {
  form.elements.password.value = "";
  answer(Boolean(viewer()));
});

document.addEventListener("click", async (event) => {
  if (event.target.closest("[data-sign-in]")) signedIn();
  if (event.target.closest("[data-sign-out]")) {
    try {
      await send("DELETE", "/session");
      document.body.dataset.viewer = "";
      await Promise.all([forgetEverything(), forgetAll()]);
      location.assign("/");
    } catch (problem) {
      toast(problem.message);
    }
  }
});
