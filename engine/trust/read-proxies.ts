import type { Kubernetes } from "../kubernetes/interface.ts";
import { type Bundle, once, trustRootHash } from "./bundle.ts";
import { certificatesIn } from "./certificate.ts";
import { configMaps, type Pod, pods, trustRootsKey, trustRootsName } from "./linkerd-objects.ts";
import type { Proxy, ProxyReading } from "./live.ts";

const proxyContainer = "linkerd-proxy";
const anchorsVariable = "LINKERD2_PROXY_IDENTITY_TRUST_ANCHORS";
const hashAnnotation = "linkerd.io/trust-root-sha256";

/**
 * All meshed pods that run, with the anchors that their proxies were started with: proxies read
 * them once, so only what is in the pod counts (linkerd-behaviour.md 9.3).
 */
export async function proxiesOf(
  kubernetes: Kubernetes,
  linkerdNamespace: string,
): Promise<ProxyReading> {
  try {
    const labelSelector = `linkerd.io/control-plane-ns=${linkerdNamespace}`;
    const [all, roots] = await Promise.all([
      kubernetes.list(pods, { labelSelector }),
      kubernetes.get(configMaps, { namespace: linkerdNamespace, name: trustRootsName }),
    ]);
    const text = roots.data?.[trustRootsKey] ?? "";
    return { state: "read", proxies: all.flatMap((pod) => proxyOf(pod, text)) };
  } catch (error) {
    return { state: "unread", why: error instanceof Error ? error.message : String(error) };
  }
}

function proxyOf(pod: Pod, liveBundle: string): Proxy[] {
  const { spec = {}, status = {}, metadata } = pod;
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  const proxy = containers.find(({ name }) => name === proxyContainer);
  const isOver = status.phase === "Succeeded" || status.phase === "Failed";
  if (proxy === undefined || isOver) return [];
  const literal = proxy.env?.find(({ name }) => name === anchorsVariable)?.value;
  const { name, namespace, creationTimestamp = "", annotations = {} } = metadata;
  // The control plane's own proxies refer to the ConfigMap; the annotation says which content.
  const hashes = [trustRootHash(liveBundle), trustRootHash(`${liveBundle}\n`)];
  const isCurrent = hashes.includes(annotations[hashAnnotation] ?? "");
  const anchors = literal ?? (isCurrent ? liveBundle : "");
  const createdAt = new Date(Date.parse(creationTimestamp) || 0);
  return [{ namespace, pod: name, createdAt, trusts: parsed(anchors) }];
}

function parsed(text: string): Bundle {
  const found = certificatesIn(text);
  return typeof found === "string" ? [] : once(found);
}
