import { annotation } from "../../../engine/model/vocabulary.ts";
import type { ApiServer } from "../../simulation/api-server.ts";
import { type FaultPlans, Mesh } from "../../simulation/mesh.ts";
import { contentsOf, isMirror } from "../../simulation/outcome.ts";
import { gatewayService, namespace } from "../../unit/fixtures/objects.ts";
import {
  type ClusterName,
  clusterNames,
  denials,
  type Denial,
  type Edit,
  links,
  type RequestFault,
} from "./actions.ts";
import { dropService, firstShape, putService, type Shape } from "./shape.ts";

/** Services that belong to nobody's mirrors: one is in the way of a mirror. */
export const foreign = ["shop/mine", "shop/taken-west"];

/** Clusters and their Services, and the config of a stack with links between them. */
export class World {
  readonly mesh = new Mesh(clusterNames, {});
  /** The links in the config, by their number. */
  readonly present = new Set<number>(links.map((_link, index) => index));
  settings: Readonly<Record<string, unknown>> = {};
  isSwapped = false;
  /** A Service of east fails over to its mirrors. */
  failsOver = false;
  #denied: Denial | undefined;
  readonly #shapes = new Map<string, Shape>();
  readonly #names = new Map<ClusterName, string>();
  readonly #lost = new Set<ClusterName>();

  constructor() {
    for (const [index, name] of clusterNames.entries()) {
      const server = this.mesh.server(name);
      server.put("services", gatewayService(name, `192.0.2.${index + 1}`));
      server.put("namespaces", namespace("shop"));
      for (const key of foreign)
        server.put("services", {
          metadata: { namespace: "shop", name: key.replace("shop/", "") },
          spec: { ports: [{ port: 1 }] },
        });
      server.journal.length = 0;
    }
    this.configure();
  }

  get isQuiet(): boolean {
    return this.#lost.size === 0 && !this.isSwapped && this.#denied === undefined;
  }

  get isDenied(): boolean {
    return this.#denied !== undefined && this.#lost.size === 0 && !this.isSwapped;
  }

  /** Returns the name of a cluster in the config. */
  nameOf(cluster: ClusterName): string {
    return this.#names.get(cluster) ?? cluster;
  }

  /** Whether the config has a link from the source to a cluster of that name. */
  hasLink(source: string, target: string | undefined): boolean {
    return links.some(
      (link, index) =>
        this.present.has(index) && link.source === source && this.nameOf(link.target) === target,
    );
  }

  change(cluster: ClusterName, service: string, to: Partial<Shape>): void {
    const key = `${cluster}/${service}`;
    const before = this.#shapes.get(key);
    const shape = { ...firstShape, ...before, ...to };
    this.#shapes.set(key, shape);
    putService(this.mesh.server(cluster), service, { before, shape });
  }

  drop(cluster: ClusterName, service: string): void {
    this.#shapes.delete(`${cluster}/${service}`);
    dropService(this.mesh.server(cluster), service);
  }

  /** Renames a cluster unless another one has that name. */
  rename(cluster: ClusterName, to: string): void {
    const others = clusterNames.filter((name) => name !== cluster);
    if (!others.some((other) => this.nameOf(other) === to)) this.#names.set(cluster, to);
  }

  /** Makes a cluster unreachable, or reachable again. */
  lose(cluster: ClusterName): void {
    if (!this.#lost.delete(cluster)) this.#lost.add(cluster);
  }

  deny(what: Denial | undefined): void {
    this.#denied = what;
    for (const server of this.mesh.servers.values())
      server.refuse = (request) =>
        what !== undefined && denials[what].test(request) ? "forbidden" : undefined;
  }

  /** Lets every cluster respond with all pods, and allows deletions. */
  heal(): void {
    this.settings = { ...this.settings, allowDeletions: true };
    this.#lost.clear();
    this.deny(undefined);
    this.isSwapped = false;
    for (const [key, shape] of this.#shapes) {
      const [cluster = "", service = ""] = key.split("/");
      // Without pods nothing is known about a headless Service, and its mirror stays as it is.
      const replicas = Math.max(1, shape.replicas);
      this.change(cluster as ClusterName, service, { ...shape, away: [], replicas });
    }
    this.configure();
  }

  configure(): void {
    this.mesh.contexts.clear();
    if (this.isSwapped) {
      this.mesh.contexts.set("west", "north");
      this.mesh.contexts.set("north", "west");
    }
    const targets = ["local", this.nameOf("west"), this.nameOf("north")];
    const failsOver = this.failsOver && this.present.has(0) && this.present.has(1);
    const clusters = clusterNames.map((name) => {
      const failover = failsOver && name === "east" ? { failover: { "shop/web": targets } } : {};
      return [this.nameOf(name), { context: name, uid: `uid-of-${name}`, ...failover }] as const;
    });
    const named = links.map(({ source, target }) => ({
      source: this.nameOf(source),
      target: this.nameOf(target),
    }));
    this.mesh.config = {
      clusters: Object.fromEntries(clusters),
      links: named.filter((_link, index) => this.present.has(index)),
      linkDefaults: {
        headless: true,
        createNamespaces: true,
        allowDeletions: true,
        ...this.settings,
      },
    };
  }

  plans(requestFault?: RequestFault): FaultPlans {
    return (context) => {
      const cluster = this.mesh.contexts.get(context) ?? context;
      return (request) => {
        if (this.#lost.has(cluster as ClusterName)) return "reset";
        if (requestFault === undefined) return undefined;
        const { at, length, fault } = requestFault;
        const isMeant = request.ofAll >= at && request.ofAll < at + length;
        return isMeant ? fault(request, cluster, this.mesh) : undefined;
      };
    };
  }
}

/** Does something to one of a cluster's mirrors, if it has any. */
export function edit(server: ApiServer, { which, by }: Edit): void {
  const mirrors = [...server.all("services")].filter(([, object]) => isMirror(object));
  const [key] = mirrors[which % Math.max(1, mirrors.length)] ?? [];
  if (key === undefined) return;
  if (by === "delete") server.delete("services", key);
  else if (by === "delete endpoints") server.delete("endpoints", key);
  else
    server.edit("services", key, {
      metadata: { annotations: { [annotation.remoteName]: "x" } },
      spec: { ports: [{ name: "http", port: 9, protocol: "TCP" }] },
    });
}

/** Returns each cluster's mirrors with their Endpoints. */
export function mirrorsIn({ servers }: Mesh): Record<string, unknown> {
  return Object.fromEntries(
    [...servers].map(([name, server]) => {
      const { services = {}, endpoints = {} } = contentsOf(server);
      const keys = [...server.all("services")].flatMap(([key, object]) =>
        isMirror(object) ? [key] : [],
      );
      const mirrors = keys.sort().map((key) => [key, [services[key], endpoints[key]]] as const);
      return [name, Object.fromEntries(mirrors)];
    }),
  );
}
