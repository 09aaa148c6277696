import { announce, element } from "./elements.ts";
import { found, type Row, sorted, windowOf } from "./search.ts";

const rowHeight = 30;

/**
 * A table that is searched and sorted, of which the page holds only the rows that can be seen: there
 * may be thousands.
 *
 * @param what the rows are, as `mirrors`
 */
export function table(what: string, columns: readonly string[], rows: readonly Row[]): HTMLElement {
  let ordered = rows;
  let shown = rows;
  let by: { readonly column: number; readonly descending: boolean } | undefined;

  const search = element("input", {
    type: "search",
    "aria-label": `Search ${what}`,
    placeholder: `Search ${rows.length.toLocaleString("en")} ${what}`,
  });
  const count = element("span", { class: "count" });
  const heads = columns.map((name, column) => {
    const button = element("button", { type: "button" }, name);
    button.addEventListener("click", () => {
      by = { column, descending: by?.column === column && !by.descending };
      ordered = sorted(rows, column, by.descending);
      heads.forEach((head, index) => {
        if (index === column) head.ariaSort = by?.descending ? "descending" : "ascending";
        else head.removeAttribute("aria-sort");
      });
      look();
    });
    return element("th", { scope: "col" }, button);
  });
  const body = element("tbody");
  const grid = element(
    "table",
    { "aria-label": what },
    element("thead", {}, element("tr", { "aria-rowindex": "1" }, ...heads)),
    body,
  );
  const frame = element(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": `Table of ${what}` },
    grid,
  );

  function look(): void {
    shown = found(ordered, search.value);
    count.textContent = `${shown.length.toLocaleString("en")} of ${rows.length.toLocaleString("en")}`;
    grid.setAttribute("aria-rowcount", String(shown.length + 1));
    frame.scrollTop = 0;
    draw();
  }
  function draw(): void {
    const visible = frame.clientHeight === 0 ? 600 : frame.clientHeight;
    const [first, last] = windowOf(frame.scrollTop, visible, rowHeight, shown.length);
    body.replaceChildren(
      gap(first),
      ...shown.slice(first, last).map((row, index) => line(row, first + index + 2)),
      gap(shown.length - last),
    );
  }

  let said: ReturnType<typeof setTimeout> | undefined;
  search.addEventListener("input", () => {
    look();
    clearTimeout(said);
    said = setTimeout(() => {
      announce(`${shown.length.toLocaleString("en")} ${what} found`);
    }, 400);
  });
  frame.addEventListener("scroll", draw, { passive: true });
  look();
  return element("div", { class: "table" }, element("div", { class: "bar" }, search, count), frame);
}

/** In place of rows that can't be seen. */
function gap(rows: number): HTMLElement {
  const made = element("tr", { class: "gap", "aria-hidden": "true" });
  made.style.height = `${rows * rowHeight}px`;
  return made;
}

function line({ cells, href, look }: Row, index: number): HTMLElement {
  const content = cells.map((text, column) => {
    const cell = column === 0 && href !== undefined ? element("a", { href }, text) : text;
    return element("td", { title: text }, cell);
  });
  return element(
    "tr",
    { "aria-rowindex": String(index), ...(look !== undefined && { class: look }) },
    ...content,
  );
}
