// Sends chosen photos, several at a time. What is interrupted by a cut connection goes on when it is back.

import { begin, sendPart, stateOf } from "./tus.js";

const maximumAtOnce = 3;
/** The number of attempts after errors of the kennel itself. A lost connection is waited for as long as it takes. */
const maximumAttempts = 5;
const longestPause = 30_000;
/** Larger files are not read twice to find out whether the kennel has them already. */
const maximumHashed = 64 * 1024 * 1024;

let beginning = Promise.resolve();

/** Waits, and ends early when the browser is online again. Aborting the signal throws. */
function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const settle = (action) => () => {
      clearTimeout(timer);
      removeEventListener("online", resume);
      signal.removeEventListener("abort", stop);
      action();
    };
    const resume = settle(resolve);
    const stop = settle(() => reject(new DOMException("Stopped", "AbortError")));
    const timer = setTimeout(resume, milliseconds);
    addEventListener("online", resume);
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
  });
}

/** Returns the SHA-256 hash of a file, or null if the browser cannot compute it here. */
async function hashOf(file) {
  // Browsers have it only with HTTPS and on this machine.
  if (!globalThis.crypto?.subtle || file.size > maximumHashed) return null;
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function describe(photo) {
  const description = {};
  if (photo.caption) description.caption = photo.caption;
  if (photo.sharesPlace) description.place = "shared";
  if (photo.isAgain) description.duplicate = "allow";
  const hash = await hashOf(photo.file);
  if (hash) description.sha256 = hash;
  return description;
}

/** Begins uploads one after another, so that photos without a date stay in the order in which they were chosen. */
function beginInTurn(photo) {
  const begun = beginning.then(async () => begin(photo.file.size, await describe(photo)));
  beginning = begun.catch(() => {});
  return begun;
}

/** Sends what the kennel does not have yet of a photo, and returns its post. */
async function sendRest(photo, signal, on) {
  let state = { offset: 0, post: null };
  if (photo.address) {
    state = await stateOf(photo.address);
  } else {
    photo.address = await beginInTurn(photo);
    on.begun(photo);
  }
  const { file, isAgain } = photo;
  // Without a post, also a complete upload needs another request.
  while (!state.post) {
    const progress = (sent) => on.progress(photo, sent / file.size);
    progress(state.offset);
    state = await sendPart(photo.address, file, state.offset, { progress, signal, isAgain });
    if (state.offset > 0) photo.failures = 0;
  }
  return state.post;
}

/** Returns whether the same request may succeed later: the photo itself was not the problem. */
export const isTemporary = ({ status }) => [0, 408, 423, 429, 460].includes(status) || status >= 500;

/** Sends a photo, and returns its post. */
async function send(photo, signal, on) {
  photo.failures = 0;
  while (true) {
    try {
      return await sendRest(photo, signal, on);
    } catch (problem) {
      if (problem.name === "AbortError") throw problem;
      // The upload has expired, or more bytes have arrived than this page knows.
      const isForgotten = problem.status === 404 && photo.address;
      const isBehind = problem.status === 409 && !problem.post;
      if (isForgotten) photo.address = null;
      if (!isForgotten && !isBehind && !isTemporary(problem)) throw problem;
      photo.failures += 1;
      if (problem.status !== 0 && photo.failures >= maximumAttempts) throw problem;
      if (isTemporary(problem)) on.waiting(photo, problem);
      await pause(Math.min(longestPause, 500 * 2 ** (photo.failures - 1)), signal);
    }
  }
}

/**
 * Sends photos. Each has a file, a caption and the address of its upload, if it was begun before.
 *
 * `on` has functions for what happens to a photo: `begun`, `progress`, `waiting`, `shared` and `failed`. If `failed` returns
 * true, the others are not sent either.
 */
export async function sendPhotos(photos, controller, on) {
  const rest = [...photos];
  const { signal } = controller;
  async function work() {
    while (rest.length && !signal.aborted) {
      const photo = rest.shift();
      try {
        on.shared(photo, await send(photo, signal, on));
      } catch (problem) {
        if (on.failed(photo, problem)) controller.abort();
      }
    }
  }
  await Promise.all(Array.from({ length: maximumAtOnce }, work));
}
