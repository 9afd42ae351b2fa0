// Asks before something is gone for good.

const dialog = document.getElementById("confirmation");

/** Whether somebody wants what has such a consequence; the button that says so is called `deed`. */
export function confirmed(question, consequence, deed = "Delete") {
  dialog.querySelector("h2").textContent = question;
  dialog.querySelector("p").textContent = consequence;
  dialog.querySelector("[value=yes]").textContent = deed;
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}
