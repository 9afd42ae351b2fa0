// Lets sharp pictures come in softly over their placeholders.

const settled = (event) => event.target.classList?.remove("waiting");
document.addEventListener("load", settled, true);
document.addEventListener("error", settled, true);

export function softly(root = document) {
  for (const picture of root.querySelectorAll("img.sharp")) {
    if (!picture.complete) picture.classList.add("waiting");
  }
}
