// Hearts: giving and removing them, and counting those of others.

import { Problem, send } from "./requests.js";
import { forget, signedIn } from "./session.js";
import { text } from "./texts.js";
import { isShown, onReturn } from "./tiles.js";
import { toast } from "./toasts.js";

const buttons = (post) => document.querySelectorAll(`[data-heart="${post}"]`);
const isGiven = (button) => button.getAttribute("aria-pressed") === "true";

// The pending changes by post. At most one request per post is in progress, and the last click decides.
const wishes = new Map();
// The last event that a response includes, by post. This event and earlier ones may still arrive later.
const answered = new Map();

// The latest states of photos that are taken out of the document.
const missed = new Map();

function animate(button, more) {
  button.classList.remove("beat");
  void button.offsetWidth; // restarts the animation
  button.classList.add("beat");
  if (button.closest(".tile") || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const room = 8 - button.querySelectorAll(".floating").length;
  for (let number = 0; number < Math.min(more, room, 4); number++) {
    const heart = button.querySelector(".icon").cloneNode(true);
    heart.classList.add("floating");
    heart.addEventListener("animationend", () => heart.remove());
    button.append(heart);
  }
}

function show(post, { count, given }) {
  if (!buttons(post).length && isShown(post)) missed.set(post, { ...missed.get(post), ...(count !== undefined && { count }), ...(given !== undefined && { given }) });
  for (const button of buttons(post)) {
    const before = Number(button.dataset.count);
    if (count !== undefined && count !== before) {
      button.dataset.count = count;
      button.querySelector(".count").textContent = count;
      if (count > before) animate(button, count - before);
    }
    if (given !== undefined) button.setAttribute("aria-pressed", given);
  }
}

/** Handles an event. Only the user who gave the heart receives `isFavourite`, in all of the user's windows. */
export function countHearts({ id, post, count, isFavourite: given }) {
  if (id <= answered.get(post)) return;
  const wish = wishes.get(post);
  if (!wish) return show(post, { count, given });
  wish.counted = { id, count };
  if (given !== undefined) wish.reported = { id, given };
  show(post, { count });
}

/** Takes the state of a heart from a newer document. */
export function takeHearts(button) {
  const post = Number(button.dataset.heart);
  if (!wishes.has(post)) show(post, { count: Number(button.dataset.count), given: isGiven(button) });
}

onReturn((tile) => {
  const post = Number(tile.dataset.post);
  const state = missed.get(post);
  if (!state) return;
  missed.delete(post);
  show(post, state);
});

async function carryOut(post, wish, before) {
  let answer;
  try {
    while (wish.sent !== wish.wanted) {
      const given = wish.wanted;
      answer = await send(given ? "PUT" : "DELETE", `/posts/${post}/favourite`);
      wish.sent = given;
    }
    // Events may already have reported changes after the response.
    const later = (event) => (event?.id > answer.event ? event : {});
    answered.set(post, answer.event);
    show(post, { count: answer.favourites, given: wish.sent, ...later(wish.counted), ...later(wish.reported) });
  } catch (problem) {
    show(post, { ...before, ...wish.counted, ...wish.reported });
    if (problem instanceof Problem && problem.status === 401) forget();
    toast(problem.message);
  } finally {
    wishes.delete(post);
  }
}

async function toggle(button) {
  const post = Number(button.dataset.heart);
  const wasKnown = Boolean(document.body.dataset.viewer);
  if (!(await signedIn(text("signInForHeart")))) return;
  const [current] = buttons(post);
  // A user who signs in to give a heart may have given it already.
  if (!current || (!wasKnown && isGiven(current))) return;
  const count = Number(current.dataset.count);
  const given = !isGiven(current);
  const before = { count, given: !given };
  show(post, { count: Math.max(count + (given ? 1 : -1), 0), given });
  const wish = wishes.get(post);
  if (wish) {
    wish.wanted = given;
    return;
  }
  const fresh = { wanted: given, sent: !given };
  wishes.set(post, fresh);
  await carryOut(post, fresh, before);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-heart]");
  if (button) toggle(button);
});
document.addEventListener("animationend", (event) => {
  if (event.animationName === "beat") event.target.closest(".heart")?.classList.remove("beat");
});
