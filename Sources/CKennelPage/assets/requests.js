// Talks with the kennel. What goes wrong is thrown as a sentence to show.

export class Problem extends Error {
  constructor(sentence, status = 0) {
    super(sentence);
    this.status = status;
  }
}

const unreachable = "The kennel cannot be reached. Check the connection, then try again.";

/** The sentence in an answer's problem document. */
export function sentence(status, text) {
  try {
    const { detail, title } = JSON.parse(text);
    return detail || title || `That did not work (${status}).`;
  } catch {
    return `That did not work (${status}). Try again in a moment.`;
  }
}

async function ask(address, options) {
  let response, text;
  try {
    response = await fetch(address, options);
    text = await response.text();
  } catch {
    throw new Problem(unreachable);
  }
  return { response, text };
}

/** Sends an object, if any, and gives the answer's; null when there is none. */
export async function send(method, address, object) {
  const headers = { Accept: "application/json" };
  if (object !== undefined) headers["Content-Type"] = "application/json";
  const { response, text } = await ask(address, { method, headers, body: JSON.stringify(object) });
  if (!response.ok) throw new Problem(sentence(response.status, text), response.status);
  return text ? JSON.parse(text) : null;
}

/** A page as a document, from which parts are taken. The server has escaped all that is in it. */
export async function page(address) {
  const { response, text } = await ask(address, { headers: { Accept: "text/html" }, cache: "no-cache" });
  const found = new DOMParser().parseFromString(text, "text/html");
  if (!response.ok) {
    const detail = found.querySelector(".empty p")?.textContent;
    throw new Problem(detail || sentence(response.status, text), response.status);
  }
  return found;
}

/** Sends a form with a file; `progress` hears how much of it is there, from 0 to 1. Aborting the signal ends it. */
export function sendForm(address, form, { progress, signal }) {
  return new Promise((resolve, reject) => {
    // Only this tells how far a body has got.
    const request = new XMLHttpRequest();
    request.open("POST", address);
    request.setRequestHeader("Accept", "application/json");
    request.upload.onprogress = (event) => progress(event.lengthComputable ? event.loaded / event.total : 0);
    request.upload.onload = () => progress(1);
    request.onload = () => {
      if (request.status === 201) resolve(JSON.parse(request.responseText));
      else reject(new Problem(sentence(request.status, request.responseText), request.status));
    };
    request.onerror = () => reject(new Problem("The connection broke while sending. Try again."));
    request.onabort = () => reject(new DOMException("Stopped", "AbortError"));
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(form);
  });
}
