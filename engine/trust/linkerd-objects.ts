import type { Resource } from "../kubernetes/resources.ts";

/** The objects in which Linkerd keeps trust, reduced to what is read of them. */

export interface ConfigMap {
  readonly data?: Readonly<Record<string, string>>;
}

/** Only the certificate of a Secret is ever looked at, its key never. */
export interface IssuerSecret {
  readonly metadata: {
    readonly creationTimestamp?: string;
    readonly managedFields?: readonly { readonly time?: string }[];
  };
  readonly data?: { readonly "tls.crt"?: string; readonly "crt.pem"?: string };
}

export interface Container {
  readonly name: string;
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
}

export interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly creationTimestamp?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: {
    readonly containers?: readonly Container[];
    readonly initContainers?: readonly Container[];
  };
  readonly status?: { readonly phase?: string };
}

const core = { apiVersion: "v1", path: "api/v1", namespaced: true } as const;

export const configMaps: Resource<ConfigMap> = { ...core, kind: "ConfigMap", plural: "configmaps" };

export const secrets: Resource<IssuerSecret> = {
  ...core,
  kind: "Secret",
  plural: "secrets",
  sensitive: true,
};

export const pods: Resource<Pod> = { ...core, kind: "Pod", plural: "pods" };

/** Of the chart linkerd-control-plane; the Secret is ours where the scheme is kubernetes.io/tls. */
export const trustRootsName = "linkerd-identity-trust-roots";
export const trustRootsKey = "ca-bundle.crt";
export const issuerName = "linkerd-identity-issuer";
