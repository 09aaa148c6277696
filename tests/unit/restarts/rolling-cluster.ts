import { setImmediate } from "node:timers/promises";
import { carryOutRestarts, checkRestarts } from "../../../engine/restarts/restarts.ts";
import type { RestartArgs } from "../../../engine/restarts/restarts.ts";
import { bundleText } from "../../../engine/trust/bundle.ts";
import { ApiServer, type Stored } from "../../simulation/api-server.ts";
import { type Servers, SimulatedClusters } from "../../simulation/clusters.ts";
import { VirtualTime } from "../../simulation/time.ts";
import { type Authority, now } from "../trust/certificates.ts";
import { anchors, next, nextIssuer, old, oldIssuer } from "../trust/live.ts";
import { encoded } from "../trust/served.ts";

export const both = [next, old];

interface Settings {
  readonly trusts?: readonly Authority[];
  readonly replicas?: number;
  readonly kind?: "Deployment" | "StatefulSet" | "DaemonSet";
  /** Merged into the workload. */
  readonly spec?: object;
  readonly labels?: Readonly<Record<string, string>>;
  readonly createdAt?: Date;
}

/** Serves a cluster whose workloads roll as soon as their template changes, and whose injector gives new pods a bundle. */
export class RollingCluster {
  readonly server: ApiServer;
  /** The injector gives it to new pods; with undefined, they get no proxy. */
  injected: readonly Authority[] | undefined = both;
  /** Their new pods don't come up. */
  readonly crashing = new Set<string>();
  /** Names of workloads, in the order in which they were restarted. */
  readonly restarted: string[] = [];
  /** Keys of pods that no controller takes for its own. */
  readonly imitations = new Set<string>();
  #pods = 0;

  constructor(name: string, bundle: readonly Authority[] = both, issuer = oldIssuer) {
    this.server = new ApiServer(name);
    const at = { namespace: "linkerd", creationTimestamp: "2026-08-20T00:00:00Z" };
    this.server.put("configmaps", {
      metadata: { ...at, name: "linkerd-identity-trust-roots" },
      data: { "ca-bundle.crt": textOf(bundle) },
    });
    this.issue(issuer, new Date(at.creationTimestamp));
    this.server.put("namespaces", { metadata: { name: "linkerd-multicluster" } });
    this.server.admission.push((verb, object) => this.#admitted(verb, object));
  }

  issue(issuer: Authority, at: Date): void {
    const metadata = { name: "linkerd-identity-issuer", namespace: "linkerd" };
    const managedFields = [
      { manager: "pulumi", operation: "Update", time: stamp(at), fieldsV1: {} },
    ];
    this.server.delete("secrets", "linkerd/linkerd-identity-issuer");
    this.server.put("secrets", {
      metadata: { ...metadata, creationTimestamp: stamp(at), managedFields },
      type: "kubernetes.io/tls",
      data: { "tls.crt": encoded(issuer.pem) },
    });
  }

  /** Adds a workload with its pods. */
  add(key: string, settings: Settings = {}): this {
    const { kind = "Deployment", replicas = 2, trusts = [old], spec = {}, labels = {} } = settings;
    const [namespace, name] = partsOf(key);
    const counts = countsOf(replicas);
    this.server.put(`${kind.toLowerCase()}s`, {
      metadata: { namespace, name, generation: 1, labels },
      spec: { replicas, selector: { matchLabels: { app: name } }, template: {}, ...spec },
      status: { observedGeneration: 1, ...counts },
    });
    const owner = this.#ownerOf(kind, key);
    for (let index = 0; index < replicas; index += 1)
      this.pod(namespace, name, trusts, owner, settings.createdAt);
    return this;
  }

  /** Adds a meshed pod. */
  pod(
    namespace: string,
    app: string,
    trusts: readonly Authority[] | undefined,
    owner?: object,
    createdAt = new Date(now.getTime() - 86_400_000),
  ): string {
    this.#pods += 1;
    const name = `${app}-${this.#pods}`;
    const labels = { app, ...(trusts && { "linkerd.io/control-plane-ns": "linkerd" }) };
    const ownerReferences = owner === undefined ? [] : [{ ...owner, controller: true }];
    this.server.put("pods", {
      metadata: {
        namespace,
        name,
        labels,
        ownerReferences,
        creationTimestamp: stamp(createdAt),
      },
      spec: { containers: [{ name: app }, ...(trusts ? [proxyWith(trusts)] : [])] },
      status: { phase: "Running" },
    });
    return name;
  }

  #ownerOf(kind: string, key: string): object {
    const [namespace, name] = partsOf(key);
    const uid = this.server.get(`${kind.toLowerCase()}s`, key)?.metadata.uid;
    if (kind !== "Deployment") return { kind, name, uid };
    const ownerReferences = [{ kind, name, uid, controller: true }];
    const replicaSet = { namespace, name: `${name}-5d`, ownerReferences };
    const { metadata } = this.server.put("replicasets", { metadata: replicaSet });
    return { kind: "ReplicaSet", name: metadata.name, uid: metadata.uid };
  }

