// Receives events from the kennel while the page is visible.

import { checkKept } from "./kept.js";
import { onRefresh } from "./refresh.js";
import { checkSession } from "./session.js";

const kinds = ["hello", "post", "favourites", "comment", "comment-removed", "post-changed", "dates", "post-removed", "album-changed", "lost"];
const maximumPause = 30_000;
let source = null;
let last = Number(document.body.dataset.event);
let pause = 1000;
let timer = 0;
let handle = () => {};
// The viewer for whom the stream was opened. The kennel marks a user's own hearts only for signed-in users.
let streamViewer = "";

function close() {
  clearTimeout(timer);
  source?.close();
  source = null;
}

function open() {
  close();
  // A hidden tab would occupy one of the few connections that a browser opens to a site. It catches up when it becomes
  // visible.
  if (document.hidden) return;
  streamViewer = document.body.dataset.viewer;
  source = new EventSource(last >= 0 ? `/events?after=${last}` : "/events");
  for (const kind of kinds) {
    source.addEventListener(kind, (message) => {
      pause = 1000;
      const event = JSON.parse(message.data);
      if (event.id >= 0) last = Math.max(last, event.id);
      handle(kind, event);
    });
  }
  source.onerror = () => {
    // The browser reconnects automatically, unless the request was refused.
    if (source?.readyState !== EventSource.CLOSED) return;
    checkKept();
    checkSession();
    timer = setTimeout(open, pause);
    pause = Math.min(pause * 2, maximumPause);
  };
}

/** Calls `handler` with the kind and the data of each event. */
export function listen(handler) {
  handle = handler;
  open();
  document.addEventListener("visibilitychange", open);
  addEventListener("pagehide", close);
  addEventListener("pageshow", (event) => event.persisted && open());
  onRefresh(() => { if (source && streamViewer !== document.body.dataset.viewer) open(); });
}
