import { listed } from "@linkerd-multicluster/engine/base";
import {
  deniedOf,
  type Kubernetes,
  type ObjectName,
  resources,
} from "@linkerd-multicluster/engine/kubernetes";
import { annotation } from "@linkerd-multicluster/engine/mirroring";
import { FailedHop } from "./temporary.ts";
import { verificationLabels } from "./verification-pod.ts";

type At = Required<ObjectName>;

/** Returns a sentence about the rights that a request for an unexported name needs besides those of others. */
export async function rightsLacking(
  kubernetes: Kubernetes,
  namespace: string,
): Promise<string | undefined> {
  const ask = (verb: string, resource: string) => ({ verb, resource, group: "", namespace });
  const denied = await deniedOf(
    [
      ask("create", "services"),
      ask("delete", "services"),
      ask("create", "endpoints"),
      ask("get", "endpoints"),
    ],
    kubernetes,
  );
  if (denied.length === 0) return undefined;
  return `not tried, because ${kubernetes.cluster} doesn't allow you to ${listed(denied)}: see examples/rbac/verify-refusals.yaml`;
}

/**
 * A gateway looks a name up before it judges the request, so it has to exist. Every cluster has this Service, and nobody exports
 * it. A gateway that lets the request pass sends it there without credentials, and not in TLS, which an API server refuses.
 */
const unexported = { name: "kubernetes.default", port: 443 };

/**
 * Creates a Service without the marks of a mirror, whose Endpoints lead through the mirror's gateway to a Service that the
 * target doesn't export. This is what a client does that forges a name: Linkerd's proxies take the name from the Endpoints'
 * annotation (linkerd-behaviour.md 2.2).
 *
 * @returns its host and port, and the name that the gateway is asked for
 */
export async function createUnexported(
  kubernetes: Kubernetes,
  mirror: At,
  at: At,
): Promise<{ readonly host: string; readonly port: number; readonly asked: string }> {
  const { metadata, subsets = [] } = await kubernetes.get(resources.endpoints, mirror);
  const { [annotation.remoteName]: exported = "", [annotation.remoteGatewayIdentity]: identity } =
    metadata.annotations ?? {};
  const [, , ...domain] = exported.split(".");
  const [port] = subsets.flatMap(({ ports = [] }) => ports);
  if (domain.length === 0 || identity === undefined || port === undefined)
    throw new FailedHop("mirror", `its Endpoints name no gateway`);
  const asked = [unexported.name, ...domain].join(".");
  await kubernetes.create(resources.services, {
    metadata: { ...at, labels: verificationLabels },
    spec: { ports: [{ name: port.name ?? "", port: unexported.port, protocol: "TCP" }] },
  });
  await kubernetes.create(resources.endpoints, {
    metadata: {
      ...at,
      labels: verificationLabels,
      annotations: {
        [annotation.remoteName]: asked,
        [annotation.remoteGatewayIdentity]: identity,
      },
    },
    subsets: subsets.map((each) => ({ ...each, ports: [port] })),
  });
  return { host: `${at.name}.${at.namespace}.svc`, port: unexported.port, asked };
}