  #admitted(verb: string, object: Stored): Stored {
    const { kind, metadata } = object;
    const { namespace = "", name } = metadata;
    if (
      verb === "create" &&
      Array.isArray((object["spec"] as { containers?: unknown }).containers)
    ) {
      const proxies = this.injected === undefined ? [] : [proxyWith(this.injected)];
      return { ...object, spec: { containers: [{ name: "pause" }, ...proxies] } };
    }
    if (verb !== "patch") return object;
    this.restarted.push(name);
    void this.#rolled(kind, `${namespace}/${name}`);
    return { ...object, metadata: { ...metadata, generation: Number(metadata["generation"]) + 1 } };
  }

  async #rolled(kind: string, key: string): Promise<void> {
    for (let round = 0; round < 20; round += 1) await setImmediate();
    const plural = `${kind.toLowerCase()}s`;
    const live = this.server.get(plural, key);
    const [namespace, name] = partsOf(key);
    const { replicas } = live?.["spec"] as { readonly replicas: number };
    const observedGeneration = live?.metadata["generation"];
    const isUp = !this.crashing.has(name);
    const counts = isUp
      ? countsOf(replicas)
      : { replicas: replicas + 1, updatedReplicas: 1, readyReplicas: replicas };
    this.server.edit(plural, key, { status: { observedGeneration, ...counts } });
    const owner = this.#ownerOf(kind, key) as { readonly uid: string };
    const olds = [...this.server.all("pods")].filter(([pod, { metadata }]) => {
      const [first] = (metadata["ownerReferences"] ?? []) as (typeof owner)[];
      return first?.uid === owner.uid && !this.imitations.has(pod);
    });
    if (isUp) for (const [pod] of olds) this.server.delete("pods", pod);
    for (let index = 0; index < (isUp ? replicas : 1); index += 1)
      this.pod(namespace, name, this.injected, owner, new Date(now.getTime() + 600_000));
  }
}

function countsOf(replicas: number): object {
  return {
    replicas,
    updatedReplicas: replicas,
    readyReplicas: replicas,
    availableReplicas: replicas,
    desiredNumberScheduled: replicas,
    updatedNumberScheduled: replicas,
    numberAvailable: replicas,
  };
}

function proxyWith(trusts: readonly Authority[]): object {
  const env = [{ name: "LINKERD2_PROXY_IDENTITY_TRUST_ANCHORS", value: textOf(trusts) }];
  return { name: "linkerd-proxy", env };
}

function textOf(authorities: readonly Authority[]): string {
  return bundleText(anchors(...authorities));
}

function partsOf(key: string): [namespace: string, name: string] {
  const [namespace = "", name = ""] = key.split("/");
  return [namespace, name];
}

function stamp(at: Date): string {
  return at.toISOString().replace(/\.\d+Z$/, "Z");
}

export function argsOf(
  clusters: Readonly<Record<string, RollingCluster>>,
  more: Partial<RestartArgs> = {},
): RestartArgs {
  const names = Object.keys(clusters);
  return {
    clusters: Object.fromEntries(
      names.map((name) => [name, { context: name, uid: `uid-of-${name}` }]),
    ),
    away: [],
    linkerdNamespace: "linkerd",
    multiclusterNamespace: "linkerd-multicluster",
    ignored: [],
    bundles: {},
    leaving: [],
    ...more,
  };
}

function opener(clusters: Readonly<Record<string, RollingCluster>>) {
  const servers: Servers = Object.fromEntries(
    Object.entries(clusters).map(([name, { server }]) => [name, server]),
  );
  const simulated = new SimulatedClusters(servers);
  return simulated.client.bind(simulated);
}

export function preview(
  clusters: Readonly<Record<string, RollingCluster>>,
  args = argsOf(clusters),
  at = now,
  isKnown = true,
) {
  return checkRestarts({}, args, isKnown, opener(clusters), at);
}

export async function up(
  clusters: Readonly<Record<string, RollingCluster>>,
  args = argsOf(clusters),
  at = now,
) {
  const said: string[] = [];
  const time = new VirtualTime();
  const say = (line: string) => said.push(line);
  const context = { say, time, now: () => new Date(at.getTime() + time.now()) };
  return { problems: await carryOutRestarts(args, opener(clusters), context), said, time };
}

export { next, nextIssuer, now, old };
