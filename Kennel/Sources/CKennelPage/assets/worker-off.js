// The service worker of a kennel that has none (`kennel serve --no-worker`). It replaces the one that a browser may still have,
// deletes what that one has kept, and removes itself.

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) {
      if (name.startsWith("kennel-")) await caches.delete(name);
    }
    await registration.unregister();
  })());
});
