import { localMember } from "../../../../engine/model/marks.ts";
import type { ApiServer } from "../../../simulation/api-server.ts";
import type { Held } from "../../../simulation/engine.ts";
import { Mesh } from "../../../simulation/mesh.ts";
import { isMirror } from "../../../simulation/outcome.ts";
import { clusterNames, type ClusterName, type Target, targets } from "./events.ts";

interface Link {
  readonly target: Target;
  /** Limits the link to one namespace. */
  readonly namespace: string | undefined;
  readonly isControllers: boolean;
  readonly adoptFrom: string | undefined;
}

/** A mirror, or a member of a federated Service: `shop/web-west`, `shop/web-federated#west`. */
export type Claim = string;

/** One of several stacks with links from the same source. */
export class Stack {
  readonly mesh = new Mesh([], {});
  /** All names that it has had, the current one first. */
  readonly names: string[];
  readonly links = new Map<Target, Link>();
  /** The state after each run, oldest first. */
  readonly states: ReadonlyMap<string, Held>[] = [new Map()];
  /** The name of its last run. */
  lastName: string;

  constructor(name: string, servers: ReadonlyMap<ClusterName, ApiServer>) {
    for (const [cluster, server] of servers) this.mesh.servers.set(cluster, server);
    this.names = [name];
    this.lastName = name;
    this.configure();
  }

  get name(): string {
    return this.names[0] ?? "";
  }

  get source(): ApiServer {
    return this.mesh.server("east");
  }

  /** The links that aren't Linkerd's controller's. */
  get mirrored(): readonly Link[] {
    return [...this.links.values()].filter(({ isControllers }) => !isControllers);
  }

  /** Without a link or state, its run does nothing. */
  get hasResource(): boolean {
    return this.links.size > 0 || this.mesh.engine.state.size > 0;
  }

  rename(): void {
    const [first = ""] = this.names.slice(-1);
    this.names.unshift(`${first}-${this.names.length}`);
    this.configure();
  }

  setLink(target: Target, to: Partial<Link>): void {
    const fresh = { target, namespace: undefined, isControllers: false, adoptFrom: undefined };
    this.links.set(target, { ...fresh, ...this.links.get(target), ...to });
    this.configure();
  }

  dropLink(target: Target): void {
    this.links.delete(target);
    this.configure();
  }

  configure(): void {
    this.mesh.stack = this.name;
    const contexts = clusterNames.map(
      (name) => [name, { context: name, uid: `uid-of-${name}` }] as const,
    );
    this.mesh.config = {
      // With `mirrors`, no link can be its controller's.
      manage: "links",
      clusters: Object.fromEntries(contexts),
      links: targets.flatMap((target) => {
        const link = this.links.get(target);
        if (link === undefined) return [];
        const { namespace, isControllers, adoptFrom } = link;
        return [
          {
            source: "east",
            target,
            ...(!isControllers && namespace !== undefined && { namespaces: [namespace] }),
            ...(isControllers && { mirroring: "controller" }),
            ...(!isControllers && adoptFrom !== undefined && { adoptFrom: [adoptFrom] }),
          },
        ];
      }),
      linkDefaults: { allowDeletions: true },
    };
  }

  /** Returns what it wants by its config and the clusters as they are. */
  wants(): Set<Claim> {
    const wanted = new Set<Claim>();
    for (const link of this.mirrored) {
      for (const [key, labels] of labelsIn(this.mesh.server(link.target))) {
        if (!covers(link, key)) continue;
        if (labels["mirror.linkerd.io/exported"] === "true") wanted.add(`${key}-${link.target}`);
        if (isMember(labels)) wanted.add(`${key}-federated#${link.target}`);
      }
      for (const [key, labels] of labelsIn(this.source))
        if (covers(link, key) && isMember(labels)) wanted.add(`${key}-federated#${localMember}`);
    }
    return wanted;
  }

  /** Returns the names whose marks it may treat as its own, on mirrors and members of that link. */
  namesFor(member: string): string[] {
    const links =
      member === localMember
        ? this.mirrored
        : this.mirrored.filter(({ target }) => target === member);
    return [...this.names, ...links.flatMap(({ adoptFrom }) => adoptFrom ?? [])];
  }

  /** Whether one of its links selects the mirror or member. */
  covers(member: string, key: string): boolean {
    return this.mirrored.some(
      (link) => (member === localMember || link.target === member) && covers(link, key),
    );
  }
}

function covers({ namespace }: Link, key: string): boolean {
  return namespace === undefined || key.startsWith(`${namespace}/`);
}

function labelsIn(server: ApiServer) {
  return [...server.all("services")].flatMap(([key, object]) =>
    isMirror(object) ? [] : [[key, object.metadata.labels ?? {}] as const],
  );
}

function isMember(labels: Readonly<Record<string, string>>): boolean {
  return labels["mirror.linkerd.io/federated"] === "member";
}
