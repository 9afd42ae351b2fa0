// Whether others get the place and the other camera data of one's own photo.

import { refresh } from "./refresh.js";
import { send } from "./requests.js";
import { text } from "./texts.js";
import { toast } from "./toasts.js";

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-set-place]");
  if (!button) return;
  const isShared = button.dataset.setPlace === "shared";
  button.disabled = true;
  try {
    await send(isShared ? "PUT" : "DELETE", `/posts/${button.dataset.of}/place`);
    await refresh();
    toast(text(isShared ? "cameraDataShared" : "cameraDataPrivate"));
  } catch (problem) {
    button.disabled = false;
    toast(problem.message);
  }
});
