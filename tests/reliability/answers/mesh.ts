import { equal } from "node:assert/strict";

import { label } from "../../../engine/model/vocabulary.ts";
import type { ApiServer, Stored } from "../../simulation/api-server.ts";
import { Mesh } from "../../simulation/mesh.ts";
import { contentsOf } from "../../simulation/outcome.ts";
import { putEndpoints, putServices, scale } from "../../simulation/contents.ts";
import {
  endpoints,
  exported,
  flat,
  gatewayService,
  headless,
  http,
  member,
  pods,
  service,
} from "../../unit/fixtures/objects.ts";

/** The mirrors of pods answer on this port too, so no note says anything. */
const ofPods = { ...http, port: 8080 };

/** East and north mirror from west through its gateway, and from south, which is flat. */
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

/** Returns a mesh before its first run. */
export function founded(): Mesh {
  const mesh = new Mesh(clusters, config);
  const [west, south] = [mesh.server("west"), mesh.server("south")];
  putServices(west, gatewayService("west"), exported("shop/web"), exported("shop/kept"));
  putServices(west, exported("shop/old"), exported("bank/api"), headless("shop/db", {}, [ofPods]));
  scale(west, "db", 2);
  putServices(west, headless("shop/queue", {}, [ofPods]), member("shop/cart"));
  putEndpoints(west, endpoints("shop/queue", [pods(["queue-0"])]));
  putServices(south, flat("shop/flat"), flat("shop/old"));
  putServices(south, member("shop/cart"), member("shop/lone"));
  return mesh;
}

/** Leaves the run under test something of every kind to create, update, replace and delete in both sources. */
function change(mesh: Mesh): void {
  const [west, south] = [mesh.server("west"), mesh.server("south")];
  putServices(west, exported("shop/web", {}, { ports: [{ name: "http", port: 81 }] }));
  putServices(west, exported("shop/new"), exported("labs/tool"));
  west.delete("services", "shop/old");
  scale(west, "db", 1);
  // A headless mirror gets an address, so it has to be replaced.
  west.delete("services", "shop/queue");
  putServices(west, exported("shop/queue"));
  putServices(south, flat("shop/new"), service("shop/cart"));
  for (const name of ["old", "lone"]) south.delete("services", `shop/${name}`);
  const spec = { ports: [{ name: "edited", port: 1 }] };
  for (const source of sources) mesh.server(source).edit("services", "shop/kept-west", { spec });
}

let prepared: Promise<Mesh> | undefined;

async function mirrored(): Promise<Mesh> {
  const mesh = founded();
  equal((await mesh.up()).failure, undefined);
  for (const server of mesh.servers.values()) server.journal.length = 0;
  // Each list of Services has three pages.
  mesh.options = { pageSize: 6 };
  return mesh;
}

/** Returns a new mesh that was mirrored and then, unless `isChanged` is false, changed. */
export async function changed(isChanged = true): Promise<Mesh> {
  const mesh = (await (prepared ??= mirrored())).copy();
  if (isChanged) change(mesh);
  return mesh;
}

type Operation = "up" | "destroy";
const known: Partial<Record<Operation, ReturnType<typeof begun>>> = {};

/** Returns what the operation leads to without faults, by cluster. */
export function undisturbed(operation: Operation) {
  return (known[operation] ??= begun(operation));
}

async function begun(operation: Operation) {
  const mesh = await changed();
  equal((await mesh[operation]()).failure, undefined);
  const byCluster = <T>(of: (server: ApiServer) => T) =>
    new Map<string, T>(clusters.map((name) => [name, of(mesh.server(name))]));
  return { contents: byCluster(contentsOf), deletions: byCluster(deletionsIn) };
}

/** Returns what the program has deleted, as `services shop/old-west`. */
export function deletionsIn({ journal }: ApiServer): Set<string> {
  return new Set(
    journal.flatMap(({ verb, plural, key, by }) =>
      verb === "delete" && by === "linkerd-multicluster" ? [`${plural} ${key}`] : [],
    ),
  );
}

type Contents = ReturnType<typeof contentsOf>;

export function only(
  contents: Contents,
  isMeant: (key: string, object: Stored) => boolean,
): Contents {
  return Object.fromEntries(
    Object.entries(contents).map(([plural, objects]) => [
      plural,
      Object.fromEntries(
        Object.entries(objects).filter(([key, object]) => isMeant(key, object as Stored)),
      ),
    ]),
  );
}

/** Returns a source's mirrors of one target. */
export function mirrorsFrom(target: string, contents: Contents): Contents {
  return only(contents, (_, { metadata }) => metadata.labels?.[label.cluster] === target);
}
