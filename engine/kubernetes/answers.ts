import { Wrong } from "./checks.ts";
import { isRecord, malformedAnswer } from "./failure.ts";
import { Keep } from "./keep.ts";
import { malformed } from "./objects.ts";
import type { Reader } from "./request.ts";
import type { Located, Resource } from "./resources.ts";

/** Takes one object from an answer, with all its fields. */
export function objectOf<T>(resource: Resource<T>): Reader<T> {
  return (body) => {
    if (!isRecord(body) || body.kind !== resource.kind)
      return `the answer is not a ${resource.kind}`;
    const read = shaped(resource, body);
    return "object" in read
      ? { value: read.object }
      : { failure: malformedAnswer(`the answer is no ${resource.kind}: ${read.problem}`) };
  };
}

/**
 * The objects that a list has for items, malformed ones marked as such; or why it is no list of such
 * objects. An item is never left out: what a list does not have is taken for deleted.
 */
export function itemsOf<T>(
  resource: Resource<T>,
  items: readonly unknown[],
  keep = new Keep(),
): T[] | string {
  const objects: T[] = [];
  for (const [index, item] of items.entries()) {
    const read = shaped(resource, item, keep);
    if ("object" in read) objects.push(read.object);
    else if ("marked" in read) objects.push(read.marked);
    else return `item ${index + 1} of the answer is no ${resource.kind}: ${read.problem}`;
  }
  return objects;
}

type Shaped<T> =
  | { readonly object: T }
  /** `marked` stands for an object of which only the name is known. */
  | { readonly problem: string; readonly marked: T }
  | { readonly problem: string };

/** The one place where the API's JSON gets a type. */
function shaped<T>({ shape }: Resource<T>, object: unknown, keep?: Keep): Shaped<T> {
  if (shape === undefined) return { object: object as T };
  const known = shape.identity(object, keep);
  if (known instanceof Wrong) return { problem: withoutDot(known.words) };
  const read = shape.rest(object, keep);
  if (!(read instanceof Wrong)) {
    const kept = read as Record<string, unknown>;
    for (const [field, check] of Object.entries(shape.dispensable ?? {})) {
      const value = (object as Readonly<Record<string, unknown>>)[field] ?? undefined;
      const part = value === undefined ? value : check(value, keep);
      if (part === undefined || part instanceof Wrong) Reflect.deleteProperty(kept, field);
      else kept[field] = part;
    }
    return { object: kept as T };
  }
  const problem = withoutDot(read.words);
  if (shape.marked !== true) return { problem };
  const { metadata = {} } = known as Located;
  const { name, namespace } = metadata;
  const marked = { metadata: { name, namespace }, spec: {}, [malformed]: problem };
  return { problem, marked: marked as T };
}

/** `.metadata.name is missing` -> `metadata.name is missing`, as checks.ts words it. */
function withoutDot(wrong: string): string {
  return wrong.replace(/^[. ]/, "");
}
