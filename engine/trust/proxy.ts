import type { Pod } from "../kubernetes/objects/workload-resource.ts";
import { valueIn } from "../base/result.ts";
import { type Bundle, trustRootHash, unique } from "./bundle.ts";
import { certificatesIn } from "./certificate.ts";
import type { MeshedProxy } from "./live.ts";

const proxyContainer = "linkerd-proxy";
const anchorsVariable = "LINKERD2_PROXY_IDENTITY_TRUST_ANCHORS";
const hashAnnotation = "linkerd.io/trust-root-sha256";

/** The trust bundle of a cluster. */
export interface Roots {
  readonly text: string;
  readonly bundle: Bundle;
  /** The bundle has not changed since then. */
  readonly since: Date;
}

/** Returns nothing for a pod that has no proxy, or has ended. */
export function proxyOf(
  pod: Pod,
  roots: Omit<Roots, "bundle"> | undefined,
  linkerdNamespace: string,
): MeshedProxy[] {
  const { spec, status = {}, metadata } = pod;
  const proxy = proxyIn(spec);
  const isOver = status.phase === "Succeeded" || status.phase === "Failed";
  if (proxy === undefined || isOver) return [];
  const literal = proxy.env?.find(({ name }) => name === anchorsVariable)?.value;
  const { name, namespace, creationTimestamp = "", annotations = {} } = metadata;
  // The injector writes the anchors into the pod, but anybody may create such a pod.
  if (literal === undefined && namespace !== linkerdNamespace) return [];
  // The control plane's own proxies refer to the ConfigMap. The annotation identifies its content, unless others write it.
  const { text = "", since = new Date(0) } = roots ?? {};
  const hashes = [trustRootHash(text), trustRootHash(`${text}\n`)];
  const startedAt = Date.parse(proxyStatus(pod)?.state?.running?.startedAt ?? "");
  const isCurrent =
    hashes.includes(annotations[hashAnnotation] ?? "") || startedAt > since.getTime();
  const anchors = literal ?? (isCurrent ? text : "");
  const createdAt = new Date(Date.parse(creationTimestamp) || 0);
  return [{ namespace, pod: name, createdAt, started: hasStarted(pod), trusts: parsed(anchors) }];
}

/** Returns Linkerd's proxy among the containers of a pod or of a template. A sidecar is an init container. */
export function proxyIn({ containers = [], initContainers = [] }: Containers = {}) {
  return [...containers, ...initContainers].find(({ name }) => name === proxyContainer);
}

/** A pod that is being deleted lags behind no longer than that takes. */
export function isLeaving({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

type Containers = Pick<NonNullable<Pod["spec"]>, "containers" | "initContainers">;

/** A sidecar that starts first may run in a pod that is still pending. */
function hasStarted(pod: Pod): boolean {
  if (pod.status?.phase !== "Pending") return true;
  const own = proxyStatus(pod);
  return own?.state?.running !== undefined || (own?.restartCount ?? 0) > 0;
}

function proxyStatus({ status = {} }: Pod) {
  const { containerStatuses = [], initContainerStatuses = [] } = status;
  return [...containerStatuses, ...initContainerStatuses].find(
    ({ name }) => name === proxyContainer,
  );
}

function parsed(text: string): Bundle {
  return unique(valueIn(certificatesIn(text)) ?? []);
}
