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
 * Creates a Service without the marks of a mirror, whose Endpoints lead through the mirror's gateway to a Service that the
 * target doesn't have. This is what a client does that forges a name: Linkerd's proxies take the name from the Endpoints'
 * annotation (linkerd-behaviour.md 2.2). Its address is used rather than its name, because DNS may know that only later.
 *
 * @returns the address, and the name that the gateway is asked for
 */
export async function createUnexported(
  kubernetes: Kubernetes,
  mirror: At,
  at: At,
): Promise<{ readonly address: string; readonly asked: string }> {
  const { metadata, subsets = [] } = await kubernetes.get(resources.endpoints, mirror);
  const { [annotation.remoteName]: exported = "", [annotation.remoteGatewayIdentity]: identity } =
    metadata.annotations ?? {};
  const dot = exported.indexOf(".");
  const [port] = subsets.flatMap(({ ports = [] }) => ports);
  if (dot < 0 || identity === undefined || port === undefined)
    throw new FailedHop("mirror", `its Endpoints name no gateway`);
  const asked = `${at.name}${exported.slice(dot)}`;
  const { metadata: created, spec } = await kubernetes.create(resources.services, {
    metadata: { ...at, labels: verificationLabels },
    spec: { ports: [{ name: port.name ?? "", port: 80, protocol: "TCP" }] },
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
  return { address: spec.clusterIP ?? created.name, asked };
}
