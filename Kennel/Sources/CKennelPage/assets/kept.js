// Keeps the latest photos on the device. The service worker shows them while the kennel cannot be reached.

import { isShown } from "./tiles.js";

const keptPhotos = "kennel-kept-photos";
const maximumPhotos = 60;
const maximumBytes = 16 * 1024 * 1024;
const oneDay = 24 * 60 * 60 * 1000;

// The browser's own cache has thumbnails for the `Accept` field of images, which scripts do not know. They stay there.
const thumbnailRequest = { cache: "no-store", headers: { Accept: "image/webp,*/*;q=0.8" } };

// Browsers have neither on a page without TLS, except from the same machine.
const canKeep = "caches" in globalThis && "serviceWorker" in navigator;

/** Deletes what is kept: the session has ended, or another person uses the page. */
export async function forgetKept() {
  if (canKeep) await caches.delete(keptPhotos).catch(() => {});
}

/** Deletes everything that the page and the service worker have stored, also photos from the share sheet. */
export async function forgetEverything() {
  if (!canKeep) return;
  const names = await caches.keys().catch(() => []);
  await Promise.all(names.filter((name) => name.startsWith("kennel-")).map((name) => caches.delete(name)));
}

const hasWorker = () => Boolean(navigator.serviceWorker.controller);

/** Returns what is kept as a response, or undefined. */
async function kept() {
  if (!(await caches.has(keptPhotos))) return undefined;
  return (await caches.open(keptPhotos)).match("/");
}

const viewerOf = (page) => decodeURIComponent(page.headers.get("Kennel-Viewer") ?? "");

/** Deletes what is kept unless it is that of the viewer. */
async function forgetOthers() {
  const page = await kept();
  if (page && (viewerOf(page) !== document.body.dataset.viewer || !hasWorker())) await forgetKept();
}

/** Asks the kennel who has signed in, and deletes what is kept for anyone else. */
export async function checkKept() {
  if (!canKeep) return;
  try {
    if (!(await kept())) return;
    const response = await fetch("/session", { headers: { Accept: "application/json" } });
    if (!response.ok) return;
    const { user } = await response.json();
    const page = await kept();
    if (page && viewerOf(page) !== user?.name) await forgetKept();
  } catch {
    // The kennel cannot be reached: this is what the photos are kept for.
  }
}

/** The files of a document that a browser needs to show it. */
function filesOf(found) {
  const links = found.querySelectorAll("link[rel=stylesheet], link[rel=modulepreload], link[rel=icon]");
  return [...links].map((link) => link.getAttribute("href"))
    .concat([...found.querySelectorAll("script[src]")].map((script) => script.getAttribute("src")));
}

const postOf = (picture) => picture.closest("[data-post]").dataset.post;

/** The thumbnails of a document, in the sizes that this page has loaded, with their posts. */
function thumbnailsOf(found) {
  const shown = new Map([...document.querySelectorAll("#grid [data-post] .sharp")]
    .map((picture) => [postOf(picture), picture.currentSrc]));
  return [...found.querySelectorAll("#grid [data-post] .sharp")].slice(0, maximumPhotos).map((picture) => {
    const post = postOf(picture);
    const { pathname, search } = new URL(shown.get(post) || picture.getAttribute("src"), location.origin);
    return { address: pathname + search, post };
  });
}

/** Stores the newest photos as they are now. Nothing is stored for visitors who have not signed in. */
async function keep() {
  const { viewer, event } = document.body.dataset;
  const known = await kept();
  const age = Date.now() - Number(known?.headers.get("Kennel-Kept"));
  const state = `${event} ${document.querySelector("script[src]").getAttribute("src")}`;
  if (known?.headers.get("Kennel-State") === state && age < oneDay) return;
  const response = await fetch("/", { headers: { Accept: "text/html" }, cache: "no-cache" });
  const text = await response.text();
  const found = new DOMParser().parseFromString(text, "text/html");
  if (!response.ok || found.body.dataset.viewer !== viewer) return;
  const cache = await caches.open(keptPhotos);
  const wanted = new Set(["/"]);
  let bytes = 0;
  const files = filesOf(found).map((address) => ({ address }));
  for (const { address, post } of [...files, ...thumbnailsOf(found)]) {
    if (bytes > maximumBytes) break;
    // It may have been deleted meanwhile.
    if (post && !isShown(post)) continue;
    wanted.add(address);
    if (await cache.match(address)) continue;
    const file = await fetch(address, address.startsWith("/assets/") ? { cache: "force-cache" } : thumbnailRequest);
    if (!file.ok) continue;
    bytes += (await file.clone().blob()).size;
    await cache.put(address, file);
  }
  const headers = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": response.headers.get("Content-Security-Policy"),
    "Referrer-Policy": response.headers.get("Referrer-Policy"),
    "Kennel-Viewer": encodeURIComponent(viewer),
    "Kennel-State": state,
    "Kennel-Kept": String(Date.now()),
  };
  await cache.put("/", new Response(text, { headers }));
  for (const { url } of await cache.keys()) {
    const { pathname, search } = new URL(url);
    if (!wanted.has(pathname + search)) await cache.delete(url);
  }
  // The person may have signed out meanwhile, also in another window.
  await checkKept();
}

/** Keeps the photos of the page, if it shows the newest ones to a person who has signed in. */
export async function keepPhotos() {
  if (!canKeep || "offline" in document.body.dataset) return;
  await forgetOthers();
  if (!document.body.dataset.viewer || document.body.dataset.place !== "photos" || /[?&](before|month)=/.test(location.search)) return;
  if (hasWorker()) await keep();
}
