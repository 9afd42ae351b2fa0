// Comments under the photo that is shown: written, deleted, and new ones by others.

import { Problem, page, send } from "./requests.js";
import { confirmed } from "./confirmation.js";
import { forget, signedIn } from "./session.js";
import { tellTimes } from "./times.js";
import { toast } from "./toasts.js";

const article = (post) => document.querySelector(`article.photo[data-post="${post}"]`);
const underWay = new Map();

/** Makes the comments shown like those the kennel has. */
async function take(post) {
  const found = await page(`/photos/${post}`);
  const list = article(post)?.querySelector(".comments ol");
  if (!list) return;
  const wanted = [...found.querySelectorAll(".comments li")];
  const ids = new Set(wanted.map((item) => item.dataset.comment));
  for (const item of [...list.children]) if (!ids.has(item.dataset.comment)) item.remove();
  for (const item of wanted) {
    if (list.querySelector(`[data-comment="${item.dataset.comment}"]`)) continue;
    item.classList.add("new");
    list.append(document.adoptNode(item));
  }
  tellTimes(list);
  const count = found.querySelector("[data-comments]")?.textContent;
  if (count) countComments(post, count);
}

/** Once at a time, and once more when asked for in between. */
export async function refreshComments(post) {
  if (underWay.has(post)) {
    underWay.set(post, true);
    return;
  }
  try {
    do {
      underWay.set(post, false);
      await take(post);
    } while (underWay.get(post));
  } finally {
    underWay.delete(post);
  }
}

export function countComments(post, count) {
  for (const element of document.querySelectorAll(`[data-comments="${post}"]`)) element.textContent = count;
}

/** As the kennel tells of it. */
export function commentsChanged(post, count) {
  countComments(post, count);
  if (article(post)) refreshComments(post).catch(() => {});
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
    await refreshComments(post);
    article(post)?.querySelector(".comments li:last-child")?.scrollIntoView({ block: "nearest" });
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
  const list = button.closest(".comments");
  if (!(await confirmed("Delete this comment?", "It goes for everybody."))) return;
  try {
    await send("DELETE", `/posts/${post}/comments/${button.dataset.deleteComment}`);
    await refreshComments(post);
    (list.querySelector("textarea") ?? list.querySelector("button"))?.focus();
  } catch (problem) {
    toast(problem.message);
  }
});
