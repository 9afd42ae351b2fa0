// Refreshes the page: it is fetched again, and its parts update themselves from the new document.

import { page } from "./requests.js";

/** The page's own address. While a photo is open, the address bar shows the photo's address. */
export const address = location.pathname + location.search;
const parts = [];

/** Registers a function that is called with the new document after each refresh. */
export const onRefresh = (part) => parts.push(part);

let changing = 0;

/** Refreshes the page after the last of several changes. */
export function refreshSoon(failed = () => {}) {
  clearTimeout(changing);
  changing = setTimeout(() => refresh().catch(failed), 300);
}

/** Fetches the page again and updates this one, keeping everything that is the same. */
export async function refresh() {
  const found = await page(address);
  document.body.dataset.viewer = found.body.dataset.viewer;
  document.body.dataset.role = found.body.dataset.role;
  const [bar, newer] = [document, found].map((root) => root.querySelector(".bar"));
  // A bar that is the same keeps what is typed into its search field, its open menu, and the focus.
  if (bar.outerHTML !== newer.outerHTML) bar.replaceWith(document.adoptNode(newer));
  await Promise.all(parts.map((part) => part(found)));
}
