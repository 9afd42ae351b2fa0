// Looks at the page anew: it is fetched again, and its parts make themselves like what has come.

import { page } from "./requests.js";

/** The page's own, as it was at first: an opened photo puts another into the bar. */
export const address = location.pathname + location.search;
const parts = [];

/** Has a function called with the newer document whenever the page is looked at anew. */
export const onAnew = (part) => parts.push(part);

/** Fetches the page again and makes this one like it, keeping what is the same. */
export async function lookAnew() {
  const found = await page(address);
  document.body.dataset.viewer = found.body.dataset.viewer;
  document.querySelector(".bar").replaceWith(document.adoptNode(found.querySelector(".bar")));
  await Promise.all(parts.map((part) => part(found)));
}
