import { credentialsName } from "../../credentials/objects.ts";
import type { Check, Finding } from "../check.ts";
import type { Link } from "../../kubernetes/link-resource.ts";
import type { LinkView } from "../view.ts";

type Field = keyof NonNullable<Link["spec"]>;

export const linkResource: Check<LinkView> = {
  id: "link-resource",
  title: "the Link resource is there and says what is so",
  anchor: "l5d-multicluster-links-are-valid",
  severity: "fatal",
  aboutLinkerd: true,
  run: (view) => {
    const { mesh, link, source } = view;
    const links = source.linkerd?.links;
    if (links === undefined || "why" in links)
      return { skipped: `the Links of cluster ${link.source} can't be read` };
    if (links.value === undefined) return { skipped: `cluster ${link.source} serves no Links` };
    const { multiclusterNamespace: namespace } = mesh;
    const where = `Link ${link.source}/${namespace}/${link.target}`;
    const found = links.value.find(
      ({ metadata }) => metadata.name === link.target && metadata.namespace === namespace,
    );
    if (found === undefined)
      return [{ sentence: `there is no ${where}: run pulumi up --refresh, which makes it` }];
    return Object.entries(wanted(view)).flatMap(([field, value]) =>
      mismatch(where, field, found.spec?.[field as Field] ?? "", value),
    );
  },
};

/** What is not said here can't be known now; an empty text stands for a field that must be unset. */
function wanted(view: LinkView): Partial<Record<Field, string>> {
  const { mesh, link, target } = view;
  const domains = target.linkerd?.domains;
  const known = domains !== undefined && "value" in domains ? domains.value : undefined;
  return {
    targetClusterName: link.target,
    targetClusterDomain: known?.clusterDomain ?? link.targetDomain,
    targetClusterLinkerdNamespace: mesh.linkerdNamespace,
    clusterCredentialsSecret: credentialsName(link.target),
    ...gatewayFields(view),
  };
}

function gatewayFields({ link, reading }: LinkView): Partial<Record<Field, string>> {
  if (link.gateway === false) return { gatewayAddress: "" };
  const { gatewayFacts } = reading;
  if (gatewayFacts === undefined || "why" in gatewayFacts || "missing" in gatewayFacts.value)
    return {};
  const { addresses, port, identity } = gatewayFacts.value.facts;
  return {
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
      sentence: `${where} ${is} and should have ${rule}: run pulumi up --refresh, and see who else writes it`,
    },
  ];
}
