import { accountName, credentialsName, type Namespaces } from "./objects.ts";
import { tokenNumber } from "./tokens.ts";
import type { LinkGateway, TargetFacts } from "./state.ts";
import type { LabelSelector, LinkSpec } from "../mirroring/model/link.ts";
import { excludedByLink } from "../mirroring/decide/metadata.ts";
import { resources } from "../kubernetes/objects/resources.ts";
import { programVersion } from "../version.ts";

const { apiVersion, kind } = resources.links;
export const linkVersion = { apiVersion, kind } as const;

/** A Link has the name of its target, because much of Linkerd takes one for the other (linkerd-behaviour.md 1.9). */
export function linkMetadata(target: string, namespaces: Namespaces) {
  return {
    name: target,
    namespace: namespaces.multicluster,
    annotations: { "linkerd.io/created-by": programVersion },
  };
}

/**
 * The spec has every field that a program sets (linkerd-behaviour.md 1.2), as `linkerd multicluster link-gen` does (1.6).
 * `selector` is for mirrors behind the gateway. The schema has defaults for the probe's timeout and threshold.
 */
export function linkManifestSpec(
  spec: LinkSpec,
  facts: TargetFacts,
  namespaces: Namespaces,
  mirroring: "pulumi" | "controller",
) {
  const { target } = spec;
  const excluded = excludedByLink(spec);
  const mark = mirroring === "controller" ? [credentialsMark(spec, facts)] : [];
  return {
    targetClusterName: target,
    targetClusterDomain: facts.clusterDomain,
    targetClusterLinkerdNamespace: namespaces.linkerd,
    clusterCredentialsSecret: credentialsName(target),
    ...(facts.gateway !== undefined && gatewayFields(facts.gateway, spec.selector)),
    remoteDiscoverySelector: spec.remoteDiscoverySelector,
    federatedServiceSelector: spec.federatedServiceSelector,
    excludedLabels: excluded.labels,
    excludedAnnotations: [...excluded.annotations, ...mark],
  };
}

function gatewayFields({ addresses, port, identity, probe }: LinkGateway, selector: LabelSelector) {
  return {
    gatewayAddress: addresses.join(","),
    gatewayPort: String(port),
    gatewayIdentity: identity,
    ...(probe !== undefined && { probeSpec: { ...probe, port: String(probe.port) } }),
    selector,
  };
}

/**
 * Linkerd's controller reads its Secret only when the Link's spec changes (link_handlers.go). New credentials change the
 * spec by an excluded annotation that nothing uses.
 */
function credentialsMark({ source }: LinkSpec, { token }: TargetFacts): string {
  const { generation = 0, serial = 0 } = tokenNumber(accountName(source), token) ?? {};
  return `linkerd-multicluster/credentials-${generation}-${serial}`;
}
