/** A row of a table, ready to be searched and sorted. */
export interface Row {
  readonly cells: readonly string[];
  /** Everything that is searched, in lower case. */
  readonly text: string;
  /** Where the first cell leads. */
  readonly href?: string;
  /** A class for how it looks. */
  readonly look?: string;
}

export function rowOf(cells: readonly string[], more: Pick<Row, "href" | "look"> = {}): Row {
  return { cells, text: cells.join("\n").toLowerCase(), ...more };
}

/** The rows that have every word of a query, in their order. */
export function found(rows: readonly Row[], query: string): readonly Row[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return words.length === 0
    ? rows
    : rows.filter(({ text }) => words.every((word) => text.includes(word)));
}

const order = new Intl.Collator("en", { numeric: true });

/** The rows by one column, `web-2` before `web-10`. */
export function sorted(rows: readonly Row[], column: number, descending: boolean): readonly Row[] {
  const sign = descending ? -1 : 1;
  return [...rows].sort(
    (one, other) => sign * order.compare(one.cells[column] ?? "", other.cells[column] ?? ""),
  );
}

/** Which rows are to be seen, with some before and behind: from the first to before the last. */
export function windowOf(
  scrolled: number,
  visible: number,
  rowHeight: number,
  count: number,
): readonly [first: number, last: number] {
  const spare = 10;
  const first = Math.max(0, Math.min(count, Math.floor(scrolled / rowHeight)) - spare);
  return [first, Math.min(count, Math.ceil((scrolled + visible) / rowHeight) + spare)];
}
