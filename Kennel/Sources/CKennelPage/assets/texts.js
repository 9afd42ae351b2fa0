// The texts of the scripts, in the language of the page.

/** The language of the page, such as `de`. */
export const language = document.documentElement.lang;
const plurals = new Intl.PluralRules(language);
let texts = {};

/** Sets the texts. The module with the texts of the language calls it. The page loads that module before all others. */
export function use(all) {
  texts = all;
}

/** Returns a text with values for its placeholders, such as `{name}`. The value `count` also chooses the plural form. */
export function text(name, values = {}) {
  const found = texts[name];
  const form = typeof found === "string" ? found : found[plurals.select(values.count)] ?? found.other;
  return form.replace(/\{(\w+)\}/g, (_, key) => values[key]);
}
