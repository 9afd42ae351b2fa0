// Hears what happens in the kennel while the page is seen.

import { onAnew } from "./anew.js";

const kinds = ["hello", "post", "favourites", "comment", "comment-removed", "post-removed", "lost"];
const longestPause = 30_000;
let source = null;
let last = Number(document.body.dataset.event);
let pause = 1000;
let timer = 0;
let hear = () => {};
// Of their own hearts the kennel tells only those who are signed in.
let hearer = "";

function close() {
  clearTimeout(timer);
  source?.close();
  source = null;
}

function open() {
  close();
  // A hidden tab would hold one of the few connections a browser has for a site; it catches up when it is seen.
  if (document.hidden) return;
  hearer = document.body.dataset.viewer;
  source = new EventSource(last >= 0 ? `/events?after=${last}` : "/events");
  for (const kind of kinds) {
    source.addEventListener(kind, (message) => {
      pause = 1000;
      const event = JSON.parse(message.data);
      if (event.id >= 0) last = Math.max(last, event.id);
      hear(kind, event);
    });
  }
  source.onerror = () => {
    // It tries again by itself, unless it was refused.
    if (source?.readyState !== EventSource.CLOSED) return;
    timer = setTimeout(open, pause);
    pause = Math.min(pause * 2, longestPause);
  };
}

/** Has `hearing` called with a kind and what happened. */
export function listen(hearing) {
  hear = hearing;
  open();
  document.addEventListener("visibilitychange", open);
  addEventListener("pagehide", close);
  addEventListener("pageshow", (event) => event.persisted && open());
  onAnew(() => { if (source && hearer !== document.body.dataset.viewer) open(); });
}
