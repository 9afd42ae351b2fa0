// Short messages at the foot of the page, which screen readers read out.

const place = document.getElementById("toasts");

// What is behind an open dialog is neither seen nor read out: the messages go into the one on top.
function settle() {
  const host = [...document.querySelectorAll("dialog:modal")].at(-1) ?? document.body;
  if (place.parentElement !== host) host.append(place);
}

document.addEventListener("close", settle, true);

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
