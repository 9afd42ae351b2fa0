// What became of the photos that were sent, in words.

import { send } from "./requests.js";
import { isShown } from "./tiles.js";
import { monthName } from "./times.js";

/** The number of posts whose months are looked up for the message about them. */
const maximumLookedUp = 20;

/** Returns a message about shared photos. It says where they are if that is not in view. */
export async function report(posts) {
  const message = posts.length === 1 ? "Your photo is shared." : `Your ${posts.length} photos are shared.`;
  const hidden = posts.filter((post) => !isShown(post));
  if (!hidden.length) return message;
  const elsewhere = `${message} They are in the months when they were taken.`;
  if (hidden.length > maximumLookedUp) return elsewhere;
  const found = await Promise.all(hidden.map((post) => send("GET", `/posts/${post}`).catch(() => null)));
  const months = new Set(found.map((post) => post?.taken.slice(0, 7)));
  return months.size === 1 && found[0] ? `${message} See ${monthName([...months][0])}.` : elsewhere;
}

/** Returns what became of the photos, such as “183 of 200 shared, 17 were already here.” */
export function summary({ shared, known, failed, count }) {
  const parts = [`${shared.length} of ${count} shared`];
  if (known) parts.push(known === 1 ? "1 was already here" : `${known} were already here`);
  if (failed) parts.push(`${failed} failed`);
  return `${parts.join(", ")}.`;
}
