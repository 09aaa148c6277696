import { annotation, clusterOfToken, label } from "../../../../engine/model/vocabulary.ts";
import { tokensIn } from "../../../../engine/model/vocabulary.ts";
import type { ApiServer, Stored } from "../../../simulation/api-server.ts";
import { isMirror } from "../../../simulation/outcome.ts";
import { controller, localMirror } from "../../../unit/fixtures/objects.ts";
import type { Controller } from "./events.ts";

const manager = "linkerd-service-mirror";

const remoteVersion = "mirror.linkerd.io/remote-resource-version";

/** Creates or scales the Deployment of a controller, or removes it if `replicas` is undefined. */
export function deploy(source: ApiServer, of: Controller, replicas: number | undefined): void {
  const deployment = of === "local" ? localMirror(replicas) : controller(of, replicas);
  if (replicas === undefined) source.delete("deployments", keyFor(of));
  else source.put("deployments", deployment);
}

/** A Deployment that is scaled to zero counts. */
export function isDeployed(source: ApiServer, of: Controller): boolean {
  return source.get("deployments", keyFor(of)) !== undefined;
}

function keyFor(of: Controller): string {
  const { metadata } = of === "local" ? localMirror() : controller(of);
  return `${metadata.namespace}/${metadata.name}`;
}

/**
 * Does what Linkerd's controller does with all Services when it starts (linkerd-behaviour.md 2.4, 2.10, 2.14, 4 and 6).
 * It ignores marks, replaces labels and annotations as a whole, and sends managedFields back unchanged.
 *
 * @param exporting is the target, or the source itself for the local service mirror
 */
export function synchronize(source: ApiServer, of: Controller, exporting: ApiServer): void {
  const deployment = source.get("deployments", keyFor(of));
  const { replicas = 1 } = (deployment?.spec ?? {}) as { readonly replicas?: number };
  if (deployment === undefined || replicas === 0) return;
  for (const [key, service] of exporting.all("services")) {
    if (isMirror(service) || service.metadata.labels === undefined) continue;
    if (of !== "local") mirror(source, of, key, service);
    if (service.metadata.labels["mirror.linkerd.io/federated"] === "member")
      join(source, of, key, service);
    else leave(source, of, key);
  }
  if (of === "local") return;
  for (const [key, { metadata }] of [...source.all("services")])
    if (metadata.labels?.[label.cluster] === of)
      if (exporting.get("services", key.slice(0, -`-${of}`.length)) === undefined)
        source.delete("services", key, manager);
}

function mirror(source: ApiServer, target: string, key: string, exported: Stored): void {
  const name = `${key}-${target}`;
  const live = source.get("services", name);
  const { labels = {}, resourceVersion } = exported.metadata;
  if (labels[label.exported] !== "true") {
    if (live?.metadata.labels?.[label.cluster] === target) source.delete("services", name, manager);
    return;
  }
  const seen = live?.metadata.annotations?.[remoteVersion];
  if (live !== undefined && (seen === undefined || seen === resourceVersion)) return;
  const annotations = {
    [annotation.remoteName]: `${key.split("/").reverse().join(".")}.svc.cluster.local`,
    [remoteVersion]: resourceVersion,
  };
  const own = { [label.mirrored]: "true", [label.cluster]: target };
  put(source, name, live, own, annotations, exported);
  source.put(
    "endpoints",
    { metadata: { ...nameOf(name), labels: own, annotations }, subsets: [] },
    manager,
  );
}

function join(source: ApiServer, of: Controller, key: string, member: Stored): void {
  const name = `${key}-federated`;
  const live = source.get("services", name);
  if (live !== undefined && !isMirror(live)) return;
  const { annotations = {}, labels = {} } = live?.metadata ?? {};
  const [, service = ""] = key.split("/");
  const token = `${service}@${of}`;
  const tokens = tokensIn(annotations);
  const remote = of === "local" || tokens.includes(token) ? tokens : [...tokens, token];
  const local = of === "local" ? service : annotations[annotation.localMember];
  const own = live === undefined ? { [label.mirrored]: "true" } : labels;
  put(source, name, live, own, listing(remote, local), of === "local" ? member : (live ?? member));
}

function leave(source: ApiServer, of: Controller, key: string): void {
  const name = `${key}-federated`;
  const live = source.get("services", name);
  if (live === undefined || !isMirror(live)) return;
  const { annotations = {}, labels = {} } = live.metadata;
  const tokens = tokensIn(annotations);
  const remote = tokens.filter((token) => clusterOfToken(token) !== of);
  const local = of === "local" ? undefined : annotations[annotation.localMember];
  if (remote.length === tokens.length && local === annotations[annotation.localMember]) return;
  if (remote.length === 0 && local === undefined) source.delete("services", name, manager);
  else put(source, name, live, labels, listing(remote, local), live);
}

function listing(remote: readonly string[], local: string | undefined): Record<string, string> {
  return {
    ...(remote.length > 0 && { [annotation.remoteMembers]: remote.join(",") }),
    ...(local !== undefined && { [annotation.localMember]: local }),
  };
}

function put(
  source: ApiServer,
  key: string,
  live: Stored | undefined,
  labels: Readonly<Record<string, string>>,
  annotations: Readonly<Record<string, string>>,
  like: Stored,
): void {
  const { ports } = like.spec as { readonly ports: unknown };
  const metadata = { ...live?.metadata, ...nameOf(key), labels, annotations };
  source.put("services", { metadata, spec: { ...(live?.spec as object), ports } }, manager);
}

function nameOf(key: string): { readonly namespace: string; readonly name: string } {
  const [namespace = "", name = ""] = key.split("/");
  return { namespace, name };
}
