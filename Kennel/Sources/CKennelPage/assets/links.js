// Secret links to a photo: making, copying and revoking them.

import { copyLink } from "./clipboard.js";
import { send } from "./requests.js";
import { forget, signedIn } from "./session.js";
import { text } from "./texts.js";
import { formatTimes } from "./times.js";
import { toast } from "./toasts.js";

const dialog = document.getElementById("links");
const form = dialog.querySelector("form");
const error = form.querySelector(".error");
const made = form.querySelector(".made");
const address = made.querySelector("input");
const list = dialog.querySelector("ul");
const template = document.getElementById("made-link");
// The path of what is shared.
let target = "";

const time = (date) => {
  const element = document.createElement("time");
  element.dateTime = date;
  return element;
};

const end = (date) => new Intl.DateTimeFormat(text("dateLocale"), { dateStyle: "long" }).format(new Date(date));

function row(link) {
  const item = template.content.firstElementChild.cloneNode(true);
  const about = item.querySelector("p");
  about.append(text("byMaker", { name: link.maker }), time(link.created), document.createElement("br"));
  if (!link.expires) about.append(text("worksUntilRevoked"));
  else about.append(link.isExpired ? text("hasExpired") : text("worksUntil", { date: end(link.expires) }));
  item.querySelector("button").addEventListener("click", () => revoke(link, item));
  return item;
}

async function load() {
  const { links } = await send("GET", `${target}/links`);
  list.replaceChildren(...links.map(row));
  list.hidden = !links.length;
  formatTimes(list);
}

function report(problem) {
  error.textContent = problem.message;
  if (problem.status === 401) forget();
}

async function revoke(link, item) {
  error.textContent = "";
  try {
    await send("DELETE", `${target}/links/${link.id}`);
    if (made.dataset.link === String(link.id)) made.hidden = true;
    item.remove();
    list.hidden = !list.children.length;
    form.querySelector("[type=submit]").focus();
    toast(text("linkRevoked"));
  } catch (problem) {
    report(problem);
  }
}

async function open(path) {
  if (!(await signedIn(text("signInToShareLink")))) return;
  target = path;
  error.textContent = "";
  made.hidden = true;
  list.hidden = true;
  list.replaceChildren();
  for (const part of form.querySelectorAll("[data-of]")) part.hidden = (part.dataset.of === "album") !== path.startsWith("/albums");
  dialog.showModal();
  try {
    await load();
  } catch (problem) {
    report(problem);
  }
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = form.querySelector("[type=submit]");
  const { value } = form.elements.days;
  button.disabled = true;
  error.textContent = "";
  try {
    const link = await send("POST", `${target}/links`, value ? { days: Number(value) } : { never: true });
    address.value = new URL(link.path, location.href).href;
    made.dataset.link = link.id;
    made.hidden = false;
    await copyLink(address);
    await load();
  } catch (problem) {
    report(problem);
  } finally {
    button.disabled = false;
  }
});
made.querySelector("button").addEventListener("click", () => copyLink(address));
dialog.querySelector("[data-close]").addEventListener("click", () => dialog.close());
dialog.addEventListener("close", () => { address.value = ""; });
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-share]");
  if (button) open(button.dataset.share);
});
