/** An element with text and other elements in it. Names are always text, never markup. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...content: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...content);
  return made;
}

/** The element of the page with an ID that is always there. */
export function byId(id: string): HTMLElement {
  const there = document.getElementById(id);
  if (there === null) throw new Error(`The page has no element ${id}.`);
  return there;
}

/** Says something to those who listen to the page. */
export function announce(text: string): void {
  byId("said").textContent = text;
}
