import { isRecord } from "@linkerd-multicluster/engine/kubernetes";
import { cluster, stack } from "./keys.ts";
import { linkDefaultKeys, link } from "./link-keys.ts";
import { mustBeLeftOut, type Path, quoted, where } from "./mistakes.ts";
import type { Readings } from "./read.ts";
import type { Keys, Mode } from "./schema.ts";
import type { Circumstances } from "./trust-checks.ts";

/**
 * Finds keys that have no effect in the stack's mode, because whoever sets one expects something of it. A mesh file serves
 * stacks of several modes, so its keys are judged by the mode that it sets, and by no stack that sets another.
 */
export function ignoredKeys(
  { stack: { values, set }, clusters, links, linkDefaults }: Readings,
  { isShared = () => false }: Circumstances,
): string[] {
  const { manage } = values;
  const judged = new Set([...set].filter((key) => !isShared(key) || isShared("manage")));
  const own = Object.entries(values).filter(([key]) => judged.has(key) && !isRead.has(key));
  const parts = (
    [
      {
        key: "clusters",
        keys: cluster.keys,
        read: clusters === undefined ? [] : [...clusters.values()],
      },
      { key: "links", keys: link.keys, read: links ?? [] },
      { key: "linkDefaults", keys: linkDefaultKeys.keys, read: [linkDefaults] },
    ] as const
  ).filter(({ key }) => judged.has(key));
  return [
    ...inVain(stack.keys, Object.fromEntries(own), [], manage),
    ...parts.flatMap(({ key, keys, read }) => {
      const whole = inVain({ [key]: stack.keys[key] }, { [key]: true }, [], manage);
      if (whole.length > 0) return whole;
      return read.flatMap(({ path, values }) => inVain(keys, values, path, manage));
    }),
  ];
}

/** These hold maps that are read one by one. */
const isRead: ReadonlySet<string> = new Set(["clusters", "links", "linkDefaults"]);

function inVain(
  keys: Keys,
  values: Readonly<Record<string, unknown>>,
  path: Path,
  manage: Mode,
  outer?: readonly Mode[],
): string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    if (typeof value === "object" && value !== null && Object.keys(value).length === 0) return [];
    const { modes = outer, of } = keys[name] ?? {};
    const at = [...path, name];
    const nested = of && isRecord(value) ? inVain(of.keys, value, at, manage, modes) : [];
    if (nested.length > 0 || modes === undefined || modes.includes(manage)) return nested;
    return mustBeLeftOut(at, ` where ${where(["manage"])} is ${quoted(manage)}, which ignores it`);
  });
}
