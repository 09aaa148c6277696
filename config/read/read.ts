import type * as z from "zod";
import { isRecord } from "@linkerd-multicluster/engine/kubernetes";
import { cluster, stack } from "../keys/keys.ts";
import { link, linkDefaultKeys } from "../keys/link-keys.ts";
import { wrongValue, mustBe, type Path, sentences, shown } from "./mistakes.ts";
import { type Filled, filled } from "../keys/schema.ts";
import { clusterName } from "../keys/syntax.ts";

export type StackInput = Filled<typeof stack.keys>;
export type ClusterInput = z.output<typeof cluster.schema>;
export type LinkInput = z.output<typeof link.schema>;
export type LinkDefaultsInput = z.output<typeof linkDefaultKeys.schema>;

export interface Reading<T> {
  readonly path: Path;
  /** These keys are right, and can be checked although others are wrong. */
  readonly values: T;
  readonly wrong: ReadonlySet<string>;
}

/** Parts that could not be read are undefined. */
export interface Readings {
  readonly stack: Reading<StackInput> & {
    /** The other keys have their defaults. */
    readonly set: ReadonlySet<string>;
  };
  readonly clusters: ReadonlyMap<string, Reading<ClusterInput>> | undefined;
  readonly links: readonly Reading<LinkInput>[] | undefined;
  readonly linkDefaults: Reading<LinkDefaultsInput>;
}

/** Reads as much of the config as possible and adds a sentence to `mistakes` for each mistake. */
export function readConfig(raw: unknown, mistakes: string[]): Readings {
  const set = isRecord(raw) ? Object.entries(raw).filter(([, value]) => value !== null) : [];
  const top = readMap(stack.schema, isRecord(raw) ? Object.fromEntries(set) : raw, [], mistakes);
  const values = filled(stack.keys, top.values);
  return {
    stack: { ...top, values, set: new Set(Object.keys(top.values)) },
    clusters: isRecord(raw) ? readClusters(values.clusters ?? {}, mistakes) : undefined,
    links: readLinks(values.links, mistakes),
    linkDefaults: readMap(linkDefaultKeys.schema, values.linkDefaults, ["linkDefaults"], mistakes),
  };
}

function readClusters(raw: unknown, mistakes: string[]): Readings["clusters"] {
  const path = ["clusters"];
  if (!isRecord(raw)) {
    mistakes.push(wrongValue(path, raw, "a map of clusters by name"));
    return undefined;
  }
  const read = Object.entries(raw).map(([name, value]) => {
    const at = [...path, name];
    for (const { message } of clusterName.safeParse(name).error?.issues ?? [])
      mistakes.push(mustBe(at, `has the name ${shown(name)}`, message));
    return [name, readMap(cluster.schema, value ?? {}, at, mistakes)] as const;
  });
  return new Map(read);
}

function readLinks(raw: unknown, mistakes: string[]): Readings["links"] {
  if (!Array.isArray(raw)) {
    mistakes.push(wrongValue(["links"], raw, "a list of links"));
    return undefined;
  }
  const entries: readonly unknown[] = raw;
  return entries.map((value, index) => readMap(link.schema, value, ["links", index], mistakes));
}

/** Reads a map key by key, so that one wrong value doesn't hide the others. */
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
    isRecord(raw) ? whole.error.issues.flatMap(keysAt) : Object.keys(schema.shape),
  );
  const right = isRecord(raw) ? Object.entries(raw).filter(([key]) => !wrong.has(key)) : [];
  return { path, values: schema.parse(Object.fromEntries(right)), wrong };
}

function keysAt(issue: z.core.$ZodIssue): string[] {
  const [key] = issue.path;
  if (key !== undefined) return [String(key)];
  return issue.code === "unrecognized_keys" ? issue.keys : [];
}

/** Returns the value at the end of these keys in nested maps; undefined if there is none. */
export function valueAt(map: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce(
    (value, key) => (isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    map,
  );
}
