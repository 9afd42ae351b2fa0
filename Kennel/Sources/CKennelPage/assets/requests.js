// Sends requests to the kennel. Errors are thrown with a message to display.

import { forgetKept } from "./kept.js";
import { language, text } from "./texts.js";

export class Problem extends Error {
  constructor(sentence, status = 0, post = null) {
    super(sentence);
    this.status = status;
    /** The post that the problem is about. */
    this.post = post;
  }
}

/** Returns the message in the problem document of a response. */
export function sentence(status, body) {
  try {
    const { detail, title } = JSON.parse(body);
    return detail || title || text("failedWithStatus", { status });
  } catch {
    return text("failedForNow", { status });
  }
}

/** Returns the post that the problem document of a response is about, or null. */
function postIn(body) {
  try {
    return JSON.parse(body).post ?? null;
  } catch {
    return null;
  }
}

async function ask(address, options) {
  let response, body;
  try {
    // The user may have chosen another language than the browser.
    const headers = { "Accept-Language": language, ...options.headers };
    response = await fetch(address, { ...options, headers });
    body = await response.text();
  } catch {
    throw new Problem(text("unreachable"));
  }
  if (response.status === 401) forgetKept();
  return { response, body };
}

/** Sends an object, if any, and returns the object in the response, or null if it is empty. */
export async function send(method, address, object) {
  const headers = { Accept: "application/json" };
  if (object !== undefined) headers["Content-Type"] = "application/json";
  const { response, body } = await ask(address, { method, headers, body: JSON.stringify(object) });
  if (!response.ok) throw new Problem(sentence(response.status, body), response.status);
  return body ? JSON.parse(body) : null;
}

/** Loads a page as a document from which parts are taken. The server has escaped everything in it. */
export async function page(address) {
  const { response, body } = await ask(address, { headers: { Accept: "text/html" }, cache: "no-cache" });
  const found = new DOMParser().parseFromString(body, "text/html");
  if (!response.ok) {
    const detail = found.querySelector(".empty p")?.textContent;
    throw new Problem(detail || sentence(response.status, body), response.status);
  }
  return found;
}

/** Sends a form with a file. `progress` is called with a fraction from 0 to 1. Aborting the signal cancels it. */
export function sendForm(address, form, { progress, signal }) {
  return new Promise((resolve, reject) => {
    // Only XMLHttpRequest reports upload progress.
    const request = new XMLHttpRequest();
    request.open("POST", address);
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("Accept-Language", language);
    request.upload.onprogress = (event) => progress(event.lengthComputable ? event.loaded / event.total : 0);
    request.upload.onload = () => progress(1);
    request.onload = () => {
      if (request.status === 201) resolve(JSON.parse(request.responseText));
      else {
        const { status, responseText } = request;
        reject(new Problem(sentence(status, responseText), status, postIn(responseText)));
      }
    };
    request.onerror = () => reject(new Problem(text("connectionLost")));
    request.onabort = () => reject(new DOMException("Stopped", "AbortError"));
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(form);
  });
}
