import { isRecord } from "@linkerd-multicluster/engine/kubernetes";
import { cluster, stack } from "../keys/keys.ts";
import { linkDefaultKeys, link } from "../keys/link-keys.ts";
import { mustBeLeftOut, type Path, quoted, where } from "../read/mistakes.ts";
import type { Reading, Readings } from "../read/read.ts";
import type { Keys, Mode } from "../keys/schema.ts";
import type { Circumstances } from "./trust-checks.ts";

type Values = Readonly<Record<string, unknown>>;

/**
 * Finds keys that have no effect in the stack's mode, because whoever sets one expects something of it. A mesh file serves
 * stacks of several modes, so its keys are judged by the mode that it sets, and by no stack that sets another.
 */
export function ignoredKeys(
  { stack: { values, set }, clusters, links, linkDefaults }: Readings,
  { isShared = () => false, sealed = new Set() }: Circumstances,
): string[] {
  const { manage } = values;
  const maps = new Map<string, { keys: Keys; read: readonly Reading<Values>[] }>([
    ["clusters", { keys: cluster.keys, read: [...(clusters?.values() ?? [])] }],
    ["links", { keys: link.keys, read: links ?? [] }],
    ["linkDefaults", { keys: linkDefaultKeys.keys, read: [linkDefaults] }],
  ]);
  const all: Values = { ...values, ...Object.fromEntries([...sealed].map((key) => [key, true])) };
  return [...set, ...sealed].flatMap((key) => {
    if (isShared(key) && !isShared("manage")) return [];
    const map = maps.get(key);
    const whole = inVain(stack.keys, { [key]: map === undefined ? all[key] : true }, [], manage);
    if (map === undefined || whole.length > 0) return whole;
    return map.read.flatMap(({ path, values: own }) => inVain(map.keys, own, path, manage));
  });
}

function inVain(
  keys: Keys,
  values: Values,
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
