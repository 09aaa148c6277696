import type * as z from "zod";
import { type Path, sentence, sentences, shown } from "./mistakes.ts";
import * as schema from "./schema.ts";
import { isClusterName, words } from "./syntax.ts";

/** A map of which some keys may be wrong; the others can still be judged. */
export interface Reading<T> {
  readonly path: Path;
  /** What is right. A key that is in neither `values` nor `wrong` was not given. */
  readonly values: T;
  readonly wrong: ReadonlySet<string>;
}

/** Everything in the config that could be read; undefined stands for what could not. */
export interface Readings {
  readonly stack: Reading<schema.StackInput>;
  readonly clusters: ReadonlyMap<string, Reading<schema.ClusterInput>> | undefined;
  readonly links: readonly Reading<schema.LinkInput>[] | undefined;
  readonly linkDefaults: Reading<schema.LinkDefaults>;
}

/** Reads as much as can be read of the config and adds a sentence to `mistakes` for each misfit. */
export function readConfig(raw: unknown, mistakes: string[]): Readings {
  const given = isMap(raw) ? entriesOf(raw).filter(([, value]) => value !== null) : [];
  const stack = readMap(schema.stack, isMap(raw) ? Object.fromEntries(given) : raw, [], mistakes);
  const { clusters, links, linkDefaults } = stack.values;
  return {
    stack,
    clusters: isMap(raw) ? readClusters(clusters ?? {}, mistakes) : undefined,
    links: readLinks(links ?? [], mistakes),
    linkDefaults: readMap(schema.linkDefaults, linkDefaults ?? {}, ["linkDefaults"], mistakes),
  };
}

function readClusters(raw: unknown, mistakes: string[]): Readings["clusters"] {
  const path = ["clusters"];
  if (!isMap(raw)) {
    mistakes.push(sentence(path, `is ${shown(raw)}`, "it must be a map of clusters by name"));
    return undefined;
  }
  const read = entriesOf(raw).map(([name, value]) => {
    const at = [...path, name];
    if (!isClusterName(name))
      mistakes.push(sentence(at, `has the name ${shown(name)}`, `it must be ${words.clusterName}`));
    return [name, readMap(schema.cluster, value ?? {}, at, mistakes)] as const;
  });
  return new Map(read);
}

function readLinks(raw: unknown, mistakes: string[]): Readings["links"] {
  if (!Array.isArray(raw)) {
    mistakes.push(sentence(["links"], `is ${shown(raw)}`, "it must be a list of links"));
    return undefined;
  }
  const links: readonly unknown[] = raw;
  return links.map((value, index) => readMap(schema.link, value, ["links", index], mistakes));
}

/** Reads a map key by key, as no schema library does: one wrong value does not hide the others. */
function readMap<S extends z.ZodObject>(
  schema: S,
  raw: unknown,
  path: Path,
  mistakes: string[],
): Reading<z.output<S>> {
  const whole = schema.safeParse(raw, { reportInput: true });
  if (whole.success) return { path, values: whole.data, wrong: new Set() };
  mistakes.push(...whole.error.issues.flatMap((issue) => sentences(issue, path)));
  const wrong = new Set(
    isMap(raw) ? whole.error.issues.flatMap(keysAt) : Object.keys(schema.shape),
  );
  const right = isMap(raw) ? entriesOf(raw).filter(([key]) => !wrong.has(key)) : [];
  return { path, values: schema.parse(Object.fromEntries(right)), wrong };
}

function keysAt(issue: z.core.$ZodIssue): string[] {
  const [key] = issue.path;
  if (key !== undefined) return [String(key)];
  return issue.code === "unrecognized_keys" ? issue.keys : [];
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function entriesOf(map: Readonly<Record<string, unknown>>): [string, unknown][] {
  return Object.entries(map);
}
