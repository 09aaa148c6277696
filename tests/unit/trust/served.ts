import type { Kubernetes } from "../../../engine/kubernetes/client/interface.ts";
import { absent, status, withCluster } from "../kubernetes/scripted-cluster.ts";
import type { Authority } from "./certificates.ts";

/** A cluster serves an object, answers with a status code, or has nothing. */
export interface Objects {
  readonly home?: unknown;
  readonly roots?: unknown;
  readonly secret?: unknown;
  readonly pods?: unknown;
  readonly config?: unknown;
}

const core = "/api/v1/namespaces/linkerd";
const paths: Readonly<Record<string, keyof Objects>> = {
  [core]: "home",
  [`${core}/configmaps/linkerd-identity-trust-roots`]: "roots",
  [`${core}/configmaps/linkerd-config`]: "config",
  [`${core}/secrets/linkerd-identity-issuer`]: "secret",
  "/api/v1/pods": "pods",
};

export function encoded(text: string): string {
  return Buffer.from(text).toString("base64");
}

export function roots(bundle: string, annotations = {}) {
  return {
    kind: "ConfigMap",
    metadata: { name: "linkerd-identity-trust-roots", namespace: "linkerd", annotations },
    data: { "ca-bundle.crt": bundle },
  };
}

export function secret({ pem, keyPem }: Authority) {
  return {
    kind: "Secret",
    metadata: {
      name: "linkerd-identity-issuer",
      namespace: "linkerd",
      creationTimestamp: "2026-01-01T00:00:00Z",
      managedFields: [{ time: "2026-08-01T00:00:00Z" }, { time: "2026-07-01T00:00:00Z" }, {}],
    },
    type: "kubernetes.io/tls",
    data: { "tls.crt": encoded(pem), "tls.key": encoded(keyPem) },
  };
}

export function served<T>(objects: Objects, read: (client: Kubernetes) => Promise<T>) {
  return withCluster(
    (request) => {
      const name = paths[request.url.pathname];
      const body = name && objects[name];
      if (typeof body === "number") return status(body, "Forbidden", "no");
      return body === undefined ? absent(request) : { body };
    },
    async ({ client, received }) => ({ result: await read(client), requests: received }),
  );
}
