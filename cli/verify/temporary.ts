import { setTimeout as sleep } from "node:timers/promises";
import { omitUndefined, unlessBug, UserError } from "@linkerd-multicluster/engine/base";
import {
  type Kubernetes,
  KubernetesError,
  type ObjectName,
  type Pod,
  type Resource,
  resources,
} from "@linkerd-multicluster/engine/kubernetes";
import type { Hop } from "./answers.ts";
import { verificationLabels } from "./verification-pod.ts";

/** A pod is read again after this many milliseconds. */
const interval = 500;

/** This is in milliseconds. Older objects were left by a process that was killed: no request takes that long. */
const leftBehind = 3_600_000;

const selector = Object.entries(verificationLabels)
  .map(([key, value]) => `${key}=${value}`)
  .join(",");

/** The kinds of objects that a verification creates and deletes. */
const temporary: Readonly<Record<Temporary, Resource<Pick<Pod, "metadata">>>> = {
  pod: resources.pods,
  Service: resources.services,
};
export type Temporary = "pod" | "Service";

export class FailedHop extends UserError {
  readonly hop: Hop;
  constructor(hop: Hop, message: string) {
    super(message);
    this.hop = hop;
  }
}

/** Creates a pod and waits for its termination message. */
export async function messageOf(
  kubernetes: Kubernetes,
  pod: Pod,
  deadline: number,
  signal: AbortSignal,
): Promise<string> {
  const { name, namespace } = pod.metadata;
  const created = await kubernetes.create(resources.pods, pod);
  if (!JSON.stringify(created.spec).includes('"linkerd-proxy"'))
    throw new FailedHop(
      "client",
      `${kubernetes.cluster} created pod ${name} without Linkerd's proxy`,
    );
  for (;;) {
    const found = await kubernetes.get(resources.pods, { namespace, name });
    const statuses = found.status?.containerStatuses ?? [];
    const ended = statuses.find((each) => each.name === "request")?.state?.terminated;
    if (ended !== undefined) return ended.message ?? "";
    if (performance.now() > deadline)
      throw new FailedHop(
        "client",
        `pod ${kubernetes.cluster}/${namespace}/${name} did not end within the time limit: ${reasonOf(found)}`,
      );
    await sleep(interval, undefined, { signal });
  }
}

/** Returns the reason for which a pod's containers wait, or the pod's phase. */
function reasonOf({ status = {} }: Pod): string {
  const { phase = "", reason = phase, containerStatuses = [] } = status;
  const waiting = containerStatuses.flatMap(({ state }) => state?.waiting ?? []);
  const [first] = waiting.map((each) => [each.reason, each.message].filter(Boolean).join(": "));
  return first ?? reason;
}

/** Deletes what killed processes have left in a namespace, once for each set of places. */
export async function sweep(
  kubernetes: Kubernetes,
  kind: Temporary,
  namespace: string,
  swept: Set<string>,
): Promise<void> {
  const place = `${kind} ${kubernetes.cluster}/${namespace}`;
  if (swept.has(place)) return;
  swept.add(place);
  const resource = temporary[kind];
  const all = await kubernetes.list(resource, { namespace, labelSelector: selector });
  for (const { metadata } of all) {
    const { name, uid, creationTimestamp = "" } = metadata;
    if (Date.now() - Date.parse(creationTimestamp) < leftBehind) continue;
    await kubernetes
      .remove(resource, { namespace, name }, omitUndefined({ uid }))
      .catch(unlessBug(undefined));
  }
}

/** Returns a sentence about an object that could not be deleted, which must not replace the answer. */
export async function remove(
  kubernetes: Kubernetes,
  kind: Temporary,
  at: ObjectName & { readonly namespace: string },
): Promise<string | undefined> {
  try {
    await kubernetes.remove(temporary[kind], at);
    return undefined;
  } catch (error) {
    if (!(error instanceof KubernetesError)) throw error;
    if (error.kind === "notFound") return undefined;
    return `${kind} ${kubernetes.cluster}/${at.namespace}/${at.name} could not be deleted (${error.message}): delete ${kind}s with the label ${selector}`;
  }
}
