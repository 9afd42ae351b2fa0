// Comments under the photo that is shown: written, deleted, and new ones by others.

import { Problem, page, send } from "./requests.js";
import { confirmed } from "./confirmation.js";
import { forget, signedIn } from "./session.js";
import { tellTimes } from "./times.js";
import { toast } from "./toasts.js";

const mostPages = 50;
const part = (post, selector) => document.querySelector(`article.photo[data-post="${post}"] .comments ${selector}`);
const list = (post) => part(post, "ol");
const item = (post, comment) => part(post, `li[data-comment="${comment}"]`);
const later = (post) => part(post, ".later");
const underWay = new Map();

/** Fetches the comments after those shown; gives the first one that is new. */
async function takeLater(post) {
  const last = list(post)?.lastElementChild?.dataset.comment ?? 0;
  const found = await page(`/photos/${post}?after=${last}`);
  const shown = list(post);
  if (!shown) return null;
  const fresh = [...found.querySelectorAll(".comments li")].filter(({ dataset }) => !item(post, dataset.comment));
  for (const one of fresh) one.classList.add("new");
  shown.append(...fresh.map((one) => document.adoptNode(one)));
  tellTimes(shown);
  later(post)?.remove();
  const link = found.querySelector(".comments .later");
  if (link) shown.after(document.adoptNode(link));
  const count = found.querySelector("[data-comments]")?.textContent;
  if (count) countComments(post, count);
  return fresh[0] ?? null;
}

async function takeAll(post) {
  let pages = 0;
  do await takeLater(post);
  while (later(post) && ++pages < mostPages);
}

/** Once at a time, and once more when asked for in between. */
async function refresh(post) {
  if (underWay.has(post)) {
    underWay.set(post, true);
    return;
  }
  try {
    do {
      underWay.set(post, false);
      await takeAll(post);
    } while (underWay.get(post));
  } finally {
    underWay.delete(post);
  }
}

function countComments(post, count) {
  for (const element of document.querySelectorAll(`[data-comments="${post}"]`)) element.textContent = count;
}

/** As the kennel tells of it. */
export function commentsChanged(post, count) {
  countComments(post, count);
  // Whoever has not come to the end is not led there.
  if (list(post) && !later(post)) refresh(post).catch(() => {});
}

export function commentGone(post, comment, count) {
  if (count !== undefined) countComments(post, count);
  item(post, comment)?.remove();
}

/** What somebody has begun to write goes on in a newer article; gives that one. */
export function keepWriting(older, newer) {
  const form = older.querySelector("[data-comment-on]");
  const fresh = newer.querySelector("[data-comment-on]");
  if (form && fresh?.dataset.commentOn === form.dataset.commentOn) {
    const field = form.contains(document.activeElement) ? document.activeElement : null;
    fresh.replaceWith(form);
    // As soon as it is in the page again.
    queueMicrotask(() => field?.focus({ preventScroll: true }));
  }
  return newer;
}

document.addEventListener("submit", async (event) => {
  const form = event.target.closest("[data-comment-on]");
  if (!form) return;
  event.preventDefault();
  const post = Number(form.dataset.commentOn);
  const text = form.elements.text.value.trim();
  const error = form.querySelector(".error");
  const button = form.querySelector("button");
  if (!text || button.disabled) return;
  error.textContent = "";
  button.disabled = true;
  try {
    await send("POST", `/posts/${post}/comments`, { text });
    form.elements.text.value = "";
    await refresh(post);
    list(post)?.lastElementChild?.scrollIntoView({ block: "nearest" });
  } catch (problem) {
    error.textContent = problem.message;
    if (problem instanceof Problem && problem.status === 401) {
      forget();
      signedIn("You were signed out. Sign in, then send it again.");
    }
  } finally {
    button.disabled = false;
  }
});

// Enter sends where there is a keyboard; with Shift it is a new line.
document.addEventListener("keydown", (event) => {
  const isSending = event.key === "Enter" && !event.shiftKey && !event.isComposing;
  const form = event.target.closest?.("[data-comment-on]");
  if (!isSending || !form || event.target.localName !== "textarea" || !matchMedia("(hover: hover)").matches) return;
  event.preventDefault();
  form.requestSubmit();
});

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-delete-comment]");
  if (!button) return;
  const post = Number(button.closest(".photo").dataset.post);
  const comment = Number(button.dataset.deleteComment);
  const place = button.closest(".comments");
  if (!(await confirmed("Delete this comment?", "It goes for everybody."))) return;
  try {
    await send("DELETE", `/posts/${post}/comments/${comment}`);
    commentGone(post, comment);
    (place.querySelector("textarea") ?? place.querySelector("button"))?.focus();
  } catch (problem) {
    toast(problem.message);
  }
});

document.addEventListener("click", async (event) => {
  const link = event.target.closest(".comments .later a");
  if (!link || link.ariaBusy) return;
  event.preventDefault();
  link.ariaBusy = "true";
  try {
    const first = await takeLater(Number(link.closest(".photo").dataset.post));
    first?.setAttribute("tabindex", "-1");
    first?.focus({ preventScroll: true });
  } catch (problem) {
    link.ariaBusy = null;
    toast(problem.message);
  }
});
