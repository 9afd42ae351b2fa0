// Sends requests to the kennel. Errors are thrown with a message to display.

import { forgetKept } from "./kept.js";

export class Problem extends Error {
  constructor(sentence, status = 0, post = null) {
    super(sentence);
    this.status = status;
    /** The post that the problem is about. */
    this.post = post;
  }
}

export const unreachable = "The kennel cannot be reached. Check the connection, then try again.";

/** Returns the message in the problem document of a response. */
export function sentence(status, text) {
  try {
    const { detail, title } = JSON.parse(text);
    return detail || title || `The request failed (${status}).`;
  } catch {
    return `The request failed (${status}). Try again in a moment.`;
  }
}

/** Returns the problem that a response reports. */
export function problemOf(status, text) {
  let post = null;
  try {
    post = JSON.parse(text).post ?? null;
  } catch {
    // Only a few problems are about a post.
  }
  return new Problem(sentence(status, text), status, post);
}

async function ask(address, options) {
  let response, text;
  try {
    response = await fetch(address, options);
    text = await response.text();
  } catch {
    throw new Problem(unreachable);
  }
  if (response.status === 401) forgetKept();
  return { response, text };
}

/** Sends an object, if any, and returns the object in the response, or null if it is empty. */
export async function send(method, address, object) {
  const headers = { Accept: "application/json" };
  if (object !== undefined) headers["Content-Type"] = "application/json";
  const { response, text } = await ask(address, { method, headers, body: JSON.stringify(object) });
  if (!response.ok) throw new Problem(sentence(response.status, text), response.status);
  return text ? JSON.parse(text) : null;
}

/** Loads a page as a document from which parts are taken. The server has escaped everything in it. */
export async function page(address) {
  const { response, text } = await ask(address, { headers: { Accept: "text/html" }, cache: "no-cache" });
  const found = new DOMParser().parseFromString(text, "text/html");
  if (!response.ok) {
    const detail = found.querySelector(".empty p")?.textContent;
    throw new Problem(detail || sentence(response.status, text), response.status);
  }
  return found;
}
