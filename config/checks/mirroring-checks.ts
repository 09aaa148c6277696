import { local } from "@linkerd-multicluster/engine/mirroring";
import { type DeclaredLink, declaredLinks } from "../read/declared-links.ts";
import { mustBe, quoted, sentence, where, wrongValue } from "../read/mistakes.ts";
import type { Readings } from "../read/read.ts";

/** These settings depend on whether this program or Linkerd's controller mirrors a link. */

function isByController({ entry }: DeclaredLink, { linkDefaults }: Readings): boolean {
  return (entry?.values.mirroring ?? linkDefaults.values.mirroring) === "controller";
}

/** A stack with `manage: mirrors` provisions nothing, including controllers. */
export function mirroring({ stack, links = [], linkDefaults }: Readings): string[] {
  if (stack.values.manage !== "mirrors") return [];
  const rule = `pulumi where ${where(["manage"])} is "mirrors", which provisions no controller`;
  return [...links, linkDefaults]
    .filter(({ values }) => values.mirroring === "controller")
    .map(({ path }) => mustBe([...path, "mirroring"], 'is "controller"', rule));
}

const allNamespaces = "left out, as Linkerd's controller mirrors the Services of all namespaces";
const notByController = {
  namespaces: allNamespaces,
  excludedNamespaces: allNamespaces,
  names: "left out, as Linkerd's controller names mirrors <service>-<target>",
  mirrorNamespaces: "left out, as Linkerd's controller mirrors into namespaces of the same name",
} as const;

/** A setting that has no effect is worse than none. */
export function controllers(readings: Readings): string[] {
  const { linkDefaults } = readings;
  const mistakes = declaredLinks(readings).flatMap((link) => {
    const { entry } = link;
    if (!isByController(link, readings)) return [];
    return (Object.keys(notByController) as (keyof typeof notByController)[]).flatMap((key) => {
      const from = [entry, linkDefaults].find((part) => part?.values[key] !== undefined);
      if (from === undefined) return [];
      const state = 'is set, but mirroring is "controller"';
      return mustBe([...from.path, key], state, notByController[key]);
    });
  });
  return [...new Set(mistakes)];
}

/** Linkerd's controller probes gateways itself. The same in linkDefaults may be meant for other links. */
export function probes(readings: Readings): string[] {
  return declaredLinks(readings).flatMap((link) => {
    const { path, values } = link.entry ?? {};
    if (path === undefined || !isByController(link, readings)) return [];
    const state = 'is set, but mirroring is "controller"';
    const rule = "left out, as Linkerd's controller probes gateways itself";
    return (["gatewayProbe", "prober"] as const)
      .filter((key) => values?.[key] !== undefined && values[key] !== false)
      .map((key) => mustBe([...path, key], state, rule));
  });
}

/** Linkerd's controller mirrors whatever is labelled. */
export function privateClusters(readings: Readings): string[] {
  const links = declaredLinks(readings).filter((link) => isByController(link, readings));
  return [...(readings.clusters ?? [])].flatMap(([name, { path, values }]) => {
    const link = links.find(({ target }) => target === name);
    if (values.privateUnlessListed !== true || link === undefined) return [];
    const state = `is true, but mirroring of link ${link.source} → ${name} is "controller"`;
    const rule = "false, as Linkerd's controller doesn't know which clusters a Service lists";
    return [mustBe([...path, "privateUnlessListed"], state, rule)];
  });
}

/** Linkerd's controller keeps the members of federated Services that it lists. */
export function drained(readings: Readings): string[] {
  return declaredLinks(readings).flatMap((link) => {
    const { path, values } = readings.clusters?.get(link.target) ?? {};
    if (path === undefined || values?.drained !== true || !isByController(link, readings))
      return [];
    const state = `is true, but mirroring of link ${link.source} → ${link.target} is "controller"`;
    const rule = "false, as Linkerd's controller sends requests to the cluster without asking";
    return [mustBe([...path, "drained"], state, rule)];
  });
}

/** Requests go to mirrors, which only links of this program have. */
export function traffic(readings: Readings): string[] {
  const links = declaredLinks(readings).filter((link) => !isByController(link, readings));
  return [...(readings.clusters ?? [])].flatMap(([source, { path, values }]) => {
    const targets = links.flatMap((link) => (link.source === source ? link.target : []));
    const rule = `local, or the target of a link of ${source} that this program mirrors`;
    const isKnown = (name: string) => name === local || targets.includes(name);
    const isAlone = (clusters: readonly string[]) => clusters.every((name) => name === local);
    const chains = Object.entries(values.failover ?? {}).flatMap(([service, clusters]) => {
      const at = [...path, "failover", service];
      const wrong = clusters.flatMap((name, index) => {
        if (clusters.indexOf(name) < index)
          return sentence([...at, index], `is ${quoted(name)} again`, "a cluster is listed once");
        return isKnown(name) ? [] : wrongValue([...at, index], name, rule);
      });
      const alone = isAlone(clusters)
        ? [mustBe(at, "names no other cluster", "a list with one")]
        : [];
      return [...wrong, ...alone];
    });
    const splits = Object.entries(values.traffic ?? {}).flatMap(([service, weights]) => {
      const at = [...path, "traffic", service];
      const clusters = Object.keys(weights);
      const unknown = clusters.filter((name) => !isKnown(name));
      const isNothing = Object.values(weights).every((weight) => weight === 0);
      const isTwice = Object.hasOwn(values.failover ?? {}, service);
      return [
        ...unknown.map((name) => mustBe([...at, name], "is no such cluster", rule)),
        ...(isAlone(clusters) ? [mustBe(at, "names no other cluster", "a map with one")] : []),
        ...(isNothing ? [mustBe(at, "has no weight above 0", "a map with one")] : []),
        ...(isTwice
          ? [
              mustBe(
                at,
                `is set, and so is ${where([...path, "failover", service])}`,
                "left out of one",
              ),
            ]
          : []),
      ];
    });
    return [...chains, ...splits];
  });
}
