import type { Resource } from "../kubernetes/resources.ts";
import type { ObjectMeta } from "../kubernetes/objects.ts";

const core = { apiVersion: "v1", path: "api/v1", namespaced: true } as const;

export interface Secret {
  readonly metadata: ObjectMeta & { readonly creationTimestamp?: string };
  readonly type?: string;
  /** In base64. */
  readonly data?: Readonly<Record<string, string>>;
}

export interface ConfigMap {
  readonly metadata: ObjectMeta;
  readonly data?: Readonly<Record<string, string>>;
}

/** A question to the API server about whoever asks. */
export interface AccessReview {
  readonly spec: {
    readonly resourceAttributes: {
      readonly group: string;
      readonly resource: string;
      readonly verb: string;
      readonly name?: string;
    };
  };
  readonly status?: { readonly allowed: boolean };
}

export const secrets: Resource<Secret> = {
  ...core,
  kind: "Secret",
  plural: "secrets",
  sensitive: true,
};

export const configMaps: Resource<ConfigMap> = { ...core, kind: "ConfigMap", plural: "configmaps" };

export const accessReviews: Resource<AccessReview & { readonly metadata?: ObjectMeta }> = {
  apiVersion: "authorization.k8s.io/v1",
  path: "apis/authorization.k8s.io/v1",
  kind: "SelfSubjectAccessReview",
  plural: "selfsubjectaccessreviews",
  namespaced: false,
};

/** By this label the program finds its own tokens; Linkerd's and Helm's have other values. */
export const managedBy = { "app.kubernetes.io/managed-by": "linkerd-multicluster" } as const;

export const tokenType = "kubernetes.io/service-account-token";
