import type {
  HealthPicture,
  LinkPicture,
  MirrorPicture,
  Picture,
} from "../../../../tool/map/picture.ts";

/** Which links a mesh of a test has, and how many mirrors each. */
export interface Shape {
  readonly clusters: number;
  readonly mirrors: number;
  readonly links: "all" | "hub" | "ring";
  readonly preview?: boolean;
}

/** A mesh to be drawn, with one of everything that can be wrong. */
export function meshOf({ clusters, mirrors, links, preview = false }: Shape): Picture {
  const names = Array.from({ length: clusters }, (_, index) => clusterName(index));
  const pairs = names.flatMap((source, one) =>
    names.flatMap((target, other) =>
      isLinked(links, one, other, clusters) ? [{ source, target }] : [],
    ),
  );
  const each = Math.ceil(mirrors / pairs.length);
  return {
    version: 1,
    stack: "prod",
    readAt: "2026-11-22T22:30:00Z",
    preview,
    clusters: names.map((name, index) => ({
      name,
      health: healthAt(index, 9),
      linkerd: "edge-26.10.2",
      anchors: [{ name: "root.linkerd.cluster.local", days: 340 - index }],
      findings: findingsAt(
        index,
        9,
        "data plane has the trust anchors",
        "a pod of linkerd-destination does not have the trust anchor",
      ),
    })),
    links: pairs.map(({ source, target }, index) => linkOf(source, target, index, each, preview)),
    federated: [
      {
        cluster: names[0] ?? "",
        name: "shop/cart-federated",
        ports: "80/TCP",
        state: "ok",
        members: names.slice(1, 4).map((cluster) => ({ service: "shop/cart", cluster })),
      },
    ],
  };
}

const regions = ["west", "east", "north", "south", "eu-west", "eu-east", "ap-south", "us-central"];

function clusterName(index: number): string {
  const region = regions[index % regions.length] ?? "";
  return index < regions.length ? region : `${region}-${Math.floor(index / regions.length) + 1}`;
}

function isLinked(links: Shape["links"], one: number, other: number, count: number): boolean {
  if (one === other) return false;
  if (links === "all") return true;
  if (links === "ring") return other === (one + 1) % count;
  return one === 0 || (other === 0 && one % 3 === 0);
}

function healthAt(index: number, every: number): HealthPicture {
  if (index % every === 4) return "warning";
  if (index % every === 7) return "error";
  return index % every === 8 ? "unknown" : "ok";
}

function findingsAt(index: number, every: number, check: string, sentence: string) {
  const health = healthAt(index, every);
  return health === "warning" || health === "error"
    ? [
        {
          severity: health,
          check,
          sentence,
          hint: "https://linkerd.io/2/checks/#l5d-multicluster-clusters-share-anchors",
        },
      ]
    : [];
}

function linkOf(
  source: string,
  target: string,
  index: number,
  count: number,
  preview: boolean,
): LinkPicture {
  const kind = index % 4 === 3 ? "flat" : "gateway";
  return {
    source,
    target,
    kind,
    mirroring: "pulumi",
    health: healthAt(index, 11),
    ...(kind === "gateway" && { gateway: `192.0.2.${index % 250}:4143, alive` }),
    mirrors: Array.from({ length: count }, (_, number) => mirrorOf(number, target, kind, preview)),
    notMirrored: Array.from({ length: index % 3 }, (_, number) => ({
      service: `payments/ledger-${number}`,
      reason: "MissingNamespace",
      sentence: `${source} has no namespace payments: create it there, or set createNamespaces on the link`,
    })),
    findings: findingsAt(
      index,
      11,
      "gateway is alive",
      `the gateway of ${target} fails its probe /ready: check the pods behind it`,
    ),
  };
}

function mirrorOf(number: number, target: string, kind: string, preview: boolean): MirrorPicture {
  const service = `team-${number % 17}/service-${number}`;
  const named = { name: `${service}-${target}`, service, ports: "80/TCP, 443/TCP" };
  const mirror = { ...named, kind: kind === "flat" ? "discovery" : "gateway" };
  if (number % 40 === 3) return { ...mirror, state: "missing", ...(preview && { next: "create" }) };
  if (number % 40 === 5)
    return {
      ...mirror,
      state: "differs",
      ...(preview && { next: "update", changes: ["ports: 80/TCP → 80/TCP, 443/TCP"] }),
    };
  if (number % 40 === 7)
    return { ...mirror, state: "leftover", ...(preview && { next: "delete" }) };
  return { ...mirror, state: "ok" };
}

/** Names such as no cluster should have, each of which would be something else as markup or script. */
export const hostileNames = [
  "</script><script>globalThis.hacked = 1</script>",
  "<img src=x onerror='globalThis.hacked = 1'>",
  '"><svg onload="globalThis.hacked = 1">',
  "<!--<script>",
  "]]>&lt;b&gt;\u2028\u2029`${globalThis.hacked = 1}`",
  "javascript:globalThis.hacked=1",
  '\\N"]; evil -> "x',
] as const;

/** The same mesh with other names of everything, each different. */
export function renamed(picture: Picture, names: readonly string[]): Picture {
  const hostile = (index: number) => `${names[index % names.length] ?? ""}${index}`;
  const clusters = new Map(picture.clusters.map(({ name }, index) => [name, hostile(index)]));
  const called = (name: string) => clusters.get(name) ?? name;
  return {
    ...picture,
    stack: hostile(0),
    readAt: hostile(2),
    clusters: picture.clusters.map((cluster, index) => ({
      ...cluster,
      name: called(cluster.name),
      linkerd: hostile(index + 1),
      anchors: [{ name: hostile(index), days: 1 }],
    })),
    links: picture.links.map((link, index) => ({
      ...link,
      source: called(link.source),
      target: called(link.target),
      gateway: hostile(index),
      findings: [{ severity: "error", check: hostile(index), sentence: hostile(index + 1) }],
      notMirrored: [{ service: hostile(index), reason: hostile(1), sentence: hostile(2) }],
      mirrors: link.mirrors.map((mirror, number) => ({
        ...mirror,
        name: hostile(number),
        service: hostile(number + 1),
        ports: hostile(number + 2),
        state: hostile(number + 3),
      })),
    })),
    federated: [],
  };
}
