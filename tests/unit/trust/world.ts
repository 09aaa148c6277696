import { type Bundle, has } from "../../../engine/trust/bundle.ts";
import { type Certificate, knownCertificates } from "../../../engine/trust/certificate.ts";
import type { LiveTrust, LiveTrusts } from "../../../engine/trust/live.ts";
import type { ClusterPlan } from "../../../engine/trust/rotate.ts";
import { publicationArgs, publish, type Share } from "../../../engine/trust/publication.ts";
import { planPublished } from "../../../engine/trust/published.ts";
import { rotate } from "../../../engine/trust/rotate.ts";
import { type Authority, authority, day, issuerUnder, now } from "./certificates.ts";

/** Made once, since making keys takes time: a generation is its place in here. */
const generations = Array.from({ length: 12 }, (_, index) => {
  const anchor = authority({ name: `anchor-${index}` });
  return { anchor, issuer: issuerUnder(anchor) };
});

interface Generation {
  readonly anchor: Authority;
  readonly issuer: Authority;
}

interface Pod {
  name: string;
  createdAt: number;
  trusts: Bundle;
  /** The anchor behind its certificate, and until when it has that one at the longest. */
  under: Certificate;
  until: number;
}

interface WorldCluster {
  bundle: Bundle;
  issuer: Generation | undefined;
  issuerBefore: Generation | undefined;
  issuerSince: number;
  readable: boolean;
  readonly pods: Pod[];
}

/** By cluster, the anchor that somebody adds to its bundle, which is nobody's business elsewhere. */
const rogues = new Map(
  ["west", "east", "north"].map((name) => [name, authority({ name: `rogue-${name}` }).certificate]),
);

/** One that the config has every cluster trust besides. */
const adopted = [authority({ name: "partner" }).certificate];

/** Clusters with pods that talk to each other, as badly timed as Linkerd's rules allow. */
export class World {
  readonly clusters = new Map<string, WorldCluster>();
  #time = now.getTime();
  #fresh = 1;
  #wanted: Generation = generation(0);
  #previous: Generation | undefined;
  #published: Readonly<Record<string, Share>> = {};
  #known: Bundle = [];
  /** What the runs of clusters' own stacks that are under way have read. */
  readonly #running = new Map<string, { readonly given: Generation; readonly bundle: Bundle }>();

  readonly #unknown: "keep" | "remove";

  constructor(names: readonly string[], unknown: "keep" | "remove" = "keep") {
    this.#unknown = unknown;
    for (const name of names) this.add(name);
  }

  add(name: string): void {
    const none = { bundle: [], issuer: undefined, issuerBefore: undefined, issuerSince: 0 };
    if (!this.clusters.has(name)) this.clusters.set(name, { ...none, readable: true, pods: [] });
  }

  reach(name: string, readable: boolean): void {
    const cluster = this.clusters.get(name);
    if (cluster !== undefined) cluster.readable = readable;
  }

  /** As after a disaster: another cluster of the same name, with nothing in it. */
  rebuild(name: string): void {
    this.clusters.delete(name);
    this.add(name);
  }

  /** Somebody adds an anchor of their own to the bundle of a cluster where Linkerd runs. */
  intrude(name: string): void {
    const [cluster, rogue] = [this.clusters.get(name), rogues.get(name)];
    if (cluster === undefined || rogue === undefined || cluster.bundle.length === 0) return;
    if (!has(cluster.bundle, rogue)) cluster.bundle = [...cluster.bundle, rogue];
  }

  /** By cluster, the clusters to whose anchors somebody has added what it trusts. */
  rogues(): Readonly<Record<string, readonly string[]>> {
    const each = [...this.clusters].map(([name, { bundle }]) => {
      const from = [...rogues]
        .filter(([, rogue]) => has(bundle, rogue))
        .map(([cluster]) => cluster);
      return [name, from] as const;
    });
    return Object.fromEntries(each.filter(([, from]) => from.length > 0));
  }

  /** Clusters that trust what somebody has added to another one, or lack what the config adds to all. */
  astray(): string[] {
    const rogues = Object.entries(this.rogues());
    return [
      ...rogues.flatMap(([name, from]) => (from.every((one) => one === name) ? [] : [name])),
      ...[...this.clusters].flatMap(([name, { bundle }]) =>
        bundle.length === 0 || adopted.every((anchor) => has(bundle, anchor)) ? [] : [name],
      ),
    ];
  }

