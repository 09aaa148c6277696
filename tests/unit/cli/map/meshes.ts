import type {
  HealthPicture,
  LinkPicture,
  MirrorPicture,
  Picture,
} from "../../../../cli/map/picture.ts";

/** The links of a mesh in a test, and the number of mirrors. */
interface Shape {
  readonly clusters: number;
  readonly mirrors: number;
  readonly links: "all" | "hub";
  readonly preview?: boolean;
}

/** A mesh with one of every problem. */
export function meshOf({ clusters, mirrors, links, preview = false }: Shape): Picture {
  const names = ["west", "east", "north"];
  for (let index = names.length; index < clusters; index++) names.push(`cluster-${index}`);
  const all = names.slice(0, clusters);
  const pairs = all.flatMap((source, one) =>
    all.flatMap((target, other) => {
      const isLinked = links === "all" || one === 0 || (other === 0 && one % 3 === 0);
      return one !== other && isLinked ? [{ source, target }] : [];
    }),
  );
  return {
    version: 1,
    stack: "prod",
    readAt: "2026-11-22T22:30:00Z",
    preview,
    clusters: all.map((name, index) => ({
      name,
      health: healthAt(index),
      linkerd: "edge-26.10.2",
      anchors: [{ name: "root.linkerd.cluster.local", days: 340 - index }],
      findings: findingsAt(index, "the data plane has the trust anchors", "a pod has none"),
    })),
    links: pairs.map(({ source, target }, index): LinkPicture => {
      const kind = index % 4 === 3 ? "flat" : "gateway";
      const number = Math.ceil(mirrors / pairs.length);
      return {
        source,
        target,
        kind,
        mirroring: "pulumi",
        health: healthAt(index),
        ...(kind === "gateway" && { gateway: `192.0.2.${index % 250}:4143, alive` }),
        mirrors: Array.from({ length: number }, (_, each) => mirrorOf(each, target, preview)),
        notMirrored: Array.from({ length: index % 3 }, (_, each) => ({
          service: `payments/ledger-${each}`,
          reason: "MissingNamespace",
          sentence: `${source} has no namespace payments: create it there, or set createNamespaces on the link`,
        })),
        findings: findingsAt(index, "the gateway is alive", `the gateway of ${target} is down`),
      };
    }),
    federated: [
      {
        cluster: "west",
        name: "shop/cart-federated",
        ports: "80/TCP",
        state: "ok",
        members: all.slice(1, 4).map((cluster) => ({ service: "shop/cart", cluster })),
      },
    ],
  };
}

function healthAt(index: number): HealthPicture {
  return (
    (["ok", "ok", "ok", "ok", "warning", "ok", "ok", "error", "unknown"] as const)[index % 9] ??
    "ok"
  );
}

function findingsAt(index: number, check: string, sentence: string) {
  const severity = healthAt(index);
  if (severity !== "warning" && severity !== "error") return [];
  return [{ severity, check, sentence, hint: "https://linkerd.io/2/checks/" }];
}

function mirrorOf(number: number, target: string, preview: boolean): MirrorPicture {
  const service = `team-${number % 17}/service-${number}`;
  const mirror = {
    name: `${service}-${target}`,
    service,
    ports: "80/TCP, 443/TCP",
    kind: "gateway",
  };
  switch (number % 40) {
    case 3:
      return { ...mirror, state: "missing", ...(preview && { next: "create" }) };
    case 5: {
      const next = { next: "update", changes: ["ports: 80/TCP → 80/TCP, 443/TCP"] } as const;
      return { ...mirror, state: "differs", ...(preview && next) };
    }
    case 7:
      return { ...mirror, state: "leftover", ...(preview && { next: "delete" }) };
    default:
      return { ...mirror, state: "ok" };
  }
}

/** Names that would be something else as markup or script. */
export const hostileNames = [
  "</script><script>globalThis.hacked = 1</script>",
  "<img src=x onerror='globalThis.hacked = 1'>",
  '"><svg onload="globalThis.hacked = 1">',
  "<!--<script>",
  "]]>&lt;b&gt;\u2028\u2029`${globalThis.hacked = 1}`",
  "javascript:globalThis.hacked=1",
  '\\N"]; evil -> "x',
] as const;

/** The same mesh with different names for everything. */
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
