import { equal } from "node:assert/strict";

import { label } from "../../../engine/mirroring/model/vocabulary.ts";
import type { ObjectKey } from "../../../engine/kubernetes/objects/objects.ts";
import type { ApiServer, Stored } from "../../simulation/api-server.ts";
import { type Ended, Mesh } from "../../simulation/mesh.ts";
import { contentsOf } from "../../simulation/outcome.ts";
import { endpoints, exported, headless, pods, service } from "../../unit/fixtures/objects.ts";
import { gatewayService } from "../../unit/fixtures/world.ts";

/** East and north mirror from west, through its gateway, and from south, which is flat. */
export const clusters = ["east", "north", "west", "south"] as const;
export const sources = ["east", "north"] as const;

const config = {
  clusters: Object.fromEntries(clusters.map((name) => [name, {}])),
  linkDefaults: { createNamespaces: true },
  links: sources.flatMap((source) => [
    { source, target: "west", headless: true },
    { source, target: "south", gateway: false },
  ]),
};

/** A mesh of which nothing has been mirrored yet. */
export function founded(): Mesh {
  const mesh = new Mesh(clusters, config);
  const west = mesh.server("west");
  put(west, "services", gatewayService("west"));
  put(west, "services", exported("shop/web"));
  put(west, "services", exported("shop/kept"));
  put(west, "services", exported("shop/old"));
  put(west, "services", exported("bank/api"));
  put(west, "services", headless("shop/db"));
  put(west, "endpoints", endpoints("shop/db", [pods(["db-0", "db-1"])]));
  put(west, "statefulsets", statefulSet(2));
  put(west, "services", headless("shop/queue"));
  put(west, "endpoints", endpoints("shop/queue", [pods(["queue-0"])]));
  put(west, "services", member("shop/cart"));
  const south = mesh.server("south");
  put(south, "services", flat("shop/flat"));
  put(south, "services", flat("shop/old"));
  put(south, "services", member("shop/cart"));
  put(south, "services", member("shop/lone"));
  return mesh;
}

/**
 * What the run under test finds: something to create, to update, to replace and to delete of every
 * kind, on both sources.
 */
function change(mesh: Mesh): void {
  const west = mesh.server("west");
  put(west, "services", exported("shop/web", {}, { ports: [{ name: "http", port: 81 }] }));
  put(west, "services", exported("shop/new"));
  put(west, "services", exported("labs/tool"));
  west.delete("services", "shop/old");
  put(west, "endpoints", endpoints("shop/db", [pods(["db-0"])]));
  put(west, "statefulsets", statefulSet(1));
  // A headless mirror becomes one with an address, and has to be replaced.
  west.delete("services", "shop/queue");
  put(west, "services", exported("shop/queue"));
  const south = mesh.server("south");
  put(south, "services", flat("shop/new"));
  south.delete("services", "shop/old");
  put(south, "services", service("shop/cart"));
  south.delete("services", "shop/lone");
  for (const source of sources)
    mesh.server(source).edit("services", "shop/kept-west", (mirror) => ({
      ...mirror,
      spec: { ...(mirror.spec as object), ports: [{ name: "edited", port: 1 }] },
    }));
}

/** How a run that nothing disturbs ends, or a part of it. */
export interface Undisturbed {
  readonly ended: Ended;
  /** By cluster. */
  readonly contents: ReadonlyMap<string, ReturnType<typeof contentsOf>>;
  /** By cluster: what the program has deleted, as `services shop/old-west`. */
  readonly deletions: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A mesh in which everything is mirrored. */
async function mirrored(): Promise<Mesh> {
  const mesh = founded();
  equal((await mesh.up()).failure, undefined);
  return mesh;
}

let prepared: Promise<Mesh> | undefined;

/**
 * A mesh of its own in which everything is mirrored, and then much has changed.
 *
 * @param isChanged false: it has not changed yet
 */
export async function changed(isChanged = true): Promise<Mesh> {
  const original = await (prepared ??= mirrored());
  const mesh = new Mesh(clusters, config);
  for (const [name, server] of original.servers) mesh.servers.set(name, server.copy());
  mesh.engine.restore(original.engine.state);
  if (isChanged) change(mesh);
  // Three pages of each list of Services.
  mesh.pageSize = 6;
  return mesh;
}

const known = new Map<string, Promise<Undisturbed>>();

/** What the operation comes to where nothing disturbs it. */
export function undisturbed(operation: "up" | "destroy"): Promise<Undisturbed> {
  const found =
    known.get(operation) ??
    (async () => {
      const mesh = await changed();
      const ended = await mesh[operation]();
      equal(ended.failure, undefined);
      return {
        ended,
        contents: new Map(clusters.map((name) => [name, contentsOf(mesh.server(name))])),
        deletions: new Map(clusters.map((name) => [name, deletionsIn(mesh.server(name))])),
      };
    })();
  known.set(operation, found);
  return found;
}

/** What the program has deleted. */
export function deletionsIn({ journal }: ApiServer): Set<string> {
  return new Set(
    journal.flatMap(({ verb, plural, key, by }) =>
      verb === "delete" && by === "linkerd-multicluster" ? [`${plural} ${key}`] : [],
    ),
  );
}

/** The mirrors of one link's target in a source, as in `contentsOf`. */
export function mirrorsFrom(target: string, contents: ReturnType<typeof contentsOf>): object {
  return Object.fromEntries(
    Object.entries(contents).map(([plural, objects]) => [
      plural,
      Object.fromEntries(
        Object.entries(objects).filter(
          ([, object]) => (object as Stored).metadata.labels?.[label.cluster] === target,
        ),
      ),
    ]),
  );
}

export function put(
  server: ApiServer,
  plural: string,
  object: { readonly metadata: object; readonly spec?: object },
): void {
  const { resourceVersion: _, ...metadata } = object.metadata as Record<string, unknown>;
  const { clusterIP, ...spec } = (object.spec ?? {}) as Record<string, unknown>;
  // The server gives out addresses itself.
  const addressed = clusterIP === "None" ? { clusterIP, ...spec } : spec;
  const draft = { ...object, metadata, ...(object.spec !== undefined && { spec: addressed }) };
  server.put(plural, draft);
}

function flat(key: ObjectKey) {
  return exported(key, { labels: { [label.exported]: "remote-discovery" } });
}

function member(key: ObjectKey) {
  return service(key, { labels: { [label.federated]: "member" } });
}

function statefulSet(replicas: number) {
  return {
    metadata: { namespace: "shop", name: "db" },
    spec: { serviceName: "db", replicas },
  };
}
