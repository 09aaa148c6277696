import { plain } from "@linkerd-multicluster/engine/kubernetes";
import type { Facts, MirrorFact } from "./facts.ts";
import { firstOf, mark, paint } from "./output.ts";

/** Something that a mesh may have to do without. */
export type Loss =
  | { readonly kind: "cluster" | "gateway"; readonly cluster: string }
  | { readonly kind: "link"; readonly source: string; readonly target: string }
  | { readonly kind: "namespace"; readonly cluster: string; readonly namespace: string };

/** A mirror or federated Service that would lose backends. */
export interface Affected {
  readonly source: string;
  readonly mirror: string;
  readonly kind: MirrorFact["kind"];
  /** `nothing`: its clients are left without; `fewer`: it goes on with other clusters' members. */
  readonly left: "nothing" | "fewer";
  /** The clusters whose Services go on answering. */
  readonly by: readonly string[];
  /** Of these, the ones that have no ready pod now. */
  readonly notReady: readonly string[];
}

/** `linkerd-clusters whatif --output json`. */
export interface WhatIf {
  readonly version: 1;
  readonly stack: string;
  readonly loss: Loss;
  readonly affected: readonly Affected[];
  /** Mirrors that lose nothing, by the cluster that they are in. */
  readonly unaffected: Readonly<Record<string, number>>;
  readonly notKnown: readonly string[];
}

/** What it would take more rights, or more than objects, to know. */
const notKnown = [
  "traffic: which mirrors are called at all",
  "routes: an HTTPRoute may send requests elsewhere",
  "capacity: whether the pods that are left can bear it",
  "quorum: whether the pods of a StatefulSet need those that are lost",
];

/**
 * What `--lose` names: `west` or `cluster/west`, `link/east/west` (source, target), `gateway/west`,
 * `namespace/west/shop`.
 *
 * @throws Error with a sentence
 */
export function lossIn(text: string, { clusters, links }: Facts): Loss {
  const [kind = "", first = "", second = "", ...more] = text.includes("/")
    ? text.split("/")
    : ["cluster", text];
  const isCluster = clusters.some(({ name }) => name === first);
  if (more.length === 0) {
    if ((kind === "cluster" || kind === "gateway") && second === "" && isCluster)
      return { kind, cluster: first };
    if (kind === "namespace" && second !== "" && isCluster)
      return { kind, cluster: first, namespace: second };
    if (kind === "link" && links.some((each) => each.source === first && each.target === second))
      return { kind, source: first, target: second };
  }
  throw new Error(
    `--lose is ${JSON.stringify(text)}; it must be west, gateway/west, link/east/west (source/target) or namespace/west/shop, of clusters and links of the stack (${clusters.map(({ name }) => name).join(", ")}).`,
  );
}

/** Which mirrors would lose all or some of what they lead to. Pure. */
export function whatIf(facts: Facts, loss: Loss): WhatIf {
  const ready = new Map(
    facts.services.map(({ cluster, service, ready }) => [`${cluster}/${service}`, ready]),
  );
  const affected: Affected[] = [];
  const unaffected: Record<string, number> = {};
  for (const mirror of facts.mirrors) {
    const { source, kind, verdict, service = "" } = mirror;
    const isThere = verdict !== "create" && verdict !== "delete";
    // Of a cluster that is lost there are no clients either.
    if (!isThere || (loss.kind === "cluster" && loss.cluster === source)) continue;
    const backends = backendsOf(mirror);
    const by = backends.filter((cluster) => !isLost(loss, mirror, cluster));
    if (by.length === backends.length) {
      unaffected[source] = (unaffected[source] ?? 0) + 1;
      continue;
    }
    const notReady = by.filter((cluster) => ready.get(`${cluster}/${service}`) === 0);
    const left = by.length === notReady.length ? "nothing" : "fewer";
    affected.push({ source, mirror: mirror.mirror, kind, left, by, notReady });
  }
  return { version: 1, stack: facts.stack, loss, affected, unaffected, notKnown };
}

/** The clusters whose Services a mirror stands for. */
function backendsOf({ source, part, members }: MirrorFact): string[] {
  if (members === undefined) return [part];
  return members.map((member) =>
    member.startsWith("local ") ? source : member.replace(/^.*@/, ""),
  );
}

/** Whether a mirror's way to one cluster is lost. */
function isLost(loss: Loss, { source, kind, mirror }: MirrorFact, cluster: string): boolean {
  switch (loss.kind) {
    case "cluster":
      return cluster === loss.cluster;
    case "link":
      return source === loss.source && cluster === loss.target;
    case "gateway":
      // Others lead from pod to pod.
      return cluster === loss.cluster && ["gateway", "headless", "endpoint"].includes(kind);
    case "namespace":
      return cluster === loss.cluster && mirror.startsWith(`${loss.namespace}/`);
  }
}

/** More are in `--output json`. */
const most = 50;

export function whatIfText({ loss, affected, unaffected, notKnown }: WhatIf): string {
  const words = Object.values(loss).map(plainly);
  const without = affected.filter(({ left }) => left === "nothing").length;
  const kept = Object.values(unaffected).reduce((sum, each) => sum + each, 0);
  const lines = affected.toSorted(worstFirst).map(({ source, mirror, left, by, notReady }) => {
    const rest = by.length === 0 ? "nothing is left of it" : `goes on with ${by.join(", ")}`;
    const asleep = notReady.length === 0 ? "" : `, but no pod is ready in ${notReady.join(", ")}`;
    return `  ${mark(left === "nothing" ? "bad" : "warn")} ${plainly(`${source}: ${mirror}: ${rest}${asleep}`)}`;
  });
  return [
    `without ${words.join(" ")}: ${without} left without, ${affected.length - without} with fewer members, ${kept} as before`,
    ...firstOf(lines, most),
    paint("dim", `not known: ${notKnown.join("; ")}`),
    "",
  ].join("\n");
}

function worstFirst(one: Affected, other: Affected): number {
  return Number(one.left === "fewer") - Number(other.left === "fewer");
}

function plainly(text: string): string {
  return plain(text);
}
