// The service worker of the page. It takes photos from a phone's share sheet, and shows the latest photos while the kennel
// cannot be reached. If the kennel answers, its answer is shown: a page is never older than the kennel.

// The names are also in kept.js and shared.js.
const keptPhotos = "kennel-kept-photos";
const sharedFiles = "kennel-shared-files";

const maximumAge = 7 * 24 * 60 * 60 * 1000;
const maximumFiles = 100;

// Not the pages of secret links and invitations, and no files.
const pages = /^\/(hearts|albums(\/\d+)?|search|photos\/\d+|people\/\d+\/photos|people|you|deleted)?$/;
const offlineAddress = "/?offline";

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => {
  // The browser requests a page while it starts the worker.
  event.waitUntil(Promise.all([registration.navigationPreload?.enable(), clients.claim()]));
});

addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== location.origin) return;
  if (request.method === "POST" && pathname === "/share") return event.respondWith(takeFiles(request));
  if (request.method !== "GET") return;
  if (request.mode === "navigate") {
    if (pages.test(pathname)) event.respondWith(show(event));
  } else if (isForKeptPage(request)) {
    event.respondWith(fetch(request).catch(() => keptFile(request)));
  }
});

/** Returns whether a file is for the page that is shown offline. All others are loaded without the worker. */
function isForKeptPage({ referrer }) {
  if (!referrer.startsWith(location.origin)) return false;
  const { pathname, search } = new URL(referrer);
  // Modules and style sheets load further files.
  return pathname + search === offlineAddress || pathname.startsWith("/assets/");
}

/** Returns a kept file. Another size of a kept photo is better than none. */
async function keptFile(request) {
  const cache = await caches.open(keptPhotos);
  for (const ignoreSearch of [false, true]) {
    const file = await cache.match(request, { ignoreSearch, ignoreVary: true });
    if (file) return file;
  }
  return Response.error();
}

/** Returns the page from the kennel, or the kept page if the kennel cannot be reached. */
async function show({ request, preloadResponse }) {
  try {
    const response = (await preloadResponse) ?? (await fetch(request));
    // The session has ended: nothing of it may remain on the device.
    if (response.status === 401) await caches.delete(keptPhotos);
    if (![502, 504].includes(response.status)) return response;
    return (await keptPage(request)) ?? response;
  } catch (problem) {
    const page = await keptPage(request);
    if (page) return page;
    throw problem;
  }
}

/** Returns the kept page with a mark, or null if there is none. Other addresses lead to it. */
async function keptPage({ url }) {
  // Without a kept page, the cache would be made by opening it.
  if (!(await caches.has(keptPhotos))) return null;
  const page = await (await caches.open(keptPhotos)).match("/");
  const kept = Number(page?.headers.get("Kennel-Kept"));
  const age = Date.now() - kept;
  if (!page || !(age >= 0 && age < maximumAge)) {
    await caches.delete(keptPhotos);
    return null;
  }
  const { pathname, search } = new URL(url);
  if (pathname + search !== offlineAddress) return Response.redirect(offlineAddress, 302);
  const text = await page.text();
  const marked = text.replace("<body ", `<body data-offline="${new Date(kept).toISOString()}" `);
  return new Response(marked, { headers: page.headers });
}

/** Keeps files from the share sheet until a page takes them. Nothing is sent to the kennel before the person confirms it. */
async function takeFiles(request) {
  try {
    const form = await request.formData();
    const files = form.getAll("photo").filter((file) => file instanceof File).slice(0, maximumFiles);
    await caches.delete(sharedFiles);
    const cache = await caches.open(sharedFiles);
    for (const [index, file] of files.entries()) {
      const headers = { "Content-Type": file.type, "Kennel-Name": encodeURIComponent(file.name) };
      await cache.put(`/share/${index}`, new Response(file, { headers }));
    }
    return Response.redirect(files.length ? "/?shared" : "/", 303);
  } catch {
    await caches.delete(sharedFiles);
    return Response.redirect("/?shared=again", 303);
  }
}
