// Short messages at the bottom of the page. Screen readers read them out.

const place = document.getElementById("toasts");

let latest = null;

// Content behind an open dialog is hard to see and is not read out, so messages are moved into the topmost dialog.
function moveToTop() {
  const onTop = latest?.matches(":modal") ? latest : [...document.querySelectorAll("dialog:modal")].at(-1);
  const host = onTop ?? document.body;
  if (place.parentElement !== host) host.append(place);
  else if (place.matches(":popover-open")) return;
  place.showPopover();
}

document.addEventListener("toggle", ({ target, newState }) => {
  if (target.localName !== "dialog" || newState !== "open") return;
  latest = target;
  moveToTop();
}, true);
document.addEventListener("close", moveToTop, true);
moveToTop();

export function toast(text) {
  moveToTop();
  const message = document.createElement("p");
  message.className = "toast";
  message.textContent = text;
  place.append(message);
  while (place.children.length > 3) place.firstElementChild.remove();
  setTimeout(() => {
    message.classList.add("leaving");
    setTimeout(() => message.remove(), 300);
  }, 5000);
}
