import { listed } from "@linkerd-multicluster/engine/base";
import type { LabelSelector } from "@linkerd-multicluster/engine/mirroring";
import { areComplete, declaredLinks, gatewayOf, samePair } from "../read/declared-links.ts";
import { digests } from "./chart-checks.ts";
import { topologyRule } from "../keys/topology-keys.ts";
import {
  mustBeLeftOut,
  mustBe,
  type Path,
  quoted,
  repeated,
  sentence,
  where,
  wrongValue,
} from "../read/mistakes.ts";
import {
  controllers,
  drained,
  mirroring,
  privateClusters,
  probes,
  traffic,
} from "./mirroring-checks.ts";
import type { LinkDefaultsInput, Reading, Readings } from "../read/read.ts";
import { reservedValues } from "./reserved-values.ts";
import { type Circumstances, trust } from "./trust-checks.ts";

/** Reports keys that contradict each other. */
export function crossChecks(readings: Readings, circumstances: Circumstances): string[] {
  return [
    clusterCount,
    sameClusterTwice,
    revokedLinks,
    topology,
    leaving,
    namespaces,
    sources,
    ends,
    pairs,
    mirroring,
    controllers,
    probes,
    privateClusters,
    drained,
    traffic,
    flatNetwork,
    trust,
    digests,
    reservedValues,
  ].flatMap((check) => check(readings, circumstances));
}

function clusterCount({ clusters }: Readings): string[] {
  if (clusters === undefined) return [];
  if (clusters.size === 0)
    return [sentence(["clusters"], "names no cluster", "it must name at least one")];
  const rule = "at least one cluster must not be revoked, because access is revoked in the others";
  return [...clusters.values()].every(({ values }) => values.revoked === true)
    ? [sentence(["clusters"], "names only revoked clusters", rule)]
    : [];
}

/** A stack with `manage: mirrors` has granted no access that it could revoke. */
function revokedLinks({ stack, links = [] }: Readings): string[] {
  if (stack.values.manage !== "mirrors") return [];
  const rule = `left out where ${where(["manage"])} is "mirrors", which gives no access: remove the link, and delete the source's account where it was made`;
  return links
    .filter(({ values }) => values.revoked === true)
    .map(({ path }) => mustBe([...path, "revoked"], "is true", rule));
}

/** The resources of a trust stack have another parent, under which nothing that exists can be kept. */
function leaving({ stack: { values } }: Readings): string[] {
  if (values.manage !== "trust") return [];
  const rule = `"delete" where ${where(["manage"])} is "trust": to keep it, set "mirrors" there for a run first`;
  return Object.entries(values.leaving)
    .filter(([, how]) => how === "keep")
    .map(([name]) => mustBe(["leaving", name], 'is "keep"', rule));
}

/** Each chart labels its namespace, and owns what is in it. */
function namespaces({ stack: { values } }: Readings): string[] {
  const { linkerdNamespace, multiclusterNamespace } = values;
  if (linkerdNamespace !== multiclusterNamespace) return [];
  const rule = `another namespace than ${where(["linkerdNamespace"])}`;
  return [wrongValue(["multiclusterNamespace"], multiclusterNamespace, rule)];
}

function sameClusterTwice({ clusters }: Readings): string[] {
  const seen = new Map<string, string>();
  return [...(clusters ?? [])].flatMap(([name, { path, values, wrong }]) => {
    // A recreated cluster may have the context of the one that it replaces.
    if (values.revoked === true || wrong.has("context") || wrong.has("kubeconfig")) return [];
    const context = values.context ?? name;
    const ways = [
      [
        JSON.stringify([values.kubeconfig, context]),
        `context ${quoted(context)} of the same kubeconfig`,
      ],
    ];
    if (values.uid !== undefined) ways.push([values.uid, `uid ${quoted(values.uid)}`]);
    return ways.flatMap(([key = "", way]) => {
      const first = seen.get(key);
      seen.set(key, first ?? name);
      const state = `is the same cluster as ${where(["clusters", first ?? ""])}, ${way}`;
      return first === undefined ? [] : [sentence(path, state, "each cluster must be listed once")];
    });
  });
}

function topology(readings: Readings): string[] {
  const { topology } = readings.stack.values;
  if (typeof topology !== "object") return [];
  const { hub, regions } = topology;
  if ((hub === undefined) === (regions === undefined))
    return [wrongValue(["topology"], topology, topologyRule)];
  return regions === undefined
    ? unknownCluster(readings, ["topology", "hub"], hub)
    : wrongRegions(readings, regions);
}

