// Asks before something is gone for good.

const dialog = document.getElementById("confirmation");

export function confirmed(question, consequence) {
  dialog.querySelector("h2").textContent = question;
  dialog.querySelector("p").textContent = consequence;
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}
