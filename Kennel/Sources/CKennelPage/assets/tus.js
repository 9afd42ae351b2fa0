// Uploads that can be resumed: the protocol tus 1.0. The kennel makes a post of a complete upload.

import { Problem, problemOf } from "./requests.js";
import { language, text } from "./texts.js";

const version = { "Tus-Resumable": "1.0.0", Accept: "application/json", "Accept-Language": language };
// Proxies keep a request in memory or on their disk before they pass it on.
const partSize = 16 * 1024 * 1024;

function base64(value) {
  let bytes = "";
  for (const byte of new TextEncoder().encode(value)) bytes += String.fromCharCode(byte);
  return btoa(bytes);
}

async function ask(method, address, headers = {}) {
  let response, body;
  try {
    response = await fetch(address, { method, headers: { ...version, ...headers } });
    body = await response.text();
  } catch {
    throw new Problem(text("unreachable"));
  }
  if (!response.ok) throw problemOf(response.status, body);
  return response.headers;
}

/** Returns the state of an upload in the header fields of a response. The post is null until the upload has become one. */
const stateIn = (field) => ({ offset: Number(field("Upload-Offset")), post: Number(field("Kennel-Post")) || null });

/** Begins an upload, and returns its address. Its description is an object of texts. */
export async function begin(size, description) {
  const pairs = Object.entries(description).map(([key, value]) => `${key} ${base64(value)}`);
  const fields = await ask("POST", "/uploads", { "Upload-Length": size, "Upload-Metadata": pairs.join(",") });
  return fields.get("Location");
}

/** Asks how many bytes of an upload the kennel has. */
export async function stateOf(address) {
  const fields = await ask("HEAD", address);
  return stateIn((name) => fields.get(name));
}

/** Removes an upload. It expires by itself if that fails. */
export const cancel = (address) => ask("DELETE", address).catch(() => {});

/** Returns whether a file can still be read: it may have been deleted or changed since it was chosen. */
const isReadable = (file, offset) =>
  file.slice(offset, offset + 1).arrayBuffer().then(() => true, () => false);

/** Sends the next part of a file. `progress` is called with the number of bytes that were sent of the file. */
export function sendPart(address, file, offset, { progress, signal, isAgain }) {
  return new Promise((resolve, reject) => {
    // Only XMLHttpRequest reports upload progress.
    const request = new XMLHttpRequest();
    request.open("PATCH", isAgain ? `${address}?duplicate=allow` : address);
    const headers = { ...version, "Content-Type": "application/offset+octet-stream", "Upload-Offset": offset };
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => progress(offset + loaded);
    request.onload = () => {
      if (request.status === 204) resolve(stateIn((name) => request.getResponseHeader(name)));
      else reject(problemOf(request.status, request.responseText));
    };
    request.onerror = async () => reject(await isReadable(file, offset)
      ? new Problem(text("unreachable")) : new Problem(text("unreadable", { name: file.name }), 400));
    request.onabort = () => reject(new DOMException("Stopped", "AbortError"));
    signal.addEventListener("abort", () => request.abort(), { once: true });
    if (signal.aborted) reject(new DOMException("Stopped", "AbortError"));
    else request.send(file.slice(offset, offset + partSize));
  });
}
