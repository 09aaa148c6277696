import { firstOf, UserError } from "@linkerd-multicluster/engine/base";
import { lossOf, lossText, type Remains } from "@linkerd-multicluster/engine/mirroring";
import { backendsOf, type Facts, type MirrorFact, undecidedIn } from "../facts/facts.ts";
import { mark } from "../output.ts";

export type Lost =
  | { readonly kind: "cluster" | "gateway"; readonly cluster: string }
  | { readonly kind: "link"; readonly source: string; readonly target: string }
  | { readonly kind: "namespace"; readonly cluster: string; readonly namespace: string };

/** The mirror, the federated Service, or the Service whose requests are routed loses backends. */
export interface Affected extends Remains {
  readonly source: string;
  readonly mirror: string;
  readonly kind: MirrorFact["kind"] | "route";
}

/** This is the output of `linkerd-clusters whatif --output json`. */
export interface WhatIf {
  readonly version: 1;
  readonly stack: string;
  readonly loss: Lost;
  readonly affected: readonly Affected[];
  /** Number of mirrors that lose nothing, by source. */
  readonly unaffected: Readonly<Record<string, number>>;
  /** The reasons why links or mirrors are undecided. These count with their present state. */
  readonly undecided?: readonly string[];
}

/** Parses the argument of `--lose`. @throws UserError */
export function lossIn(text: string, facts: Facts): Lost {
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

export function whatIf(facts: Facts, loss: Lost): WhatIf {
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
    const left = lossOf(
      backendsOf(fact).map(({ cluster }) => cluster),
      (cluster) => isLost(loss, fact, cluster),
      (cluster) => ready.get(`${cluster}/${service}`),
    );
    if (left === undefined) unaffected[source] = (unaffected[source] ?? 0) + 1;
    else affected.push({ source, mirror, kind, ...left });
  }
  const mirrorOf = new Map(facts.mirrors.map((each) => [`${each.source}/${each.mirror}`, each]));
  for (const { cluster: source, service, backends = [] } of facts.services) {
    if (loss.kind === "cluster" && loss.cluster === source) continue;
    const found = backends.map((key) => mirrorOf.get(`${source}/${key}`));
    const left = lossOf(
      found.map((fact) => fact?.part ?? source),
      (cluster) => found.some((fact) => fact?.part === cluster && isLost(loss, fact, cluster)),
      (cluster) => ready.get(`${cluster}/${service}`),
    );
    if (left !== undefined) affected.push({ source, mirror: service, kind: "route", ...left });
  }
  const { stack } = facts;
  return { version: 1, stack, loss, affected, unaffected, ...undecidedIn(facts) };
}

function isLost(
  loss: Lost,
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
    `if ${lostText(loss)} is lost: ${counts}`,
    ...firstOf(lines, mostLines),
    ...undecided.map((why) => `  ${mark("warn")} undecided: ${why}`),
    "",
  ].join("\n");
}

function lostText(loss: Lost): string {
  if (loss.kind === "link") return `link ${loss.source} → ${loss.target}`;
  if (loss.kind === "namespace") return `namespace ${loss.cluster}/${loss.namespace}`;
  return `${loss.kind} ${loss.cluster}`;
}

function affectedLine({ source, mirror, kind: _, ...left }: Affected): string {
  const tone = left.state === "unavailable" ? "bad" : "warn";
  return `  ${mark(tone)} ${source}: ${mirror}: ${lossText(left)}`;
}
