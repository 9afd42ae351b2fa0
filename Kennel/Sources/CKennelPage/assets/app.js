// The scripts of Kennel's page. Without scripts, the page still shows everything.

import "./account.js";
import { albumMissing, showsAlbum } from "./albums.js";
import { commentsChanged, keepUnfinishedComment, removeComment } from "./comments.js";
import { confirmed } from "./confirmation.js";
import { listen } from "./events.js";
import { announce, removePost } from "./grid.js";
import { countHearts } from "./hearts.js";
import { leave, shownPost } from "./lightbox.js";
import { backOnline } from "./offline.js";
import { fadeIn } from "./pictures.js";
import { onRefresh, refresh, refreshSoon } from "./refresh.js";
import { send } from "./requests.js";
import { refreshOrLeave } from "./session.js";
import { text } from "./texts.js";
import { formatTimes } from "./times.js";
import { toast } from "./toasts.js";
import "./bin.js";
import "./drop.js";
import "./edit.js";
import "./links.js";
import "./months.js";
import "./place.js";
import "./select.js";
import "./shared.js";
import "./upload.js";
import "./visibility.js";

fadeIn();
formatTimes();

const { place } = document.body.dataset;
const ownPage = Number(document.querySelector("main > .photo")?.dataset.post);
const deleting = new Set();

function handleDeletion(post) {
  if (!deleting.has(post)) {
    if (shownPost() === post) toast(text("photoDeleted"));
    if (ownPage === post) toast(text("photoGone"));
  }
  leave(post);
  removePost(post);
}

function handle(kind, event) {
  switch (kind) {
    case "hello": return backOnline();
    case "post": return announce(event.post);
    case "favourites": return countHearts(event);
    case "comment": return commentsChanged(event.post, event.count);
    case "comment-removed": return removeComment(event.post, event.comment, event.count);
    case "post-changed":
    case "dates": return refreshSoon();
    case "album-changed": return showsAlbum(event.album) && refreshSoon(albumMissing);
    case "post-removed": return handleDeletion(event.post);
    case "lost": return refresh().catch(() => {});
  }
}

if (place !== "problem") listen(handle);
onRefresh((newer) => {
  const article = document.querySelector("main > .photo");
  const found = newer.querySelector("main > .photo");
  if (!article || !found) return;
  article.replaceWith(keepUnfinishedComment(article, document.adoptNode(found)));
  fadeIn(found);
  formatTimes(found);
});
// The browser may show a page that it has kept, although the person has signed out since.
const [navigation] = performance.getEntriesByType("navigation");
addEventListener("pageshow", (event) => {
  const isSignIn = document.querySelector("main form[action^='/session']");
  if (!isSignIn && (event.persisted || navigation?.type === "back_forward")) refreshOrLeave();
});

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-delete-post]");
  if (!button) return;
  const post = Number(button.dataset.deletePost);
  if (!(await confirmed(text("deletePhoto"), text("deletePhotoText")))) return;
  deleting.add(post);
  try {
    await send("DELETE", `/posts/${post}`);
    if (ownPage === post) return location.assign("/");
    handleDeletion(post);
    toast(text("photoInBin"));
  } catch (problem) {
    deleting.delete(post);
    toast(problem.message);
  }
});

// The Close buttons of the sign-in dialog.
for (const button of document.querySelectorAll("#sign-in [data-close]")) {
  button.addEventListener("click", () => button.closest("dialog").close());
}
