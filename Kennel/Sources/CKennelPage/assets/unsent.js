// The photos that are being shared, kept by the browser, so that sharing goes on after a reload or another start.
//
// If the browser keeps nothing, for example in a private window, sharing works all the same.

const stores = ["photos", "files"];
let opening = null;

function open() {
  opening ??= new Promise((resolve, reject) => {
    const request = indexedDB.open("kennel-uploads", 1);
    request.onupgradeneeded = () => {
      for (const store of stores) request.result.createObjectStore(store);
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opening;
}

/** Does something with the stores in one transaction, and returns the result of its request, or null if that failed. */
async function transact(mode, work) {
  try {
    const transaction = (await open()).transaction(stores, mode);
    return await new Promise((resolve, reject) => {
      const request = work(...stores.map((store) => transaction.objectStore(store)));
      transaction.oncomplete = () => resolve(request?.result ?? null);
      transaction.onabort = () => reject(transaction.error);
    });
  } catch {
    return null;
  }
}

let last = 0;
/** Returns a key that sorts after the keys before it. */
export const newKey = () => (last = Math.max(last + 1, Date.now() * 1000));

/** Keeps a file and what belongs to it: an object that can be changed later. */
export const keep = (key, file, details) => transact("readwrite", (photos, files) => {
  photos.put(details, key);
  files.put(file, key);
});

/** Changes what belongs to a file that is kept. */
export const change = (key, details) => transact("readwrite", (photos) => {
  const request = photos.getKey(key);
  request.onsuccess = () => { if (request.result) photos.put(details, key); };
});

export const forget = (key) => transact("readwrite", (photos, files) => {
  photos.delete(key);
  files.delete(key);
});

/** Forgets all photos: the person has signed out. */
export const forgetAll = () => transact("readwrite", (photos, files) => {
  photos.clear();
  files.clear();
});

/** Returns the keys of what is kept, in the order in which it was chosen. */
export const keys = async () => (await transact("readonly", (photos) => photos.getAllKeys())) ?? [];

/** Returns a kept file and what belongs to it, or null. */
export async function find(key) {
  const details = await transact("readonly", (photos) => photos.get(key));
  const file = details && (await transact("readonly", (_, files) => files.get(key)));
  return file ? { file, details } : null;
}

let release = null;

/**
 * Keeps other windows of the browser from going on with what this one shares, and returns whether it is this one's turn.
 *
 * Browsers have locks only with HTTPS and on this machine. Elsewhere, it is always this one's turn.
 */
export function claim(mode) {
  if (!navigator.locks || release) return Promise.resolve(true);
  return new Promise((resolve) => {
    navigator.locks.request("kennel-uploads", { mode, ifAvailable: true }, (lock) => {
      resolve(Boolean(lock));
      return lock && new Promise((end) => { release = end; });
    });
  });
}

/** Ends what `claim` began. */
export function unclaim() {
  release?.();
  release = null;
}
