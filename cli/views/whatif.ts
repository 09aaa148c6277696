import { firstOf, UserError } from "@linkerd-multicluster/engine/base";
import { backendsOf, type Facts, type MirrorFact, undecidedIn } from "../facts/facts.ts";
import { mark } from "../output.ts";

export type Loss =
  | { readonly kind: "cluster" | "gateway"; readonly cluster: string }
  | { readonly kind: "link"; readonly source: string; readonly target: string }
  | { readonly kind: "namespace"; readonly cluster: string; readonly namespace: string };

/** The mirror or federated Service loses backends. */
export interface Affected {
  readonly source: string;
  readonly mirror: string;
  readonly kind: MirrorFact["kind"];
  /** With `degraded`, members in other clusters remain. */
  readonly state: "unavailable" | "degraded";
  /** Members in these clusters remain. */
  readonly remaining: readonly string[];
  /** Mirrors among them that have no ready pod now. */
  readonly notReady: readonly string[];
}

/** This is the output of `linkerd-clusters whatif --output json`. */
export interface WhatIf {
  readonly version: 1;
  readonly stack: string;
  readonly loss: Loss;
  readonly affected: readonly Affected[];
  /** Number of mirrors that lose nothing, by source. */
  readonly unaffected: Readonly<Record<string, number>>;
  /** The reasons why links or mirrors are undecided. These count with their present state. */
  readonly undecided?: readonly string[];
}

/** Parses the argument of `--lose`. @throws UserError */
export function lossIn(text: string, facts: Facts): Loss {
  const { clusters, links } = facts;
  const [kind = "", first = "", second = "", ...more] = text.includes("/")
    ? text.split("/")
    : ["cluster", text];
  const isCluster = clusters.some(({ name }) => name === first);
  if (more.length === 0) {
    if ((kind === "cluster" || kind === "gateway") && second === "" && isCluster)
      return { kind, cluster: first };
    if (kind === "namespace" && second !== "" && isCluster)
      return { kind, cluster: first, namespace: knownNamespace(first, second, facts) };
    if (kind === "link" && links.some((each) => each.source === first && each.target === second))
      return { kind, source: first, target: second };
  }
  throw new UserError(
    `--lose is ${JSON.stringify(text)}; it must be west, gateway/west, link/east/west (source/target) or namespace/west/shop, of clusters and links of the stack (${clusters.map(({ name }) => name).join(", ")}).`,
  );
}

/** A namespace that was mistyped would look safe to lose. */
function knownNamespace(cluster: string, namespace: string, { mirrors }: Facts): string {
  const services = mirrors.flatMap((fact) => {
    const leadsThere = backendsOf(fact).some((backend) => backend.cluster === cluster);
    return leadsThere ? [fact.service ?? fact.mirror] : [];
  });
  const known = [...new Set(services.map((key) => key.split("/", 1).join()))].sort();
  if (known.includes(namespace)) return namespace;
  const others = known.length === 0 ? "" : `, but to ${firstOf(known).join(", ")}`;
  throw new UserError(
    `--lose: no mirror leads to namespace ${namespace} of cluster ${cluster}${others}.`,
  );
}

export function whatIf(facts: Facts, loss: Loss): WhatIf {
  const ready = new Map(
    facts.services.map(({ cluster, service, ready }) => [`${cluster}/${service}`, ready]),
  );
  const affected: Affected[] = [];
  const unaffected: Record<string, number> = {};
  for (const fact of facts.mirrors) {
    const { source, mirror, kind, verdict, service = "" } = fact;
    const isThere = verdict !== "create" && verdict !== "delete";
    // A lost cluster has no clients either.
    const isSourceLost = loss.kind === "cluster" && loss.cluster === source;
    if (!isThere || isSourceLost) continue;
    const backends = backendsOf(fact).map(({ cluster }) => cluster);
    const remaining = backends.filter((cluster) => !isLost(loss, fact, cluster));
    if (remaining.length === backends.length) {
      unaffected[source] = (unaffected[source] ?? 0) + 1;
      continue;
    }
    const notReady = remaining.filter((cluster) => ready.get(`${cluster}/${service}`) === 0);
    const state = remaining.length === notReady.length ? "unavailable" : "degraded";
    affected.push({ source, mirror, kind, state, remaining, notReady });
  }
  const { stack } = facts;
  return { version: 1, stack, loss, affected, unaffected, ...undecidedIn(facts) };
}

function isLost(
  loss: Loss,
  { source, kind, mirror, service = mirror }: MirrorFact,
  cluster: string,
): boolean {
  switch (loss.kind) {
    case "cluster":
      return cluster === loss.cluster;
    case "link":
      return source === loss.source && cluster === loss.target;
    case "gateway":
      // Other kinds connect pod to pod.
      return cluster === loss.cluster && ["gateway", "headless", "endpoint"].includes(kind);
    case "namespace":
      // The mirror may be in another namespace (`mirrorNamespaces`).
      return cluster === loss.cluster && service.startsWith(`${loss.namespace}/`);
  }
}

/** `--output json` has all. */
const mostLines = 50;

export function whatIfText({ loss, affected, unaffected, undecided = [] }: WhatIf): string {
  const unavailable = affected.filter(({ state }) => state === "unavailable");
  const degraded = affected.filter(({ state }) => state === "degraded");
  const kept = Object.values(unaffected).reduce((total, each) => total + each, 0);
  const counts = `${unavailable.length} unavailable, ${degraded.length} degraded, ${kept} unaffected`;
  const lines = [...unavailable, ...degraded].map(affectedLine);
  return [
    `if ${lossText(loss)} is lost: ${counts}`,
    ...firstOf(lines, mostLines),
    ...undecided.map((why) => `  ${mark("warn")} undecided: ${why}`),
    "",
  ].join("\n");
}

function lossText(loss: Loss): string {
  if (loss.kind === "link") return `link ${loss.source} → ${loss.target}`;
  if (loss.kind === "namespace") return `namespace ${loss.cluster}/${loss.namespace}`;
  return `${loss.kind} ${loss.cluster}`;
}

function affectedLine({ source, mirror, state, remaining, notReady }: Affected): string {
  const left = remaining.length === 0 ? "" : `, still served by ${remaining.join(", ")}`;
  const empty = notReady.length === 0 ? "" : `, but no pod is ready in ${notReady.join(", ")}`;
  const tone = state === "unavailable" ? "bad" : "warn";
  return `  ${mark(tone)} ${source}: ${mirror}: ${state}${left}${empty}`;
}
