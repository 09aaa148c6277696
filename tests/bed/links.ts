/** Creates Link resources as Linkerd's chart does, for clusters without Linkerd. */
import { UserError } from "@linkerd-multicluster/engine/base";
import { type BedCluster, until } from "./bed.ts";

export const namespace = "linkerd-multicluster";
const group = "multicluster.linkerd.io";
const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

export const linksPath = `/apis/${group}/v1alpha3/namespaces/${namespace}/links`;

/** Installs the CRD of Links, and creates a namespace for them. */
export async function addLinkCrd(cluster: BedCluster): Promise<void> {
  await post(cluster, `${crds}?fieldValidation=Strict`, linkCrd);
  const { code } = await cluster.request("GET", `/api/v1/namespaces/${namespace}`);
  if (code === 404) await post(cluster, "/api/v1/namespaces", { metadata: { name: namespace } });
  await until("Link resources", [], async () => (await answers(cluster, 200)) || undefined);
}

/** The Link's own name is that of its target. */
export async function addLink(cluster: BedCluster, name: string, spec: object = {}): Promise<void> {
  await post(cluster, linksPath, {
    apiVersion: `${group}/v1alpha3`,
    kind: "Link",
    metadata: { name },
    spec: { targetClusterName: name, ...spec },
  });
}

export async function removeLinkCrd(cluster: BedCluster): Promise<void> {
  await cluster.request("DELETE", `${crds}/links.${group}`);
  await until("the end of Link resources", [], async () => {
    return (await answers(cluster, 404)) || undefined;
  });
}

async function answers({ request }: BedCluster, expected: number): Promise<boolean> {
  return (await request("GET", linksPath)).code === expected;
}

async function post({ name, request }: BedCluster, path: string, object: unknown): Promise<void> {
  const { code, body } = await request("POST", path, object);
  if (code !== 201) throw new UserError(`${name} refuses an object: ${JSON.stringify(body)}`);
}

const text = { type: "string" };
const texts = { type: "array", items: text };
const duration = { ...text, format: "duration" };

function map(properties: object, ...required: readonly string[]): object {
  return { type: "object", properties, ...(required.length > 0 && { required }) };
}

const selector = map({
  matchLabels: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  matchExpressions: {
    type: "array",
    items: map(
      {
        key: text,
        operator: { ...text, enum: ["In", "NotIn", "Exists", "DoesNotExist"] },
        values: texts,
      },
      ...["key", "operator"],
    ),
  },
});
const spec = map({
  targetClusterName: text,
  targetClusterDomain: text,
  targetClusterLinkerdNamespace: text,
  clusterCredentialsSecret: text,
  gatewayAddress: text,
  gatewayPort: text,
  gatewayIdentity: text,
  probeSpec: map({
    path: text,
    port: text,
    period: duration,
    timeout: { ...duration, default: "30s" },
    failureThreshold: { ...text, default: "3" },
  }),
  selector,
  remoteDiscoverySelector: selector,
  federatedServiceSelector: selector,
  excludedLabels: texts,
  excludedAnnotations: texts,
});

const reference = map(
  {
    group: { ...text, default: "core" },
    kind: { ...text, default: "Service" },
    name: text,
    namespace: text,
  },
  ...["name", "namespace"],
);
const condition = map(
  {
    lastTransitionTime: { ...text, format: "date-time" },
    localRef: reference,
    message: text,
    reason: {
      ...text,
      minLength: 1,
      maxLength: 1024,
      pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
    },
    status: { ...text, enum: ["True", "False", "Unknown"] },
    type: text,
  },
  ...["lastTransitionTime", "message", "reason", "status", "type"],
);
const conditions = { type: "array", items: condition };
const services = {
  type: "array",
  items: {
    ...map(
      { controllerName: text, remoteRef: reference, conditions },
      ...["controllerName", "remoteRef"],
    ),
    "x-kubernetes-preserve-unknown-fields": true,
  },
};
/** The field as linkerd2 #15398 adds it, and as a later version may. */
const trustRoots = {
  ...map({
    targetClusterLocalTrustRoots: text,
    targetClusterFullTrustRoots: text,
    targetClusterTrustMetadata: { type: "object", additionalProperties: text },
    lastSyncedTime: { ...text, format: "date-time" },
  }),
  "x-kubernetes-preserve-unknown-fields": true,
};
const status = map({ mirrorServices: services, federatedServices: services, trustRoots });

/** The CRD has the rules of Linkerd's own, so that the API server refuses what breaks one. */
const linkCrd = {
  metadata: { name: `links.${group}` },
  spec: {
    group,
    names: { kind: "Link", plural: "links", singular: "link", listKind: "LinkList" },
    scope: "Namespaced",
    versions: [
      {
        name: "v1alpha3",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: map({ spec, status }) },
        subresources: { status: {} },
      },
    ],
  },
};
