// Albums: making, changing and deleting them, and which photos are in them.

import { confirmed } from "./confirmation.js";
import { refresh, onRefresh } from "./refresh.js";
import { send } from "./requests.js";
import { forget, signedIn } from "./session.js";
import { text } from "./texts.js";
import { toast } from "./toasts.js";

const editing = document.getElementById("edit-album");
const adding = document.getElementById("add-to-album");
const maximumChange = 1000;

/** The album whose page is shown, or null. */
export const shownAlbum = () => Number(document.getElementById("shown-album")?.dataset.album) || null;

/** Whether the viewer may change the album whose page is shown. */
export const mayEditAlbum = () => document.getElementById("shown-album")?.dataset.mayEdit === "yes";

// The album that the viewer deletes.
let deleted = null;

/** Whether the page shows something of an album: the album, or the list of all albums. */
export const showsAlbum = (album) => (document.getElementById("albums") || shownAlbum() === album) && album !== deleted;

/** Reports why the page of an album cannot be refreshed. */
export function albumMissing(problem) {
  if (problem.status === 404) toast(text("albumDeleted"));
}

/** Shows a problem in a dialog, or as a message. */
function report(problem, error) {
  if (error) error.textContent = problem.message;
  else toast(problem.message);
  if (problem.status !== 401) return;
  forget();
  signedIn(text("signedOut"));
}

/** Performs what a dialog is for while its button is disabled. Returns whether it succeeded. */
async function perform(dialog, action) {
  const button = dialog.querySelector("[type=submit]");
  const error = dialog.querySelector(".error");
  button.disabled = true;
  error.textContent = "";
  try {
    await action();
    dialog.close();
    return true;
  } catch (problem) {
    report(problem, error);
    return false;
  } finally {
    button.disabled = false;
  }
}

/** Sends the posts in parts, because a request may only have so many. Returns how many have changed. */
async function change(address, posts, member) {
  let count = 0;
  for (let from = 0; from < posts.length; from += maximumChange) {
    const answer = await send("POST", address, { posts: posts.slice(from, from + maximumChange) });
    count += answer[member];
  }
  return count;
}

// The dialog for the title

const { title, open } = editing.querySelector("form").elements;
let edited = null;

async function edit(id) {
  let album = null;
  try {
    album = id && await send("GET", `/albums/${id}?limit=1`);
  } catch (problem) {
    return report(problem);
  }
  edited = id;
  editing.querySelector("h2").textContent = text(id ? "editAlbum" : "newAlbum");
  editing.querySelector(".error").textContent = "";
  title.value = album?.title ?? "";
  open.checked = album?.isOpen ?? false;
  editing.showModal();
  title.focus();
}

editing.querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault();
  perform(editing, async () => {
    const change = { title: title.value, isOpen: open.checked };
    if (edited) {
      await send("PATCH", `/albums/${edited}`, change);
      await refresh().catch(() => {});
    } else {
      location.assign((await send("POST", "/albums", change)).links.self);
    }
  });
});

async function remove(id) {
  if (!(await confirmed(text("deleteAlbum"), text("deleteAlbumText")))) return;
  deleted = id;
  try {
    await send("DELETE", `/albums/${id}`);
    location.assign("/albums");
  } catch (problem) {
    deleted = null;
    report(problem);
  }
}

// The dialog that adds photos

const form = adding.querySelector("form");
const { album: choice, title: newTitle } = form.elements;
let added = [];
let done = () => {};

function showTitle() {
  const isNew = !choice.value;
  adding.querySelector(".new-album").hidden = !isNew;
  newTitle.required = isNew;
}

/** Asks for an album, and adds photos to it. Returns whether they were added. */
export async function addToAlbum(posts) {
  try {
    const { albums } = await send("GET", "/albums");
    const known = albums.filter((album) => album.mayAdd && album.id !== shownAlbum());
    known.sort((one, other) => other.changed.localeCompare(one.changed));
    choice.replaceChildren(new Option(text("newAlbumChoice"), ""), ...known.map((album) => new Option(album.title, album.id)));
    choice.selectedIndex = known.length ? 1 : 0;
  } catch (problem) {
    report(problem);
    return false;
  }
  added = posts;
  newTitle.value = "";
  form.querySelector(".error").textContent = "";
  showTitle();
  adding.showModal();
  (choice.value ? choice : newTitle).focus();
  return new Promise((resolve) => { done = resolve; });
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const finish = done;
  const isDone = await perform(adding, async () => {
    done = () => {};
    const album = choice.value || (await send("POST", "/albums", { title: newTitle.value })).id;
    if (!choice.value) {
      // If adding fails, trying again must not make another album.
      choice.append(new Option(newTitle.value, album, true, true));
      showTitle();
    }
    const count = await change(`/albums/${album}/posts`, added, "added");
    toast(count ? text("photosAdded", { count }) : text("inAlbumAlready"));
  });
  if (isDone) finish(true);
  else done = finish;
});
choice.addEventListener("change", showTitle);
adding.addEventListener("close", () => done(false));

// What is done on the page of an album

/** Removes photos from the album whose page is shown. Returns whether that succeeded. */
export async function removeFromAlbum(posts) {
  try {
    const count = await change(`/albums/${shownAlbum()}/posts/remove`, posts, "removed");
    await refresh().catch(() => {});
    toast(text("photosRemoved", { count }));
    return true;
  } catch (problem) {
    report(problem);
    return false;
  }
}

/** Chooses the cover of the album whose page is shown. Returns whether that succeeded. */
export async function setCover(post) {
  try {
    await send("PATCH", `/albums/${shownAlbum()}`, { cover: post });
    toast(text("newCover"));
    return true;
  } catch (problem) {
    report(problem);
    return false;
  }
}

for (const dialog of [editing, adding]) {
  dialog.querySelector("[data-close]").addEventListener("click", () => dialog.close());
}
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-new-album]")) edit(null);
  if (event.target.closest("[data-edit-album]")) edit(shownAlbum());
  if (event.target.closest("[data-delete-album]")) remove(shownAlbum());
});

/** Replaces a part of the page by the same one of a newer document. */
function replace(newer, id) {
  const part = document.getElementById(id);
  const found = newer.getElementById(id);
  if (part && found && part.outerHTML !== found.outerHTML) part.replaceWith(document.adoptNode(found));
}
onRefresh((newer) => {
  replace(newer, "shown-album");
  replace(newer, "albums");
});
