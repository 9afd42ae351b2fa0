// Photos from a phone's share sheet. The service worker keeps them until this page takes them.

import { text } from "./texts.js";
import { toast } from "./toasts.js";
import { offer } from "./upload.js";

// The name is also in worker.js.
const sharedFiles = "kennel-shared-files";
const shared = new URLSearchParams(location.search).get("shared");

/** Returns the files that the worker has kept, and deletes them there. */
async function takeFiles() {
  const cache = await caches.open(sharedFiles);
  const files = [];
  for (const request of await cache.keys()) {
    const response = await cache.match(request);
    const name = decodeURIComponent(response.headers.get("Kennel-Name") ?? "");
    files.push(new File([await response.blob()], name, { type: response.headers.get("Content-Type") ?? "" }));
  }
  await caches.delete(sharedFiles);
  return files;
}

async function take() {
  history.replaceState(history.state, "", location.pathname);
  const files = shared === "" ? await takeFiles().catch(() => []) : [];
  if (files.length) await offer(files);
  else toast(text("photosNotArrived"));
}

// After a sign-in, the page with the address of the share follows.
if (document.body.dataset.place !== "problem") {
  if (shared !== null) take();
  else if ("caches" in globalThis) caches.delete(sharedFiles).catch(() => {});
}
