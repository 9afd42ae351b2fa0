// The comments on the photo that is shown: writing, deleting, and showing new comments from others.

import { Problem, page, send } from "./requests.js";
import { confirmed } from "./confirmation.js";
import { forget, signedIn } from "./session.js";
import { text } from "./texts.js";
import { formatTimes } from "./times.js";
import { toast } from "./toasts.js";

const maximumPages = 50;
const part = (post, selector) => document.querySelector(`article.photo[data-post="${post}"] .comments ${selector}`);
const list = (post) => part(post, "ol");
const item = (post, comment) => part(post, `li[data-comment="${comment}"]`);
const later = (post) => part(post, ".later");
const inProgress = new Map();

/** Fetches the comments after the last one shown, and returns the first new one. */
async function takeLater(post) {
  const last = list(post)?.lastElementChild?.dataset.comment ?? 0;
  const found = await page(`/photos/${post}?after=${last}`);
  const shown = list(post);
  if (!shown) return null;
  const fresh = [...found.querySelectorAll(".comments li")].filter(({ dataset }) => !item(post, dataset.comment));
  for (const one of fresh) one.classList.add("new");
  shown.append(...fresh.map((one) => document.adoptNode(one)));
  formatTimes(shown);
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
  while (later(post) && ++pages < maximumPages);
}

/** Refreshes the comments. A call during a refresh starts another one after it. */
async function refresh(post) {
  if (inProgress.has(post)) {
    inProgress.set(post, true);
    return;
  }
  try {
    do {
      inProgress.set(post, false);
      await takeAll(post);
    } while (inProgress.get(post));
  } finally {
    inProgress.delete(post);
  }
}

function countComments(post, count) {
  for (const element of document.querySelectorAll(`[data-comments="${post}"]`)) element.textContent = count;
}

/** Handles an event: the number of comments on a post has changed. */
export function commentsChanged(post, count) {
  countComments(post, count);
  // If there are further pages, the reader is not at the end yet.
  if (list(post) && !later(post)) refresh(post).catch(() => {});
}

export function removeComment(post, comment, count) {
  if (count !== undefined) countComments(post, count);
  item(post, comment)?.remove();
}

/** Moves an unfinished comment to a newer article, and returns that article. */
export function keepUnfinishedComment(older, newer) {
  const form = older.querySelector("[data-comment-on]");
  const fresh = newer.querySelector("[data-comment-on]");
  if (form && fresh?.dataset.commentOn === form.dataset.commentOn) {
    const field = form.contains(document.activeElement) ? document.activeElement : null;
    fresh.replaceWith(form);
    // The field can have the focus only after it is in the page again.
    queueMicrotask(() => field?.focus({ preventScroll: true }));
  }
  return newer;
}

document.addEventListener("submit", async (event) => {
  const form = event.target.closest("[data-comment-on]");
  if (!form) return;
  event.preventDefault();
  const post = Number(form.dataset.commentOn);
  const comment = form.elements.text.value.trim();
  const error = form.querySelector(".error");
  const button = form.querySelector("button");
  if (!comment || button.disabled) return;
  error.textContent = "";
  button.disabled = true;
  try {
    await send("POST", `/posts/${post}/comments`, { text: comment });
    form.elements.text.value = "";
    await refresh(post);
    list(post)?.lastElementChild?.scrollIntoView({ block: "nearest" });
  } catch (problem) {
    error.textContent = problem.message;
    if (problem instanceof Problem && problem.status === 401) {
      forget();
      signedIn(text("signedOutComment"));
    }
  } finally {
    button.disabled = false;
  }
});

// Enter sends the comment on devices with a mouse; Shift+Enter starts a new line.
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
  if (!(await confirmed(text("deleteComment"), text("cannotBeUndone")))) return;
  try {
    await send("DELETE", `/posts/${post}/comments/${comment}`);
    removeComment(post, comment);
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
