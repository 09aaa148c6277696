import assert from "node:assert/strict";
import { type Cluster, until } from "../../testbed/bed.ts";
import { linkCrd } from "./access-clusters.ts";

const text = { type: "string" };
const reference = {
  type: "object",
  required: ["name", "namespace"],
  properties: {
    group: { ...text, default: "core" },
    kind: { ...text, default: "Service" },
    name: text,
    namespace: text,
  },
};

/** `status` of a Link by linkerd-behaviour.md 1.3: what breaks a rule of it is refused. */
const services = {
  type: "array",
  items: {
    type: "object",
    required: ["controllerName", "remoteRef"],
    properties: {
      controllerName: text,
      remoteRef: reference,
      conditions: {
        type: "array",
        items: {
          type: "object",
          required: ["lastTransitionTime", "message", "reason", "status", "type"],
          properties: {
            lastTransitionTime: { ...text, format: "date-time" },
            localRef: reference,
            message: text,
            reason: {
              ...{ ...text, minLength: 1, maxLength: 1024 },
              pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
            },
            status: { ...text, enum: ["True", "False", "Unknown"] },
            type: text,
          },
        },
      },
    },
  },
};
const status = {
  type: "object",
  properties: { mirrorServices: services, federatedServices: services },
};

export const linksPath =
  "/apis/multicluster.linkerd.io/v1alpha3/namespaces/linkerd-multicluster/links";

/** The cluster knows Link resources from then on, and has a namespace for them. */
export async function addLinkCrd({ request }: Cluster): Promise<void> {
  const versions = linkCrd.spec.versions.map((version) => {
    const { openAPIV3Schema: schema } = version.schema;
    const properties = { ...schema.properties, status };
    return {
      ...version,
      subresources: { status: {} },
      schema: { openAPIV3Schema: { ...schema, properties } },
    };
  });
  const crd = { ...linkCrd, spec: { ...linkCrd.spec, versions } };
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?fieldValidation=Strict";
  const { code, body } = await request("POST", path, crd);
  assert.equal(code, 201, JSON.stringify(body));
  await request("POST", "/api/v1/namespaces", { metadata: { name: "linkerd-multicluster" } });
  await until("Link resources", [], async () =>
    (await request("GET", linksPath)).code === 200 ? true : undefined,
  );
}

export async function addLink({ request }: Cluster, name: string): Promise<void> {
  const { code, body } = await request("POST", linksPath, {
    apiVersion: "multicluster.linkerd.io/v1alpha3",
    kind: "Link",
    metadata: { name },
    spec: { targetClusterName: name },
  });
  assert.equal(code, 201, JSON.stringify(body));
}
