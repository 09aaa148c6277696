import { readFileSync } from "node:fs";
import { join } from "node:path";

export const root = join(import.meta.dirname, "../../..");

export function text(file: string): string {
  return readFileSync(join(root, file), "utf8");
}

/** Returns the cells of each row of each table of a page. The first row is the header. */
function tablesIn(page: string): string[][][] {
  const blocks = text(page)
    .split("\n\n")
    .map((block) => block.trim().split("\n"));
  return blocks
    .filter(([first = ""]) => first.startsWith("| "))
    .map((lines) => lines.filter((_, index) => index !== 1).map(cellsOf));
}

export function rowsOf(
  page: string,
  isLike: (header: readonly string[]) => boolean = () => true,
): string[][] {
  return tablesIn(page).flatMap(([header = [], ...rows]) => (isLike(header) ? rows : []));
}

/** A cell may contain `\|`. */
function cellsOf(row: string): string[] {
  return row
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}
