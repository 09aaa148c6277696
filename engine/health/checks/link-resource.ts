import { credentialsName } from "../../credentials/objects.ts";
import {
  type HealthCheck,
  type Finding,
  unreadCluster,
  type CheckedCluster,
  type CheckedLink,
} from "../health-check.ts";
import type { LinkResource } from "../../kubernetes/objects/link-resource.ts";
import { valueIn } from "../../result.ts";

type Field = keyof NonNullable<LinkResource["spec"]>;

export const linksServed: HealthCheck<CheckedCluster> = {
  id: "links-served",
  title: "the Link CRD is served",
  anchor: "l5d-multicluster-link-crd-exists",
  severity: "fatal",
  aboutLinkerd: true,
  run: ({ mesh, cluster, reading: { linkerd } }) => {
    if (!mesh.links.some(({ link }) => link.source === cluster))
      return { skipped: "no link of the stack has this cluster as its source" };
    if (linkerd === undefined) return unreadCluster(cluster);
    if ("why" in linkerd.links) return [linkerd.links.why];
    if (linkerd.links.value !== undefined) return [];
    return [
      `cluster ${cluster} does not serve links.multicluster.linkerd.io in version v1alpha3: install the multicluster extension of Linkerd 2.18 or later there, or set manage: all`,
    ];
  },
};

export const linkResource: HealthCheck<CheckedLink> = {
  id: "link-resource",
  title: "the Link exists and matches the config",
  anchor: "l5d-multicluster-links-are-valid",
  severity: "fatal",
  aboutLinkerd: true,
  run: (view) => {
    const { mesh, link, source } = view;
    const links = source.linkerd?.links;
    if (links === undefined || "why" in links)
      return { skipped: `the Links of cluster ${link.source} can't be read` };
    if (links.value === undefined)
      return { skipped: `cluster ${link.source} does not serve Links` };
    const { multiclusterNamespace: namespace } = mesh;
    const where = `Link ${link.source}/${namespace}/${link.target}`;
    const found = links.value.find(
      ({ metadata }) => metadata.name === link.target && metadata.namespace === namespace,
    );
    if (found === undefined)
      return [{ sentence: `there is no ${where}`, fix: "pulumi up --refresh" }];
    return Object.entries(wanted(view)).flatMap(([field, value]) =>
      mismatch(where, field, found.spec?.[field as Field] ?? "", value),
    );
  },
};

/** An unknown field is left out. An empty text stands for one that must be unset. */
function wanted({ mesh, link, target, reading }: CheckedLink): Partial<Record<Field, string>> {
  const fields = {
    targetClusterName: link.target,
    targetClusterDomain: valueIn(target.linkerd?.domains)?.clusterDomain ?? link.targetDomain,
    targetClusterLinkerdNamespace: mesh.linkerdNamespace,
    clusterCredentialsSecret: credentialsName(link.target),
  };
  if (link.gateway === false) return { ...fields, gatewayAddress: "" };
  const announced = valueIn(valueIn(reading.target)?.gateway)?.announced;
  if (announced === undefined) return fields;
  const { addresses, port, identity } = announced;
  return {
    ...fields,
    gatewayAddress: addresses.join(","),
    gatewayPort: String(port),
    gatewayIdentity: identity,
  };
}

function mismatch(where: string, field: string, live: string, value: string): Finding[] {
  if (live === value) return [];
  const is = live === "" ? `has no ${field}` : `has ${field} ${JSON.stringify(live)}`;
  const rule = value === "" ? "none, as the link has no gateway" : JSON.stringify(value);
  return [
    {
      sentence: `${where} ${is} and should have ${rule}: check what else writes it`,
      fix: "pulumi up --refresh",
    },
  ];
}
