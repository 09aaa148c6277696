/** Sends requests from a pod of a cluster, and tells where they arrived, and on which path. */
import type { Answer } from "../traffic/stream.ts";
import { identityOf, namespace } from "../traffic/workloads.ts";
import type { Mesh, Name } from "./mesh.ts";

export const noSuchName = "no such name";
export const fromPodToPod = "pod to pod";
export const throughGateway = "through the gateway";

const gatewayIdentity = identityOf("linkerd-gateway", "linkerd-multicluster");
const client = identityOf("default");

/** Returns where requests for the name arrived, each as a path and a cluster, or what went wrong. */
export async function ask(
  { kubectl }: Mesh,
  from: Name,
  name: string,
  times: number,
): Promise<ReadonlySet<string>> {
  const url = `http://${name}.${namespace}.svc.cluster.local`;
  const curl = `curl --silent --fail --max-time 10 --write-out '\\n' ${url}`;
  const script = `for each in $(seq ${times}); do ${curl} || echo "curl: $?"; done`;
  const words = [`--namespace=${namespace}`, "deploy/curl", "--container=curl", "--"];
  const output = await kubectl(from, "exec", ...words, "sh", "-c", script);
  return new Set(output.split("\n").filter(Boolean).map(arrivalOf));
}

function arrivalOf(line: string): string {
  // It says so if it can't resolve a name.
  if (line === "curl: 6") return noSuchName;
  if (!line.startsWith("{")) return line;
  const { pod, identity, origin } = JSON.parse(line) as Answer;
  const cluster = pod.replace(/\/.*/, "");
  if (identity === client && origin === undefined) return `${fromPodToPod}: ${cluster}`;
  if (identity === gatewayIdentity && origin === client) return `${throughGateway}: ${cluster}`;
  return `${identity ?? "nobody"} for ${origin ?? "nobody"}: ${cluster}`;
}
