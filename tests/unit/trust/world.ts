import { type Bundle, has } from "../../../engine/trust/bundle.ts";
import { type Certificate, knownCertificates } from "../../../engine/trust/certificate.ts";
import type { LiveTrust, LiveTrusts } from "../../../engine/trust/live.ts";
import { valueIn } from "../../../engine/result.ts";
import { publicationArgs, publish, type Share } from "../../../engine/trust/publication.ts";
import { planPublished } from "../../../engine/trust/published.ts";
import { rotate } from "../../../engine/trust/rotate.ts";
import { authority, day, issuerUnder, now } from "./certificates.ts";

interface Generation {
  readonly anchor: Certificate;
  readonly issuer: Certificate;
}

/** Creating keys takes time, so generations are created once and identified by their index. */
const generations = Array.from({ length: 12 }, (_, index): Generation => {
  const anchor = authority({ name: `anchor-${index}` });
  return { anchor: anchor.certificate, issuer: issuerUnder(anchor).certificate };
});

function generation(index: number): Generation {
  const found = generations[index % generations.length];
  if (found === undefined) throw new Error("there are no generations");
  return found;
}

interface Pod {
  readonly name: string;
  createdAt: number;
  trusts: Bundle;
  /** The anchor behind its certificate, which is renewed by `until`. */
  under: Certificate;
  until: number;
}

interface WorldCluster {
  bundle: Bundle;
  issuer: Generation | undefined;
  issuerBefore: Generation | undefined;
  issuerSince: number;
  readable: boolean;
  pods: readonly Pod[];
}

export type Part = "bundle" | "issuer";

/** By cluster, an anchor that somebody adds to its bundle; no other cluster may trust it. */
const rogues = new Map(
  ["west", "east", "north"].map((name) => [name, authority({ name: `rogue-${name}` }).certificate]),
);

/** An anchor that the config adds to every cluster. */
const adopted = [authority({ name: "partner" }).certificate];

/** A mesh whose certificates are renewed as late as Linkerd's rules allow. */
export class World {
  readonly clusters = new Map<string, WorldCluster>();
  #time = now.getTime();
  #fresh = 1;
  #wanted: Generation = generation(0);
  #previous: Generation | undefined;
  #published: Readonly<Record<string, Share>> = {};
  #known: Bundle = [];
  /** The trust that the clusters' own unfinished runs have read. */
  readonly #running = new Map<string, { readonly given: Generation; readonly bundle: Bundle }>();
  readonly #unknown: "keep" | "remove";

  constructor(unknown: "keep" | "remove" = "keep") {
    this.#unknown = unknown;
    for (const name of ["west", "east"]) this.add(name);
  }

  add(name: string): void {
    const none = { bundle: [], issuer: undefined, issuerBefore: undefined, issuerSince: 0 };
    if (!this.clusters.has(name)) this.clusters.set(name, { ...none, readable: true, pods: [] });
  }

  reach(name: string, readable: boolean): void {
    const cluster = this.clusters.get(name);
    if (cluster !== undefined) cluster.readable = readable;
  }

  /** Somebody adds an anchor of their own to the bundle of a cluster where Linkerd runs. */
  intrude(name: string): void {
    const [cluster, rogue] = [this.clusters.get(name), rogues.get(name)];
    if (cluster === undefined || rogue === undefined || cluster.bundle.length === 0) return;
    if (!has(cluster.bundle, rogue)) cluster.bundle = [...cluster.bundle, rogue];
  }

  /** Returns clusters that trust an anchor added to another one, or lack an adopted anchor. */
  astray(): string[] {
    const lacking = [...this.clusters].filter(
      ([, { bundle }]) => bundle.length > 0 && !adopted.every((anchor) => has(bundle, anchor)),
    );
    const strange = [...this.clusters].flatMap(([name, { bundle }]) =>
      [...rogues].flatMap(([from, rogue]) =>
        from !== name && has(bundle, rogue) ? [`${name} < ${from}`] : [],
      ),
    );
    return [...strange, ...lacking.map(([name]) => name)];
  }

