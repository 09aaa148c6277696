import { annotation, label } from "../../../engine/mirroring/model/vocabulary.ts";
import type { ApiServer, Draft } from "../../simulation/api-server.ts";
import { type Config, Mesh } from "../../simulation/mesh.ts";
import { putServices, scale } from "../../simulation/contents.ts";
import { exported, gatewayService, headless, member } from "../../unit/fixtures/objects.ts";

const clusters = ["west", "north", "east"] as const;

/** The clusters in which mirrors appear; nothing may be written to the others. */
export const sources = ["east", "north"] as const;

export interface Settings {
  readonly linkDefaults?: Config;
  readonly links?: readonly Config[];
  readonly manage?: string;
}

export const headlessLink = { source: "east", target: "west", headless: true };
export const plainLink = { source: "east", target: "north" };
export const secondSource = { source: "north", target: "west" };

/** Mirrors of two targets in one source, one of which is a source itself. */
export function configOf({ linkDefaults = {}, links, ...rest }: Settings = {}): Config {
  return {
    clusters: { west: {}, north: {}, east: {} },
    links: links ?? [headlessLink, plainLink, secondSource],
    linkDefaults: { createNamespaces: true, ...linkDefaults },
    ...rest,
  };
}

/** Targets that export one Service of each kind, sources full of what is not this program's. */
export function newMesh(): Mesh {
  const mesh = new Mesh(clusters, configOf());
  const west = mesh.server("west");
  putServices(west, gatewayService("west"), exported("shop/web"), exported("shop/api"));
  putServices(west, member("shop/chat"), member("shop/bus"), headless("shop/db"));
  putServices(west, exported("shop/taken"), exported("shop/lonely"), member("shop/held"));
  scale(west, "db", 3);
  const north = mesh.server("north");
  putServices(north, gatewayService("north", "192.0.2.20"), exported("shop/orders"));
  putServices(mesh.server("east"), member("shop/chat"));
  for (const source of sources) plantForeign(mesh.server(source));
  return mesh;
}

/**
 * In the way of mirrors: a Service, Endpoints alone, and one that is named like a federated Service.
 * Beside them: mirrors of a cluster that no link leads to, the mirror of a gateway, and a mirror's
 * Endpoints that somebody has put under a Service of their own.
 */
function plantForeign(server: ApiServer): void {
  const spec = { ports: [{ name: "http", port: 80 }] };
  const subsets = [{ addresses: [{ ip: "10.9.9.9" }], ports: [{ name: "http", port: 80 }] }];
  const put = (plural: string, name: string, draft: Draft, labels = {}, annotations = {}) =>
    server.put(plural, { metadata: { namespace: "shop", name, labels, annotations }, ...draft });
  const mirrored = { [label.mirrored]: "true" };
  const ofSouth = { ...mirrored, [label.cluster]: "south" };
  const gateway = { ...mirrored, [label.cluster]: "west", [label.mirroredGateway]: "true" };
  put("services", "taken-west", { spec });
  put("endpoints", "taken-west", { subsets });
  put("endpoints", "lonely-west", { subsets });
  put("services", "held-federated", { spec });
  put("services", "unrelated", { spec });
  put("services", "web-south", { spec }, ofSouth);
  put("endpoints", "web-south", { subsets }, ofSouth);
  put("services", "probe-gateway-west", { spec }, gateway);
  put("services", "own", { spec });
  put("endpoints", "own", { subsets }, { ...mirrored, [label.cluster]: "west" });
  put("services", "far-federated", { spec }, mirrored, { [annotation.remoteMembers]: "far@south" });
}

/** Everything that is foreign in the sources, word for word, by where it is. */
export function foreignIn(mesh: Mesh): Record<string, unknown> {
  const names =
    /\/(taken-west|lonely-west|held-federated|unrelated|\S+-south|probe-.+|own|far-.+)$/;
  return Object.fromEntries(
    sources.flatMap((source) =>
      ["services", "endpoints"].flatMap((plural) =>
        [...mesh.server(source).all(plural)]
          .filter(([key]) => names.test(key))
          .map(([key, object]) => [`${source} ${plural} ${key}`, object] as const),
      ),
    ),
  );
}
