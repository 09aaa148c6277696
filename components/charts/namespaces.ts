import type { HelmValues } from "../../config/mesh.ts";

export interface NamespaceMetadata {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * The charts label their namespaces only for Linkerd's CLI (linkerd2, templates/namespace.yaml of
 * each). Proxies are set up by an init container that needs privileges, unless CNI does it.
 */
function enforced(controlPlane: HelmValues | undefined): Readonly<Record<string, string>> {
  const level = controlPlane?.["cniEnabled"] === true ? "restricted" : "privileged";
  return { "pod-security.kubernetes.io/enforce": level };
}

/** @param controlPlane the user's values of linkerd-control-plane */
export function linkerdNamespace(
  name: string,
  controlPlane: HelmValues | undefined,
): NamespaceMetadata {
  return {
    labels: {
      "linkerd.io/is-control-plane": "true",
      "config.linkerd.io/admission-webhooks": "disabled",
      "linkerd.io/control-plane-ns": name,
      ...enforced(controlPlane),
    },
    annotations: { "linkerd.io/inject": "disabled" },
  };
}

/** @param controlPlane the user's values of linkerd-control-plane */
export function multiclusterNamespace(controlPlane: HelmValues | undefined): NamespaceMetadata {
  return { labels: { "linkerd.io/extension": "multicluster", ...enforced(controlPlane) } };
}
