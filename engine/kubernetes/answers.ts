import { Wrong } from "./checks.ts";
import { isRecord, malformedAnswer } from "./failure.ts";
import { Keep } from "./keep.ts";
import { malformed } from "./objects.ts";
import type { Reader } from "./request.ts";
import type { Resource } from "./resources.ts";

/** Takes one object from an answer, with all its fields. */
export function objectOf<T>(resource: Resource<T>): Reader<T> {
  const { kind, shape } = resource;
  return (body) => {
    if (!isRecord(body) || body.kind !== kind) return `the answer is not a ${kind}`;
    // Where no shape is given, nobody looks into what is answered.
    const read = shape === undefined ? (body as T) : shape(body);
    return read instanceof Wrong
      ? { failure: malformedAnswer(`the answer is no ${kind}: ${problemOf(read)}`) }
      : { value: read };
  };
}

/**
 * The objects that a list has for items, malformed ones marked as such; or why it is no list of such
 * objects. An item is never left out: what a list does not have is taken for deleted.
 */
export function itemsOf<T>(
  { kind, shape, identity }: Resource<T>,
  items: readonly unknown[],
  keep = new Keep(),
): T[] | string {
  if (shape === undefined) return items as T[];
  const objects: T[] = [];
  for (const [index, item] of items.entries()) {
    const read = shape(item, keep);
    if (!(read instanceof Wrong)) {
      objects.push(read);
      continue;
    }
    const problem = problemOf(read);
    const known = identity?.(item, keep) ?? read;
    if (known instanceof Wrong) return `item ${index + 1} of the answer is no ${kind}: ${problem}`;
    objects.push({ ...known, spec: {}, [malformed]: problem } as T);
  }
  return objects;
}

/** `.metadata.name is missing` -> `metadata.name is missing`, as checks.ts words it. */
function problemOf({ words }: Wrong): string {
  return words.replace(/^[. ]/, "");
}
