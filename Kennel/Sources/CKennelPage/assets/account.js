// The pages about accounts. All of it works without scripts, too; these make it more convenient.

import { copyLink } from "./clipboard.js";
import { text } from "./texts.js";

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", () => copyLink(document.getElementById(button.dataset.copy)));
}

for (const button of document.querySelectorAll("[data-share-link]")) {
  if (!navigator.share) continue;
  button.hidden = false;
  button.addEventListener("click", () => {
    const { value } = document.getElementById(button.dataset.shareLink);
    navigator.share({ title: document.title, url: value }).catch(() => {});
  });
}

for (const box of document.querySelectorAll("[data-show-passwords]")) {
  const fields = box.form.querySelectorAll("input[type=password]");
  box.addEventListener("change", () => {
    for (const field of fields) field.type = box.checked ? "text" : "password";
  });
}

/** Shows the chosen photo in the place of the picture before it is sent. */
function showChosen(form) {
  const field = form.elements.photo;
  const [shown, error, name] = [".initial", ".error", ".file"].map((part) => form.querySelector(part));
  const present = shown.querySelector("img");
  let preview;
  field.addEventListener("change", () => {
    if (preview) URL.revokeObjectURL(preview.src);
    preview?.remove();
    preview = null;
    const [file] = field.files;
    const isTooLarge = file?.size > Number(form.dataset.picture);
    error.textContent = isTooLarge ? text("pictureTooLarge") : "";
    field.ariaInvalid = isTooLarge ? "true" : null;
    if (isTooLarge) field.value = "";
    name.textContent = isTooLarge ? "" : (file?.name ?? "");
    if (present) present.hidden = Boolean(file) && !isTooLarge;
    if (!file || isTooLarge) return;
    preview = document.createElement("img");
    preview.alt = "";
    // The browser may not know the format, but the kennel does.
    preview.addEventListener("error", () => { preview.hidden = true; });
    preview.src = URL.createObjectURL(file);
    shown.append(preview);
  });
}

for (const form of document.querySelectorAll("[data-picture]")) showChosen(form);
