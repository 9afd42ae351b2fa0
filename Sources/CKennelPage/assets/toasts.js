// Short messages at the foot of the page, which screen readers read out.

const place = document.getElementById("toasts");

let latest = null;

// What is behind an open dialog is neither seen clearly nor read out: the messages go into the one on top, and there to
// the front.
function settle() {
  const onTop = latest?.matches(":modal") ? latest : [...document.querySelectorAll("dialog:modal")].at(-1);
  const host = onTop ?? document.body;
  if (place.parentElement !== host) host.append(place);
  else if (place.matches(":popover-open")) return;
  place.showPopover();
}

document.addEventListener("toggle", ({ target, newState }) => {
  if (target.localName !== "dialog" || newState !== "open") return;
  latest = target;
  settle();
}, true);
document.addEventListener("close", settle, true);
settle();

export function toast(text) {
  settle();
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
