/** What a user deploys: Deployments and a StatefulSet of meshed pods, and their Services. */
import type { StringMap } from "../../../engine/kubernetes/objects/objects.ts";
import type { BedCluster } from "../../bed/bed.ts";
import { inNamespace, post } from "../../e2e/access-clusters.ts";
import { nodeName } from "./node.ts";
import { serverPort } from "./pod.ts";

export const namespace = "shop";

export interface Workload {
  readonly name: string;
  /** Which program of these tests its pods run. */
  readonly program: "server" | "client" | "visitor" | "stranger";
  readonly replicas?: number;
  /** Its service account, by default the namespace's. */
  readonly account?: string;
}

/** Whatever is in it is injected with a proxy. */
export async function addShop(cluster: BedCluster): Promise<void> {
  const annotations = { "linkerd.io/inject": "enabled" };
  await post(cluster, "/api/v1/namespaces", { metadata: { name: namespace, annotations } });
}

export async function addAccount(cluster: BedCluster, name: string): Promise<void> {
  await post(cluster, inNamespace(namespace, "serviceaccounts"), { metadata: { name } });
}

/** By what proxies know pods with such an account. */
export const identityOf = (account: string, of = namespace): string =>
  `${account}.${of}.serviceaccount.identity.linkerd.cluster.local`;

export async function addDeployment(cluster: BedCluster, workload: Workload): Promise<void> {
  const { name, replicas = 1 } = workload;
  await post(cluster, `/apis/apps/v1/namespaces/${namespace}/deployments`, {
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: template(workload),
    },
  });
}

export async function addStatefulSet(
  cluster: BedCluster,
  workload: Workload,
  serviceName: string,
): Promise<void> {
  const { name, replicas = 1 } = workload;
  await post(cluster, `/apis/apps/v1/namespaces/${namespace}/statefulsets`, {
    metadata: { name },
    spec: {
      replicas,
      serviceName,
      podManagementPolicy: "Parallel",
      selector: { matchLabels: { app: name } },
      template: template(workload),
    },
  });
}

export async function addService(
  cluster: BedCluster,
  name: string,
  app: string,
  labels: StringMap,
  more: object = {},
): Promise<void> {
  await post(cluster, inNamespace(namespace, "services"), {
    metadata: { name, labels },
    spec: {
      selector: { app },
      ports: [{ name: "http", port: serverPort }],
      ...more,
    },
  });
}

function template({ name, program, account = "default" }: Workload): object {
  return {
    metadata: {
      labels: { app: name },
      ...(program === "stranger" && { annotations: { "linkerd.io/inject": "disabled" } }),
    },
    spec: {
      nodeName,
      serviceAccountName: account,
      containers: [{ name: program, image: program, ports: [{ containerPort: serverPort }] }],
    },
  };
}
