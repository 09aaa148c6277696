/** Functions that run in the page: each must stand on its own. */

export function titles(anchors: readonly Element[]): (string | null | undefined)[] {
  return anchors.map((anchor) => anchor.querySelector("title")?.textContent);
}

/** Types a query into the first search, and has its rows laid out. */
export function search(query: string): void {
  const input = document.querySelector<HTMLInputElement>("#panel input");
  if (input === null) throw new Error("There is nothing to search.");
  input.value = query;
  input.dispatchEvent(new Event("input", { bubbles: true }));
  document.querySelector(".scroll")?.getBoundingClientRect();
}

export function toEnd(frame: Element): void {
  frame.scrollTop = frame.scrollHeight;
}

/** What the element with the focus says of itself. */
export function focused(): string | null {
  const { activeElement } = document;
  return activeElement?.querySelector("title")?.textContent ?? activeElement?.textContent ?? null;
}

export async function go(address: string): Promise<void> {
  location.hash = address;
  await new Promise((resolve) => setTimeout(resolve));
}

export function textIn(element: Element): string {
  return element.textContent;
}

/** What a script of a name would have set. */
export function hacked(): unknown {
  return Reflect.get(globalThis, "hacked");
}

/** As somebody would who found a way to write into the page. */
export function intrude(): void {
  for (const write of [
    () => {
      document.body.innerHTML += "<img src=x onerror='globalThis.hacked = 1'>";
    },
    () => {
      const script = document.createElement("script");
      script.append("globalThis.hacked = 1");
      document.body.append(script);
    },
  ])
    try {
      write();
    } catch {
      // Trusted types throw where the policy alone is silent.
    }
}
