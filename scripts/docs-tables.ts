import * as prettier from "prettier";

/**
 * Returns a function that replaces the tables of a page: what is between `<!-- npm run docs: <kind> of <name> -->`, or
 * without a name, and `<!-- end of <kind> -->`.
 *
 * @param tableOf gets the name, and the table that the page has so far
 */
export function withTables(kind: string, tableOf: (name: string, before: string) => string) {
  const marked = new RegExp(
    `(<!-- npm run docs: ${kind}(?: of ([\\w. -]+?))? -->)([^]*?)(<!-- end of ${kind} -->)`,
    "g",
  );
  return async (text: string): Promise<string> =>
    formatted(
      text.replaceAll(
        marked,
        (_, start: string, name: string | undefined, before: string, end: string) =>
          `${start}\n\n${tableOf(name ?? "", before)}\n\n${end}`,
      ),
      "markdown",
    );
}

export function markdownTable([head = [], ...rows]: readonly (readonly string[])[]): string {
  return [head, head.map(() => "-"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

export function code(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(", ");
}

export async function formatted(text: string, parser: "yaml" | "markdown"): Promise<string> {
  const settings = await prettier.resolveConfig(import.meta.filename);
  return prettier.format(text, { ...settings, parser });
}
