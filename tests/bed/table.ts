/** Prints rows in columns as kubectl does. The first row is the header. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    }
  }
  const line = (row: readonly string[]): string =>
    row.map((cell, column) => cell.padEnd((widths[column] ?? 0) + 3)).join("");
  return rows.map((row) => line(row).trimEnd()).join("\n");
}
