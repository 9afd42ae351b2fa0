// Who can see the photos. Only owners decide.

import { send } from "./requests.js";
import { text } from "./texts.js";
import { toast } from "./toasts.js";

const dialog = document.getElementById("visibility");
const form = dialog.querySelector("form");
const error = form.querySelector(".error");
const asked = "kennel.visibility.asked";

function show({ visibility, isPublicBySetting }) {
  error.textContent = "";
  form.elements.visibility.value = visibility === "people" ? "people" : "everyone";
  form.querySelector(".undecided").hidden = visibility !== "undecided";
  form.querySelector(".forced").hidden = !isPublicBySetting;
  dialog.showModal();
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = form.querySelector("[type=submit]");
  button.disabled = true;
  error.textContent = "";
  try {
    const { visibility } = await send("PUT", "/visibility", { visibility: form.elements.visibility.value });
    dialog.close();
    toast(text(visibility === "people" ? "onlyPeople" : "everyone"));
  } catch (problem) {
    error.textContent = problem.message;
  } finally {
    button.disabled = false;
  }
});
dialog.querySelector("[data-close]").addEventListener("click", () => dialog.close());
document.addEventListener("click", async (event) => {
  if (!event.target.closest("[data-visibility]")) return;
  try {
    show(await send("GET", "/visibility"));
  } catch (problem) {
    toast(problem.message);
  }
});

/** Asks the owner of a kennel of an earlier version once. Its photos are open to everyone until the owner decides. */
async function askOnce() {
  if (!document.querySelector("[data-visibility]") || sessionStorage.getItem(asked)) return;
  const state = await send("GET", "/visibility");
  if (state.visibility !== "undecided" || state.isPublicBySetting || document.querySelector("dialog[open]")) return;
  sessionStorage.setItem(asked, "yes");
  show(state);
}

askOnce().catch(() => {});
