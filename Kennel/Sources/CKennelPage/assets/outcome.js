// What became of the photos that were sent, in words.

import { send } from "./requests.js";
import { text } from "./texts.js";
import { isShown } from "./tiles.js";
import { monthName } from "./times.js";

/** The number of posts whose months are looked up for the message about them. */
const maximumLookedUp = 20;

/** Returns a message about shared photos. It says where they are if that is not in view. */
export async function report(posts) {
  const message = text("photosShared", { count: posts.length });
  const hidden = posts.filter((post) => !isShown(post));
  if (!hidden.length) return message;
  const elsewhere = `${message} ${text("inTheirMonths")}`;
  if (hidden.length > maximumLookedUp) return elsewhere;
  const found = await Promise.all(hidden.map((post) => send("GET", `/posts/${post}`).catch(() => null)));
  const months = new Set(found.map((post) => post?.taken.slice(0, 7)));
  return months.size === 1 && found[0] ? `${message} ${text("seeMonth", { month: monthName([...months][0]) })}` : elsewhere;
}

/** Returns what became of the photos, such as “183 of 200 shared, 17 were already here.” */
export function summary({ shared, known, failed, count }) {
  const parts = [text("sharedOf", { done: shared.length, total: count })];
  if (known) parts.push(text("alreadyHere", { count: known }));
  if (failed) parts.push(text("notSharedCount", { count: failed }));
  return `${parts.join(", ")}.`;
}
