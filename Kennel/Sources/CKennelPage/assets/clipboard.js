// Copying the link in a field.

import { text } from "./texts.js";
import { toast } from "./toasts.js";

/** Copies the text of a field. Without TLS, browsers have no clipboard for pages, and only copy what is selected. */
export async function copyLink(field) {
  field.focus();
  field.select();
  let isCopied = true;
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    isCopied = document.execCommand("copy");
  }
  toast(text(isCopied ? "linkCopied" : "copyLink"));
}
