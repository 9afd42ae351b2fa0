// Asks for confirmation before something is deleted.

import { text } from "./texts.js";

const dialog = document.getElementById("confirmation");

/** Asks a question and returns whether the user confirmed. `deed` is the label of the button that confirms. */
export function confirmed(question, consequence, deed = text("delete")) {
  dialog.querySelector("h2").textContent = question;
  dialog.querySelector("p").textContent = consequence;
  dialog.querySelector("[value=yes]").textContent = deed;
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}
