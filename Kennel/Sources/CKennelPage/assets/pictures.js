// Fades in sharp pictures over their placeholders.

const markLoaded = (event) => event.target.classList?.remove("waiting");
document.addEventListener("load", markLoaded, true);
document.addEventListener("error", markLoaded, true);

export function fadeIn(root = document) {
  for (const picture of root.querySelectorAll("img.sharp")) {
    if (!picture.complete) picture.classList.add("waiting");
  }
}