/** Every cluster must be in one region, or it is unclear which links are flat. */
function wrongRegions(
  readings: Readings,
  regions: Readonly<Record<string, readonly string[]>>,
): string[] {
  const first = new Map<string, Path>();
  const wrong = Object.entries(regions).flatMap(([region, names]) =>
    names.flatMap((name, index) => {
      const path = ["topology", "regions", region, index];
      const earlier = first.get(name);
      if (earlier === undefined) {
        first.set(name, path);
        return unknownCluster(readings, path, name);
      }
      return [repeated(path, `is ${quoted(name)}`, earlier, "each cluster must be in one region")];
    }),
  );
  const missing = [...(readings.clusters ?? [])]
    .filter(([name, { values }]) => values.revoked !== true && !first.has(name))
    .map(([name]) => quoted(name));
  if (missing.length === 0) return wrong;
  const state = `lacks ${listed(missing)}`;
  return [...wrong, sentence(["topology", "regions"], state, "every cluster must be in a region")];
}

function sources(readings: Readings): string[] {
  const { sources: names, manage } = readings.stack.values;
  if (names === undefined) return [];
  if (manage === "trust")
    return [
      mustBeLeftOut(
        ["sources"],
        ` where ${where(["manage"])} is "trust", which is for all clusters`,
      ),
    ];
  if (names.length === 0)
    return [sentence(["sources"], "is an empty list", "it must name at least one cluster")];
  return names.flatMap((name, index) => {
    const path = ["sources", index];
    const first = names.indexOf(name);
    if (first === index) return unknownCluster(readings, path, name);
    const rule = "each cluster must be listed once";
    return [repeated(path, `is ${quoted(name)}`, ["sources", first], rule)];
  });
}

function ends(readings: Readings): string[] {
  return (readings.links ?? []).flatMap(({ path, values, wrong }) => {
    const named = (["source", "target"] as const).flatMap((end) =>
      wrong.has(end) ? [] : unknownCluster(readings, [...path, end], values[end]),
    );
    if (values.source === undefined || values.source !== values.target) return named;
    const state = `is ${quoted(values.target)}, the link's source`;
    return [...named, mustBe([...path, "target"], state, "another cluster")];
  });
}

function unknownCluster({ clusters }: Readings, path: Path, name: string | undefined): string[] {
  if (name !== undefined && (clusters === undefined || clusters.has(name))) return [];
  const known = listed([...(clusters?.keys() ?? [])].map(quoted));
  const rule = known === "" ? "a configured cluster" : `one of the configured clusters, ${known}`;
  return [wrongValue(path, name, rule)];
}

function pairs(readings: Readings): string[] {
  const listed = declaredLinks(readings).flatMap(({ entry, ...pair }) =>
    entry === undefined ? [] : [{ ...pair, path: entry.path }],
  );
  return listed.flatMap((link, index) => {
    const first = listed.slice(0, index).find((earlier) => samePair(earlier, link));
    if (first === undefined) return [];
    const pair = `source ${quoted(link.source)} to target ${quoted(link.target)}`;
    const rule =
      "each pair must be listed once: with selector and remoteDiscoverySelector, one link mirrors some Services through the gateway and others pod to pod";
    return [repeated(link.path, `links ${pair}`, first.path, rule)];
  });
}

/** Links without a gateway have neither gateway mirrors nor headless ones. */
function flatNetwork(readings: Readings): string[] {
  const links = declaredLinks(readings).map((link) => {
    return { ...link, gateway: gatewayOf(link, readings) };
  });
  const listed = links.flatMap(({ entry, gateway }) => {
    if (entry === undefined || gateway.value !== false) return [];
    const { from } = gateway;
    return withoutGateway(
      entry,
      from === undefined ? "source and target are in one region" : isFalse(from.path),
    );
  });
  const { linkDefaults } = readings;
  // Settings for gateway mirrors in linkDefaults may be meant for links that have a gateway.
  const used = links.some(({ gateway }) => gateway.value !== false);
  const inVain = linkDefaults.values.gateway === false && areComplete(links, readings) && !used;
  if (!inVain) return listed;
  return [...listed, ...withoutGateway(linkDefaults, isFalse(linkDefaults.path))];
}

const isFalse = (path: Path): string => `${where([...path, "gateway"])} is false`;

function withoutGateway({ path, values }: Reading<LinkDefaultsInput>, cause: string): string[] {
  const { selector = {}, headless, gatewayProbe, mirrorNamespaces = {} } = values;
  const wrong = (key: string, state: string, rule: string) =>
    mustBe([...path, key], `${state}, but ${cause}`, rule);
  const never = "left out, as without a gateway it could never mirror anything";
  const found = [
    !isEmpty(selector) && wrong("selector", "is set", never),
    Object.keys(mirrorNamespaces).length > 0 &&
      wrong(
        "mirrorNamespaces",
        "is set",
        "left out, as Linkerd discovers pods only for a mirror in the Service's own namespace",
      ),
    headless === true && wrong("headless", "is true", "false, as headless mirrors need a gateway"),
    gatewayProbe === true &&
      wrong("gatewayProbe", "is true", "false, as there is no gateway to probe"),
  ];
  return found.filter((each) => each !== false);
}

/** A selector without terms selects nothing. */
function isEmpty({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}
