// Kennel's page, for those who have scripts. Without them it shows everything, too.

import { lookAnew, onAnew } from "./anew.js";
import { commentGone, commentsChanged, keepWriting } from "./comments.js";
import { confirmed } from "./confirmation.js";
import { listen } from "./events.js";
import { announce, removePost } from "./grid.js";
import { countHearts } from "./hearts.js";
import { leave, shownPost } from "./lightbox.js";
import { softly } from "./pictures.js";
import { send } from "./requests.js";
import { tellTimes } from "./times.js";
import { toast } from "./toasts.js";
import "./session.js";
import "./upload.js";

softly();
tellTimes();

const { place } = document.body.dataset;
const ownPage = Number(document.querySelector("main > .photo")?.dataset.post);
const deleting = new Set();

function isGone(post) {
  if (!deleting.has(post)) {
    if (shownPost() === post) toast("This photo was deleted.");
    if (ownPage === post) toast("This photo was deleted. It is no longer to be seen.");
  }
  leave(post);
  removePost(post);
}

function hear(kind, event) {
  switch (kind) {
    case "post": return announce(event.post);
    case "favourites": return countHearts(event);
    case "comment": return commentsChanged(event.post, event.count);
    case "comment-removed": return commentGone(event.post, event.comment, event.count);
    case "post-removed": return isGone(event.post);
    case "lost": return lookAnew().catch(() => {});
  }
}

if (place !== "problem") listen(hear);
onAnew((newer) => {
  const article = document.querySelector("main > .photo");
  const found = newer.querySelector("main > .photo");
  if (!article || !found) return;
  article.replaceWith(keepWriting(article, document.adoptNode(found)));
  softly(found);
  tellTimes(found);
});
addEventListener("pageshow", (event) => event.persisted && lookAnew().catch(() => {}));

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-delete-post]");
  if (!button) return;
  const post = Number(button.dataset.deletePost);
  if (!(await confirmed("Delete this photo?", "It goes for everybody, with its hearts and comments."))) return;
  deleting.add(post);
  try {
    await send("DELETE", `/posts/${post}`);
    if (ownPage === post) return location.assign("/");
    isGone(post);
    toast("The photo is deleted.");
  } catch (problem) {
    deleting.delete(post);
    toast(problem.message);
  }
});

// A sheet's button that only closes it.
for (const button of document.querySelectorAll("#sign-in [data-close]")) {
  button.addEventListener("click", () => button.closest("dialog").close());
}
