import type { LinkSpec } from "../../engine/mirroring/model/link.ts";
import type { HelmValues } from "../../config/mesh.ts";

/**
 * Values of the charts that this program decides (linkerd-behaviour.md 9.1 and 9.2; linkerd2,
 * values.yaml of each). All others are the chart's, or the user's.
 */

export function crdsValues(gatewayApi: "install" | "assume"): HelmValues {
  return { installGatewayAPI: gatewayApi === "install" };
}

/** The issuer is in a Secret beside the chart, so no key is in Helm's values or its own Secrets. */
export function controlPlaneValues(clusterDomain: string): HelmValues {
  return {
    clusterDomain,
    identityTrustDomain: clusterDomain,
    identity: { issuer: { scheme: "kubernetes.io/tls" } },
  };
}

export interface MulticlusterSettings {
  readonly linkerdNamespace: string;
  readonly clusterDomain: string;
  /** Name of the gateway to install, or none for a flat network. */
  readonly gateway: string | undefined;
  /** Links into this cluster that Linkerd's own controller mirrors. */
  readonly controllers: readonly LinkSpec[];
  /** Whether this program mirrors any link into this cluster. */
  readonly mirrors: boolean;
}

/**
 * Labelling the namespace and granting access are this program's own doing, so the chart's Job and
 * service account are off. The local service mirror writes the same federated Services as this
 * program's mirroring does: it runs only where that does nothing.
 */
export function multiclusterValues(settings: MulticlusterSettings): HelmValues {
  const { linkerdNamespace, clusterDomain, gateway, controllers, mirrors } = settings;
  const localMirror = controllers.length > 0 && !mirrors;
  return {
    linkerdNamespace,
    identityTrustDomain: clusterDomain,
    createNamespaceMetadataJob: false,
    remoteMirrorServiceAccount: false,
    gateway: gateway === undefined ? { enabled: false } : { enabled: true, name: gateway },
    controllers: controllers.map(controller),
    enableNamespaceCreation: controllers.some(({ createNamespaces }) => createNamespaces),
    localServiceMirror: { replicas: localMirror ? 1 : 0 },
  };
}

/** The name is that of the Link resource, which has to be the target's (1.9). */
function controller({ target, gateway, headless }: LinkSpec): HelmValues {
  return {
    link: { ref: { name: target } },
    gateway: { enabled: gateway !== false },
    enableHeadlessServices: headless,
  };
}
