// The pages about accounts. All of it works without scripts, too; these make it more convenient.

import { copyLink } from "./clipboard.js";

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
