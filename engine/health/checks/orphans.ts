import { type Service } from "../../kubernetes/objects/objects.ts";
import type { ClusterSnapshot } from "../../mirroring/model/snapshot.ts";
import { clusterOfToken, label, tokensIn } from "../../mirroring/model/vocabulary.ts";
import { count, listed } from "../../mirroring/model/text.ts";
import { type HealthCheck, type Finding, unreadCluster } from "../check.ts";
import type { CheckedCluster } from "../view.ts";

/** Warnings, as in Linkerd: other stacks may have links with the same source. */
export const noOrphans: HealthCheck<CheckedCluster> = {
  id: "no-orphans",
  title: "every mirror belongs to a link",
  anchor: "l5d-multicluster-orphaned-services",
  severity: "warning",
  aboutLinkerd: false,
  run: ({ mesh, cluster, reading: { snapshot } }) => {
    if ("why" in snapshot) return unreadCluster(cluster);
    const links = [...mesh.links.map(({ link }) => link), ...(mesh.leaving ?? [])];
    const targets = new Set(
      links.filter(({ source }) => source === cluster).map(({ target }) => target),
    );
    const context = mesh.clusters[cluster]?.context ?? cluster;
    return [
      ...orphaned(snapshot.value, targets, context),
      ...strayMembers(snapshot.value, targets),
    ];
  },
};

function orphaned(
  { cluster, services }: ClusterSnapshot,
  targets: ReadonlySet<string>,
  context: string,
): Finding[] {
  const strays = [...services].flatMap(([key, service]) => {
    const target = targetOf(service);
    if (target === undefined || targets.has(target)) return [];
    return [{ target, mirror: `${cluster}/${key}` }];
  });
  return [...Map.groupBy(strays, ({ target }) => target)].map(([target, each]) => {
    const keys = each.map(({ mirror }) => mirror);
    return `${count(keys.length, "mirror")} of cluster ${target}, which no link of this stack targets from here: ${listed(keys)}; delete them with kubectl --context ${context} delete services --all-namespaces -l ${label.mirrored}=true,${label.cluster}=${target}, unless another stack has such a link`;
  });
}

/** Probe Services stand for a gateway, not for anything exported. */
function targetOf({ metadata: { labels = {} } }: Service): string | undefined {
  const isMirror = labels[label.mirrored] === "true" && labels[label.mirroredGateway] === undefined;
  return isMirror ? labels[label.cluster] : undefined;
}

/** Linkerd never looks again for a cluster that it did not know. */
function strayMembers(
  { cluster, services }: ClusterSnapshot,
  targets: ReadonlySet<string>,
): Finding[] {
  return [...services].flatMap(([key, { metadata }]) => {
    if (metadata.labels?.[label.mirrored] !== "true") return [];
    return tokensIn(metadata.annotations ?? {})
      .filter((token) => !targets.has(clusterOfToken(token)))
      .map(
        (token) =>
          `federated Service ${cluster}/${key} has the member ${token}, but no link of this stack targets cluster ${clusterOfToken(token)} from here: remove it from the annotation, unless another stack has such a link`,
      );
  });
}
