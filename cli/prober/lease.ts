import { readFile } from "node:fs/promises";
import { isIPv6 } from "node:net";
import {
  connect,
  type Kubernetes,
  KubernetesError,
  resources,
} from "@linkerd-multicluster/engine/kubernetes";

import {
  type Answered,
  leaseName,
  verdictAnnotation,
  verdictText,
} from "@linkerd-multicluster/engine/mirroring";

/** Linkerd's CLI reads the metrics of the pod that holds the link's Lease. */
export interface Holder {
  readonly target: string;
  readonly namespace: string;
  readonly pod: string;
  readonly uid: string;
}

/**
 * Kubernetes deletes the Lease with the pod. Linkerd's controller, whose Lease has the same name, takes it over once nobody
 * renews it.
 */
export async function writeLease(
  kubernetes: Pick<Kubernetes, "create" | "patch">,
  { target, namespace, pod, uid }: Holder,
  verdict: Answered | undefined,
  now: Date,
): Promise<void> {
  const at = { namespace, name: leaseName(target) };
  const lease = {
    metadata: {
      ...at,
      ...(verdict !== undefined && { annotations: { [verdictAnnotation]: verdictText(verdict) } }),
      ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: pod, uid }],
    },
    // Go's MicroTime has six decimals.
    spec: { holderIdentity: pod, renewTime: now.toISOString().replace("Z", "000Z") },
  };
  await kubernetes.patch(resources.leases, at, lease).catch((error: unknown) => {
    if (!(error instanceof KubernetesError) || error.kind !== "notFound") throw error;
    return kubernetes.create(resources.leases, lease);
  });
}

const account = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Reads the token each time, because the kubelet replaces it before it expires. */
export async function holdLease(
  holder: Holder,
  verdict: Answered | undefined,
  environment = process.env,
): Promise<void> {
  const { KUBERNETES_SERVICE_HOST: host = "", KUBERNETES_SERVICE_PORT: port = "" } = environment;
  const [certificateAuthority, token] = await Promise.all([
    readFile(`${account}/ca.crt`, "base64"),
    readFile(`${account}/token`, "utf8"),
  ]);
  const server = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const kubernetes = await connect({ server, certificateAuthority, token }, "this cluster");
  try {
    await writeLease(kubernetes, holder, verdict, new Date());
  } finally {
    await kubernetes.close();
  }
}
