// The bin: restoring photos, and deleting them forever.

import { confirmed } from "./confirmation.js";
import { page, send } from "./requests.js";
import { text } from "./texts.js";
import { toast } from "./toasts.js";

/** Removes an item from the list, and moves the focus to the one after it. */
async function remove(item) {
  const list = item.parentElement;
  const next = item.nextElementSibling ?? item.previousElementSibling;
  item.remove();
  if (next) return next.querySelector("button").focus();
  const found = await page("/deleted").catch(() => null);
  const empty = found?.querySelector("main > .empty");
  // The page lists the latest posts only, so there may be more.
  if (!empty) return location.reload();
  list.after(document.adoptNode(empty));
  document.getElementById("main").focus();
}

async function act(item, method, address, message) {
  try {
    await send(method, address);
    toast(message);
    await remove(item);
  } catch (problem) {
    toast(problem.message);
  }
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-restore], [data-delete-forever]");
  if (!button) return;
  const item = button.closest("li");
  const id = item.dataset.binned;
  if (button.hasAttribute("data-restore")) return act(item, "POST", `/bin/${id}/restore`, text("photoRestored"));
  const isSure = await confirmed(text("deleteForever"), text("deleteForeverText"));
  if (isSure) await act(item, "DELETE", `/bin/${id}`, text("deletedForever"));
});
