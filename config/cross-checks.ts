import type { LabelSelector } from "@linkerd-multicluster/engine/mirroring";
import { chartDigests } from "./chart-checks.ts";
import { areComplete, declaredLinks, gatewayOf, samePair } from "./declared-links.ts";
import { listed, type Path, quoted, sentence, shown, where } from "./mistakes.ts";
import type { LinkDefaultsInput, Reading, Readings } from "./read.ts";
import { reservedValues } from "./reserved-values.ts";
import { type Circumstances, trust } from "./trust-checks.ts";

/** What no single key can show: sentences about keys that do not go together. */
export function crossChecks(readings: Readings, circumstances: Circumstances): string[] {
  const checks: readonly ((readings: Readings, circumstances: Circumstances) => string[])[] = [
    clusterCount,
    sameClusterTwice,
    revokedLinks,
    hub,
    sources,
    ends,
    pairs,
    mirroring,
    namespaces,
    flatNetwork,
    trust,
    chartDigests,
    reservedValues,
  ];
  return checks.flatMap((check) => check(readings, circumstances));
}

function clusterCount({ clusters }: Readings): string[] {
  if (clusters === undefined) return [];
  if (clusters.size === 0)
    return [sentence(["clusters"], "names no cluster", "it must name at least one")];
  if ([...clusters.values()].some(({ values }) => values.revoked !== true)) return [];
  const rule = "at least one must not be, as access is revoked in the clusters that remain";
  return [sentence(["clusters"], "names only revoked clusters", rule)];
}

/** With `manage: mirrors` the stack has given no access that it could take away. */
function revokedLinks({ stack, links = [] }: Readings): string[] {
  if (stack.values.manage !== "mirrors") return [];
  return links
    .filter(({ values }) => values.revoked === true)
    .map(({ path }) => {
      const rule = `it must be left out where ${where(["manage"])} is "mirrors", which gives no access: remove the link, and delete the source's account where it was made`;
      return sentence([...path, "revoked"], "is true", rule);
    });
}

function sameClusterTwice({ clusters }: Readings): string[] {
  const seen = new Map<string, string>();
  return [...(clusters ?? [])].flatMap(([name, { path, values, wrong }]) => {
    // A cluster that is made anew may have the context of the one that it replaces.
    if (values.revoked === true) return [];
    if (wrong.has("context") || wrong.has("kubeconfig")) return [];
    const context = values.context ?? name;
    const access = JSON.stringify([values.kubeconfig, context]);
    const first = seen.get(access);
    if (first === undefined) {
      seen.set(access, name);
      return [];
    }
    const state = `is the same cluster as ${where(["clusters", first])}, context ${quoted(context)} of the same kubeconfig`;
    return [sentence(path, state, "each cluster must be listed once")];
  });
}

function hub(readings: Readings): string[] {
  const { topology } = readings.stack.values;
  if (typeof topology !== "object") return [];
  return unknownCluster(readings, ["topology", "hub"], topology.hub);
}

function sources(readings: Readings): string[] {
  const { sources: names } = readings.stack.values;
  if (names === undefined) return [];
  if (readings.stack.values.manage === "trust") {
    const rule = `it must be left out where ${where(["manage"])} is "trust", which is for all clusters`;
    return [sentence(["sources"], "is set", rule)];
  }
  if (names.length === 0)
    return [sentence(["sources"], "is an empty list", "it must name at least one cluster")];
  return names.flatMap((name, index) => {
    const path = ["sources", index];
    const first = names.indexOf(name);
    if (first === index) return unknownCluster(readings, path, name);
    const state = `is ${quoted(name)} again, after ${where(["sources", first])}`;
    return [sentence(path, state, "each cluster must be listed once")];
  });
}

function ends(readings: Readings): string[] {
  return (readings.links ?? []).flatMap(({ path, values, wrong }) => {
    const named = (["source", "target"] as const).flatMap((end) =>
      wrong.has(end) ? [] : unknownCluster(readings, [...path, end], values[end]),
    );
    if (values.source === undefined || values.source !== values.target) return named;
    const state = `is ${quoted(values.target)}, the link's source`;
    return [...named, sentence([...path, "target"], state, "it must be another cluster")];
  });
}

