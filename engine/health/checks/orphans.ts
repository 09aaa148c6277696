import { keyOf, type ObjectKey, type Service } from "../../kubernetes/objects/objects.ts";
import type { HttpRoute } from "../../kubernetes/objects/route-resource.ts";
import type { LinkSpec } from "../../model/link.ts";
import type { ClusterSnapshot } from "../../model/snapshot.ts";
import { deletionOf } from "../../mirroring/decide/policies/ownership.ts";
import { localMember, marksOn, memberMarks, othersAmong } from "../../model/marks.ts";
import { backendsOf, isOwnRoute } from "../../model/route.ts";
import { clusterOfToken, label, tokensIn } from "../../model/vocabulary.ts";
import { count, inDigits, listed } from "../../base/message.ts";
import {
  type HealthCheck,
  type Finding,
  unreadCluster,
  type CheckedCluster,
} from "../health-check.ts";

/** Mirrors that another stack has marked belong to that stack's links. */
export const noOrphans: HealthCheck<CheckedCluster> = {
  id: "no-orphans",
  title: "every mirror belongs to a link",
  anchor: "l5d-multicluster-orphaned-services",
  severity: "warning",
  run: ({ mesh, cluster, httpRoutes, reading: { snapshot, controllers } }) => {
    if ("why" in snapshot) return unreadCluster(cluster);
    const links = [...mesh.links.map(({ link }) => link), ...(mesh.leaving ?? [])];
    const known = controllers !== undefined && "value" in controllers;
    // While a mesh moves to this program, Linkerd's controllers mirror the links that are still to come.
    const targets = new Set([
      ...links.filter(({ source }) => source === cluster).map(({ target }) => target),
      ...(known ? controllers.value.flatMap(({ target }) => target ?? []) : []),
    ]);
    const context = mesh.clusters[cluster]?.context ?? cluster;
    return [
      ...orphaned(snapshot.value, targets, known ? context : undefined, mesh.stack),
      ...strayMembers(snapshot.value, targets),
      ...mesh.links.flatMap(({ link }) =>
        link.source === cluster ? notAdopted(snapshot.value, httpRoutes, link, mesh.stack) : [],
      ),
    ];
  },
};

/**
 * @param context absent if it is unknown which controllers of Linkerd mirror into the cluster
 * @param stack `*` if nobody knows which marks are this stack's
 */
function orphaned(
  { cluster, services }: ClusterSnapshot,
  targets: ReadonlySet<string>,
  context: string | undefined,
  stack = "*",
): Finding[] {
  const strays = [...services].flatMap(([key, service]) => {
    const target = targetOf(service);
    if (target === undefined || targets.has(target)) return [];
    const { isOurs, others } = marksOn(service.metadata, stack === "*" ? [] : [stack]);
    return others.length > 0 ? [] : [{ target, key, isOurs }];
  });
  const groups = [...Map.groupBy(strays, ({ target, isOurs }) => `${target} ${isOurs}`).values()];
  return firstFindings(groups, `clusters with mirrors in ${cluster}`, (each) => {
    const keys = each.map(({ key }) => key);
    const { target = "", isOurs } = each[0] ?? {};
    const about = (whose: string) =>
      `${count(keys.length, "mirror")} of cluster ${target} that ${whose}, and no link of this stack targets that cluster from here: ${listed(keys.map((key) => `${cluster}/${key}`))}`;
    if (isOurs === true)
      return `${about("this stack has marked")}: linkerd-clusters status says what the next run does with them`;
    const needed = context === undefined ? " by Linkerd's controller or anybody else" : "";
    return {
      sentence: `${about("no stack has marked")}: delete them if they are no longer needed${needed}`,
      ...(context !== undefined && { fix: deletionOf(keys, context) }),
    };
  });
}

/** Probe Services stand for a gateway and not for an exported Service. */
function targetOf({ metadata: { labels = {} } }: Service): string | undefined {
  const isMirror = labels[label.mirrored] === "true" && labels[label.mirroredGateway] === undefined;
  return isMirror ? labels[label.cluster] : undefined;
}

/** A link takes over only what it wants itself. What is left must not be forgotten once the other stack is gone. */
function notAdopted(
  { cluster, services }: ClusterSnapshot,
  httpRoutes: readonly HttpRoute[] = [],
  { target, adoptFrom }: LinkSpec,
  stack = "",
): Finding[] {
  return othersAmong(adoptFrom, [stack]).flatMap((name) => {
    const isMirror = (key: ObjectKey) =>
      services.get(key)?.metadata.labels?.[label.cluster] === target;
    const routes = httpRoutes
      .filter((route) => isOwnRoute(route, [name]) && backendsOf(route).some(isMirror))
      .map((route) => `HTTPRoute ${cluster}/${keyOf(route)}`);
    const mirrors = [...services].flatMap(([key, { metadata }]) => {
      const { labels = {}, annotations = {} } = metadata;
      if (labels[label.mirrored] !== "true") return [];
      const marks = (member?: string) => marksOn(metadata, [name], member).isOurs;
      if (labels[label.cluster] !== undefined)
        return labels[label.cluster] === target && marks() ? [`${cluster}/${key}`] : [];
      const marked = [...tokensIn(annotations).map(clusterOfToken), localMember].filter(marks);
      // The local member belongs to no link, so it is left once no other link of that stack lists a member.
      return marked.length > 0 && marked.every((each) => each === target || each === localMember)
        ? [`${cluster}/${key}`]
        : [];
    });
    const left = [...mirrors, ...routes];
    if (left.length === 0) return [];
    return `stack ${name}, from which link ${cluster} → ${target} adopts (adoptFrom), still has ${count(left.length, "object")} here: ${listed(left)}: take the link out of that stack and run it; if the stack is gone, delete those that nobody needs`;
  });
}

/** Linkerd doesn't retry a cluster that it didn't know when the mirror appeared. */
function strayMembers(
  { cluster, services }: ClusterSnapshot,
  targets: ReadonlySet<string>,
): Finding[] {
  const strays = [...services].flatMap(([key, { metadata }]) => {
    if (metadata.labels?.[label.mirrored] !== "true") return [];
    const isMarked = memberMarks(metadata);
    const tokens = tokensIn(metadata.annotations ?? {}).filter((token) => {
      const member = clusterOfToken(token);
      return !targets.has(member) && !isMarked(member);
    });
    return tokens.length === 0 ? [] : [{ key, tokens }];
  });
  return firstFindings(strays, `federated Services in ${cluster}`, ({ key, tokens }) => {
    const [token = "", ...more] = tokens;
    const one = ["the member", `cluster ${clusterOfToken(token)}`, "it"];
    const [members = "", where = "", it = ""] =
      more.length === 0 ? one : [count(tokens.length, "member"), "their clusters", "them"];
    const names = more.length === 0 ? token : `(${listed(tokens)})`;
    return `federated Service ${cluster}/${key} has ${members} ${names}, but no link of this stack targets ${where} from here and no stack has marked ${it}: remove ${it} from the annotation if nobody needs ${it}`;
  });
}

/** Whoever may write Services can make any number of findings necessary. */
function firstFindings<T>(
  all: readonly T[],
  what: string,
  finding: (one: T) => Finding,
): Finding[] {
  const left = all.length - mostFindings;
  const rest = left > 0 ? [`the same is true of ${inDigits(left)} more ${what}`] : [];
  return [...all.slice(0, mostFindings).map(finding), ...rest];
}

const mostFindings = 20;
