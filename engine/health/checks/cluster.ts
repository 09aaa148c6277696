import { type Check, unread } from "../check.ts";
import type { ClusterView } from "../view.ts";

export const clusterReached: Check<ClusterView> = {
  id: "cluster-reached",
  title: "the cluster can be read",
  severity: "fatal",
  aboutLinkerd: false,
  run: ({ reading }) => ("why" in reading.snapshot ? [{ sentence: reading.snapshot.why }] : []),
};

export const linksServed: Check<ClusterView> = {
  id: "links-served",
  title: "the Link CRD is served",
  anchor: "l5d-multicluster-link-crd-exists",
  severity: "fatal",
  aboutLinkerd: true,
  run: ({ mesh, cluster, reading: { linkerd } }) => {
    if (!mesh.links.some(({ link }) => link.source === cluster))
      return { skipped: "no link of the stack has this cluster as its source" };
    if (linkerd === undefined) return unread(cluster);
    if ("why" in linkerd.links) return [{ sentence: linkerd.links.why }];
    if (linkerd.links.value !== undefined) return [];
    return [
      {
        sentence: `cluster ${cluster} does not serve links.multicluster.linkerd.io in version v1alpha3: install the multicluster extension of Linkerd 2.18 or later there, or let manage: all do so`,
      },
    ];
  },
};
