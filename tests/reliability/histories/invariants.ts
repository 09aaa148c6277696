import assert from "node:assert/strict";

import { annotation, label } from "../../../engine/model/vocabulary.ts";
import type { ApiServer, Entry, Stored } from "../../simulation/api-server.ts";
import type { Mesh } from "../../simulation/mesh.ts";
import { isMirror, managersOf, writesTo } from "../../simulation/outcome.ts";

/** The exported Service or pod of a mirror that has an address. */
export interface Serving {
  readonly target: string;
  /** Names the Service or pod, and whether it is headless, since one kind can't become the other. */
  readonly origin: string;
}

/** Returns what the mirrors of links in a cluster serve, by link and Service. */
export function servingIn(server: ApiServer): ReadonlyMap<string, Serving> {
  const serving = [...server.all("services")].flatMap(([key, service]): [string, Serving][] => {
    const { labels = {}, annotations = {} } = service.metadata;
    const { clusterIP } = (service.spec ?? {}) as { readonly clusterIP?: string };
    const target = labels[label.cluster];
    const remote = annotations[annotation.remoteName];
    if (!isMirror(service) || target === undefined || remote === undefined) return [];
    if (!hasAddress(server, key)) return [];
    const origin = clusterIP === "None" ? `headless ${remote}` : remote;
    return [[`${target} ${origin}`, { target, origin }]];
  });
  return new Map(serving);
}

function isSameMirror({ metadata: one }: Stored, { metadata: other }: Stored): boolean {
  const remote = (annotations: Stored["metadata"]["annotations"]) =>
    annotations?.[annotation.remoteName];
  return (
    one.labels?.[label.cluster] === other.labels?.[label.cluster] &&
    remote(one.annotations) === remote(other.annotations)
  );
}

function hasAddress(server: ApiServer, key: string): boolean {
  const { subsets = [] } = (server.get("endpoints", key) ?? {}) as {
    readonly subsets?: readonly { readonly addresses?: readonly unknown[] }[];
  };
  return subsets.some(({ addresses = [] }) => addresses.length > 0);
}

interface Route {
  readonly spec?: {
    readonly rules?: readonly { readonly backendRefs?: readonly { readonly name: string }[] }[];
  };
}

/** Returns the backends of this program's routes in a cluster: `shop/web-west`. */
function backendsIn(server: ApiServer): ReadonlySet<string> {
  const routes = [...server.all("httproutes")].flatMap(([key, route]) => {
    const [namespace = ""] = key.split("/");
    const { rules = [] } = (route as Route).spec ?? {};
    return rules.flatMap(({ backendRefs = [] }) =>
      backendRefs.map(({ name }) => `${namespace}/${name}`),
    );
  });
  return new Set(routes);
}

/** A run deletes no mirror that a route names. */
export function holdRoutes(server: ApiServer, entries: readonly Entry[]): void {
  const backends = backendsIn(server);
  for (const { verb, plural, key } of entries)
    if (verb === "delete" && plural === "services" && backends.has(key))
      assert.ok(
        server.get(plural, key),
        `a route in ${server.name} names ${key}, which is deleted`,
      );
}

/** A run deletes mirrors of removed links only if they are marked, and no more than the guard of each link allows. */
export function holdDeletions(
  server: ApiServer,
  entries: readonly Entry[],
  most: ReadonlyMap<string, number | undefined>,
  hasLink: (target: string) => boolean,
): void {
  const live = server.all("services");
  const counts = new Map<string, number>();
  for (const { verb, plural, key, before } of entries) {
    const isGone = verb === "delete" && plural === "services" && !live.has(key);
    if (!isGone || before === undefined) continue;
    // Under another name, the mirror isn't gone.
    if ([...live.values()].some((other) => isSameMirror(other, before))) continue;
    const target = before.metadata.labels?.[label.cluster] ?? "";
    counts.set(target, (counts.get(target) ?? 0) + 1);
    const isMarked = managersOf(before).some((each) => each.startsWith("linkerd-multicluster/"));
    assert.ok(isMarked || hasLink(target), `${key} in ${server.name} was others'`);
  }
  for (const [target, count] of counts)
    assert.ok(
      count <= (most.get(target) ?? Infinity),
      `${count} mirrors of ${server.name}/${target} are gone`,
    );
}

/** Returns what a run writes that carries out every resource, whether it finds a change or not. */
export async function dueIn(mesh: Mesh): Promise<readonly string[]> {
  const copy = mesh.copy();
  copy.engine.force();
  const { failure } = await copy.up();
  const writes = [...copy.servers.values()].flatMap(writesTo);
  return failure === undefined ? writes : [...writes, failure];
}
