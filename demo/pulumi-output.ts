import { stripVTControlCharacters } from "node:util";

/** What Pulumi prints for those who watch it live or in its cloud, and which is lost on a reader. */
const NOISE = [
  /^warning: using .* from \$PATH/,
  // "updating....", and a resource under way, of which another line says how it ended.
  /^@ /,
  /^([^\w\s]+ +)?\S+ \S+ (creating|updating|replacing|deleting) \(/,
  // The stack itself: it has nothing to it, and its messages stand under "Diagnostics" too.
  /^pulumi:pulumi:Stack [^\s(]+( running .*| +\d+ messages?)?$/,
  // The demo's stack goes with its clusters.
  /^The resources in the stack have been deleted, but/,
  /^If you want to remove the stack completely, run/,
];

/** A line of Pulumi's output as it is worth showing, or `undefined`. */
export function readable(line: string): string | undefined {
  const text = stripVTControlCharacters(line).trim();
  if (NOISE.some((noise) => noise.test(text))) return undefined;
  // The types of a resource's parents, which stand right above it, would fill a line and more.
  return line.trimEnd().replace(/\[urn=urn:\S*::([^\s:\]]+)\]/, "[urn=...::$1]");
}