function unknownCluster({ clusters }: Readings, path: Path, name: string | undefined): string[] {
  if (name !== undefined && (clusters === undefined || clusters.has(name))) return [];
  const known = listed([...(clusters?.keys() ?? [])].map(quoted));
  const rule = known === "" ? "a configured cluster" : `one of the configured clusters, ${known}`;
  return [sentence(path, `is ${shown(name)}`, `it must be ${rule}`)];
}

function pairs(readings: Readings): string[] {
  const listed = declaredLinks(readings).flatMap(({ entry, ...pair }) =>
    entry === undefined ? [] : [{ ...pair, path: entry.path }],
  );
  return listed.flatMap((link, index) => {
    const first = listed.slice(0, index).find((earlier) => samePair(earlier, link));
    if (first === undefined) return [];
    const pair = `source ${quoted(link.source)} to target ${quoted(link.target)}`;
    const state = `links ${pair} again, after ${where(first.path)}`;
    return [sentence(link.path, state, "each pair must be listed once")];
  });
}

/** With `manage: mirrors` the stack provisions nothing, so no controller either. */
function mirroring({ stack, links = [], linkDefaults }: Readings): string[] {
  if (stack.values.manage !== "mirrors") return [];
  return [...links, linkDefaults]
    .filter(({ values }) => values.mirroring === "controller")
    .map(({ path }) => {
      const rule = `it must be pulumi where ${where(["manage"])} is "mirrors", which provisions no controller`;
      return sentence([...path, "mirroring"], `is "controller"`, rule);
    });
}

/** An exclusion that does not hold is worse than none. */
function namespaces(readings: Readings): string[] {
  const { linkDefaults } = readings;
  const rule =
    "it must be left out, as Linkerd's controller mirrors the Services of all namespaces";
  const mistakes = declaredLinks(readings).flatMap(({ entry }) => {
    const by = entry?.values.mirroring ?? linkDefaults.values.mirroring;
    return (["namespaces", "excludedNamespaces"] as const).flatMap((key) => {
      const from = [entry, linkDefaults].find((part) => part?.values[key] !== undefined);
      if (by !== "controller" || from === undefined) return [];
      return sentence([...from.path, key], 'is set, but mirroring is "controller"', rule);
    });
  });
  return [...new Set(mistakes)];
}

/** Nothing goes through a gateway where there is none: neither gateway mirrors nor headless ones. */
function flatNetwork(readings: Readings): string[] {
  const links = declaredLinks(readings).map((link) => ({
    ...link,
    gateway: gatewayOf(link, readings),
  }));
  const listed = links.flatMap(({ entry, gateway }) => {
    if (entry === undefined || !gateway.known || gateway.value !== false) return [];
    return withoutGateway(entry, [...(gateway.from?.path ?? []), "gateway"]);
  });
  const { linkDefaults } = readings;
  // What linkDefaults says about gateway mirrors may still be meant for a link that has a gateway.
  const used = links.some(({ gateway }) => !gateway.known || gateway.value !== false);
  const inVain = linkDefaults.values.gateway === false && areComplete(links, readings) && !used;
  if (!inVain) return listed;
  return [...listed, ...withoutGateway(linkDefaults, ["linkDefaults", "gateway"])];
}

function withoutGateway({ path, values }: Reading<LinkDefaultsInput>, gateway: Path): string[] {
  const why = `but ${where(gateway)} is false`;
  const mistakes: string[] = [];
  if (values.selector !== undefined && !isEmpty(values.selector)) {
    const rule = "it must be left out, as without a gateway it could never mirror anything";
    mistakes.push(sentence([...path, "selector"], `is set, ${why}`, rule));
  }
  if (values.headless === true) {
    const rule = "it must be false, as headless mirrors need a gateway";
    mistakes.push(sentence([...path, "headless"], `is true, ${why}`, rule));
  }
  if (values.gatewayProbe === true) {
    const rule = "it must be false, as there is no gateway to probe";
    mistakes.push(sentence([...path, "gatewayProbe"], `is true, ${why}`, rule));
  }
  return mistakes;
}

/** A selector without a single term, which selects nothing. */
function isEmpty({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}
