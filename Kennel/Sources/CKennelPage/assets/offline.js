// The service worker, and what the page does while the kennel cannot be reached.

import { keepPhotos } from "./kept.js";
import { onRefresh } from "./refresh.js";

const notice = document.getElementById("offline");
const { offline } = document.body.dataset;
const workers = navigator.serviceWorker;

if (offline) {
  notice.querySelector("time").dateTime = offline;
  notice.hidden = false;
} else if (location.search === "?offline") {
  history.replaceState(history.state, "", "/");
}

/** Shows the photos of the kennel, if the page shows those that were kept. */
export function backOnline() {
  if (offline) location.replace("/");
}

const keep = () => keepPhotos().catch(() => {});

let viewer = "";

/** Registers the worker for a person who has signed in. */
function begin() {
  if (document.body.dataset.viewer === viewer) return;
  viewer = document.body.dataset.viewer;
  if (viewer && workers) workers.register("/worker.js").catch(() => {});
  keep();
}

// The first worker of the page. A worker that replaces another one may be the one that ends them.
if (!workers?.controller) workers?.addEventListener("controllerchange", keep, { once: true });
addEventListener("online", backOnline);
addEventListener("load", () => (document.body.dataset.viewer ? begin() : keep()));
onRefresh(begin);
