// Dropping and pasting photos, which work anywhere on the page.

import { offer } from "./upload.js";

const drop = document.getElementById("drop");
const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
let depth = 0;

function endDrag() {
  depth = 0;
  if (drop.matches(":popover-open")) drop.hidePopover();
}

document.addEventListener("dragenter", (event) => {
  if (!hasFiles(event)) return;
  event.preventDefault();
  depth += 1;
  if (!drop.matches(":popover-open")) drop.showPopover();
});
document.addEventListener("dragover", (event) => {
  if (hasFiles(event)) event.preventDefault();
});
document.addEventListener("dragleave", (event) => {
  if (!hasFiles(event)) return;
  depth -= 1;
  if (depth <= 0) endDrag();
});
document.addEventListener("drop", (event) => {
  if (!hasFiles(event)) return;
  event.preventDefault();
  endDrag();
  offer([...event.dataTransfer.files]);
});
document.addEventListener("paste", (event) => {
  const files = [...(event.clipboardData?.files ?? [])].filter((file) => file.type.startsWith("image/"));
  if (!files.length) return;
  event.preventDefault();
  offer(files);
});