  /** The user asks for the next generation, or takes it back: its predecessor is then a new one. */
  turn(direction: "on" | "back"): void {
    const before = { wanted: this.#wanted, previous: this.#previous };
    if (direction === "back" && this.#previous === undefined) return;
    const fresh = generation(this.#fresh++);
    if (direction === "on") [this.#previous, this.#wanted] = [this.#wanted, fresh];
    else [this.#wanted, this.#previous] = [this.#previous ?? fresh, fresh];
    // Who is refused puts the config right.
    if ("refused" in this.#decide() || "refused" in this.#publication())
      [this.#wanted, this.#previous] = [before.wanted, before.previous];
  }

  /**
   * One run, which breaks off before it comes to the clusters that `reached` leaves out, and leaves
   * alone what runs and could not be read.
   */
  up(reached: (cluster: string, part: "bundle" | "issuer") => boolean): string {
    const decision = this.#decide();
    if ("refused" in decision) return "refused";
    for (const [name, plan] of decision.clusters) {
      const { readable = true, bundle = [] } = this.clusters.get(name) ?? {};
      if (!readable && bundle.length > 0) continue;
      if (reached(name, "issuer")) this.#issue(name, this.#issuerOf(plan));
      if (reached(name, "bundle")) this.#trust(name, plan.bundle);
    }
    return decision.stage;
  }

  /** One run of the stack of the trust root alone, which gives nothing to any cluster itself. */
  publish(): string {
    const publication = this.#publication();
    if ("refused" in publication) return "refused";
    const own = [this.#wanted, this.#previous].flatMap((one) => one?.anchor.certificate ?? []);
    this.#known = [...own, ...adopted];
    this.#published = publication.clusters;
    return publication.stage;
  }

  /** A run of a cluster's own stack reads what is published; only one can run at a time. */
  begin(name: string): void {
    const share = this.#published[name];
    const cluster = this.clusters.get(name);
    if (share === undefined || cluster === undefined || this.#running.has(name)) return;
    const bundle = knownCertificates(share.bundlePem);
    const given = generations.find(({ anchor }) => anchor.certificate.fingerprint === share.issuer);
    if (given === undefined) throw new Error("an issuer under an anchor that never was");
    const decision = planPublished(
      {
        ...{ stack: "o/p/trust", known: this.#known, unknownAnchors: this.#unknown },
        clusters: new Map([[name, { bundle, issuer: [given.issuer.certificate], keyPem: "" }]]),
      },
      new Map([[name, this.#read({ ...cluster, readable: true })]]),
    );
    if ("refused" in decision) throw new Error(decision.refused.join());
    this.#running.set(name, { given, bundle: decision.clusters.get(name)?.bundle ?? bundle });
    // Nobody waits for a first run (publication.ts).
    if (cluster.bundle.length === 0) this.finish(name, () => true);
  }

  /** It applies what it has read, or a part of it, however much later that is. */
  finish(name: string, reached: (part: "bundle" | "issuer") => boolean): void {
    const run = this.#running.get(name);
    this.#running.delete(name);
    if (run === undefined) return;
    if (reached("issuer")) this.#issue(name, run.given);
    if (reached("bundle")) this.#trust(name, run.bundle);
  }

  restart(name: string, pod: number): void {
    const cluster = this.clusters.get(name);
    const each = cluster?.pods[pod];
    if (cluster !== undefined && each !== undefined) this.#start(cluster, each);
  }

  pass(milliseconds: number): void {
    this.#time += milliseconds;
    for (const cluster of this.clusters.values())
      for (const pod of cluster.pods) if (pod.until <= this.#time) this.#certify(cluster, pod);
  }

  /** Pairs of which one refuses the other, in words; none, if all is well. */
  broken(): string[] {
    const all = [...this.clusters].flatMap(([name, { pods }]) =>
      pods.map((pod) => ({ name, pod })),
    );
    return all.flatMap((one) =>
      all
        .filter((other) => !has(one.pod.trusts, other.pod.under))
        .map((other) => `${one.name}/${one.pod.name} refuses ${other.name}/${other.pod.name}`),
    );
  }

  #decide() {
    const previous = this.#previous?.anchor.certificate;
    const wanted = this.#wanted.anchor.certificate;
    const now = new Date(this.#time);
    const live = this.#live();
    return rotate({ wanted, previous, adopted, unknown: this.#unknown, live, now });
  }

  #live(): LiveTrusts {
    return new Map([...this.clusters].map(([name, cluster]) => [name, this.#read(cluster)]));
  }

  #read({ readable, bundle, issuer, issuerSince, pods }: WorldCluster): LiveTrust {
    if (!readable) return { state: "unreadable", why: "no route to host" };
    if (bundle.length === 0) return { state: "absent" };
    const proxies = pods.map(({ name, createdAt, trusts }) => ({
      namespace: "shop",
      pod: name,
      createdAt: new Date(createdAt),
      started: true,
      trusts,
    }));
    return {
      state: "present",
      bundle,
      issuer: issuer === undefined ? [] : [issuer.issuer.certificate],
      issuerSince: new Date(issuerSince),
      proxies: { state: "read", proxies },
    };
  }

  #publication() {
    const decision = this.#decide();
    if ("refused" in decision) return { refused: "the rotation" };
    const [wanted, previous] = [
      this.#wanted.anchor.certificate,
      this.#previous?.anchor.certificate,
    ];
    const live = this.#live();
    return publish(this.#published, publicationArgs(decision, { wanted, previous, adopted, live }));
  }

  #issuerOf({ issuer }: ClusterPlan): Generation | undefined {
    return issuer === "wanted" ? this.#wanted : this.#previous;
  }

  #issue(name: string, given: Generation | undefined): void {
    const cluster = this.clusters.get(name);
    if (cluster === undefined || given === undefined || cluster.issuer === given) return;
    cluster.issuerBefore = cluster.issuer;
    cluster.issuer = given;
    cluster.issuerSince = this.#time;
  }

  #trust(name: string, bundle: Bundle): void {
    const cluster = this.clusters.get(name);
    if (cluster?.issuer === undefined) return;
    const isNew = cluster.bundle.length === 0;
    cluster.bundle = bundle;
    // The first is the control plane's: it restarts with the bundle, the others when somebody does it.
    if (isNew) for (const pod of ["control", "web", "db"]) cluster.pods.push(blank(pod));
    const [control] = cluster.pods;
    for (const pod of isNew ? cluster.pods : [control])
      if (pod !== undefined) this.#start(cluster, pod);
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
    pod.under = issuer.anchor.certificate;
    pod.until = this.#time + day;
  }
}

function blank(name: string): Pod {
  return { name, createdAt: 0, trusts: [], under: generation(0).anchor.certificate, until: 0 };
}

function generation(index: number): Generation {
  const found = generations[index % generations.length];
  if (found === undefined) throw new Error("there are no generations");
  return found;
}