  /** The user asks for the next generation, or takes it back: its predecessor is then a new one. */
  turn(direction: "on" | "back"): void {
    const [wanted, previous] = [this.#wanted, this.#previous];
    if (direction === "back" && previous === undefined) return;
    const fresh = generation(this.#fresh++);
    if (direction === "on") [this.#previous, this.#wanted] = [wanted, fresh];
    else [this.#wanted, this.#previous] = [previous ?? fresh, fresh];
    // A refused user corrects the config.
    if (this.#publication() === undefined) [this.#wanted, this.#previous] = [wanted, previous];
  }

  /** Runs the only stack once, interrupted before the parts that `reached` leaves out. */
  up(reached: (cluster: string, part: Part) => boolean = () => true): string {
    const decision = rotate(this.#rotation());
    for (const [name, { issuer, bundle }] of decision.clusters) {
      const cluster = this.clusters.get(name);
      if (cluster === undefined || decision.refusedClusters.has(name)) continue;
      if (!cluster.readable && cluster.bundle.length > 0) continue;
      const given = issuer === "wanted" ? this.#wanted : this.#previous;
      if (given !== undefined && reached(name, "issuer")) this.#issue(cluster, given);
      if (reached(name, "bundle")) this.#trust(cluster, bundle);
    }
    return decision.stage;
  }

  /** Runs the trust stack, which writes to no cluster. */
  publish(): string {
    const publication = this.#publication();
    if (publication === undefined) return "refused";
    const own = [this.#wanted, this.#previous].flatMap((one) => one?.anchor ?? []);
    this.#known = [...own, ...adopted];
    this.#published = publication.clusters;
    return publication.stage;
  }

  /** Begins a run of a cluster's own stack, which reads the publication. A stack has one run at a time. */
  begin(name: string): void {
    const share = this.#published[name];
    const cluster = this.clusters.get(name);
    if (share === undefined || cluster === undefined || this.#running.has(name)) return;
    const bundle = knownCertificates(share.bundlePem);
    const given = generations.find(({ anchor }) => anchor.fingerprint === share.issuer);
    if (given === undefined) throw new Error("an issuer under an anchor that never was");
    const decision = planPublished(
      {
        stack: "o/p/trust",
        known: this.#known,
        unknownAnchors: this.#unknown,
        clusters: new Map([[name, { bundle, issuer: [given.issuer], keyPem: "" }]]),
      },
      new Map([[name, read({ ...cluster, readable: true })]]),
    );
    const refused = decision.refusedClusters.get(name);
    if (refused !== undefined) throw new Error(refused);
    this.#running.set(name, { given, bundle: decision.clusters.get(name)?.bundle ?? bundle });
    // A publication doesn't wait for a first run (publication.ts).
    if (cluster.bundle.length === 0) this.finish(name);
  }

  /** Ends the run, which applies what it has read, or a part of it, however late. */
  finish(name: string, parts: readonly Part[] = ["issuer", "bundle"]): void {
    const [run, cluster] = [this.#running.get(name), this.clusters.get(name)];
    this.#running.delete(name);
    if (run === undefined || cluster === undefined) return;
    if (parts.includes("issuer")) this.#issue(cluster, run.given);
    if (parts.includes("bundle")) this.#trust(cluster, run.bundle);
  }

  run(...names: readonly string[]): void {
    for (const name of names) {
      this.begin(name);
      this.finish(name);
    }
  }

  restart(name: string, pods: readonly number[] = [0, 1, 2]): void {
    const cluster = this.clusters.get(name);
    for (const [index, pod] of cluster?.pods.entries() ?? [])
      if (cluster !== undefined && pods.includes(index)) this.#start(cluster, pod);
  }

  restartAll(): void {
    for (const name of this.clusters.keys()) this.restart(name);
  }

  pass(minutes: number): void {
    this.#time += minutes * 60_000;
    for (const cluster of this.clusters.values())
      for (const pod of cluster.pods) if (pod.until <= this.#time) this.#certify(cluster, pod);
  }

  /** Returns each pair of proxies of which one refuses the other. */
  broken(): string[] {
    const all = [...this.clusters].flatMap(([name, { pods }]) =>
      pods.map((pod) => ({ ...pod, name: `${name}/${pod.name}` })),
    );
    return all.flatMap(({ name, trusts }) =>
      all
        .filter((other) => !has(trusts, other.under))
        .map((other) => `${name} refuses ${other.name}`),
    );
  }

  #rotation() {
    const [wanted, previous] = [this.#wanted.anchor, this.#previous?.anchor];
    const live: LiveTrusts = new Map(
      [...this.clusters].map(([name, cluster]) => [name, read(cluster)]),
    );
    const now = new Date(this.#time);
    return { wanted, previous, adopted, unknown: this.#unknown, live, now };
  }

  #publication() {
    const rotation = this.#rotation();
    const decision = rotate(rotation);
    // A user who skipped a generation corrects the config.
    const refused = [...decision.refusedClusters.keys()].filter((name) =>
      decision.clusters.has(name),
    );
    if (refused.length > 0) return undefined;
    return valueIn(publish(this.#published, publicationArgs(decision, rotation)));
  }

  #issue(cluster: WorldCluster, given: Generation): void {
    if (cluster.issuer === given) return;
    cluster.issuerBefore = cluster.issuer;
    cluster.issuer = given;
    cluster.issuerSince = this.#time;
  }

  #trust(cluster: WorldCluster, bundle: Bundle): void {
    const { issuer } = cluster;
    if (issuer === undefined) return;
    const isNew = cluster.bundle.length === 0;
    cluster.bundle = bundle;
    if (isNew) {
      // The identity controller begins with the Secret that is there, whatever a run that broke off had left.
      cluster.issuerBefore = undefined;
      const blank = { createdAt: 0, trusts: [], under: issuer.anchor, until: 0 };
      cluster.pods = ["control", "web", "db"].map((name) => ({ name, ...blank }));
    }
    // The first is the control plane's: it restarts with the bundle, the others when somebody does it.
    for (const pod of isNew ? cluster.pods : cluster.pods.slice(0, 1)) this.#start(cluster, pod);
  }

  #start(cluster: WorldCluster, pod: Pod): void {
    pod.createdAt = this.#time;
    pod.trusts = cluster.bundle;
    this.#certify(cluster, pod);
  }

  /** For some minutes the identity controller may still issue with what it had. */
  #certify(cluster: WorldCluster, pod: Pod): void {
    const settling = this.#time < cluster.issuerSince + 4 * 60_000;
    const issuer = (settling ? cluster.issuerBefore : undefined) ?? cluster.issuer;
    if (issuer === undefined) return;
    pod.under = issuer.anchor;
    pod.until = this.#time + day;
  }
}

function read({ readable, bundle, issuer, issuerSince, pods }: WorldCluster): LiveTrust {
  if (!readable) return { why: "no route to host", cause: "unreachable" };
  if (bundle.length === 0) return { value: undefined };
  const proxies = pods.map(({ name, createdAt, trusts }) => ({
    namespace: "shop",
    pod: name,
    createdAt: new Date(createdAt),
    started: true,
    trusts,
  }));
  return {
    value: {
      bundle,
      issuer: issuer === undefined ? [] : [issuer.issuer],
      issuerSince: new Date(issuerSince),
      proxies: { value: proxies },
    },
  };
}
