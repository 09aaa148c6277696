import { type Bundle, has, unique } from "../../../engine/trust/bundle.ts";
import { type Certificate, knownCertificates } from "../../../engine/trust/certificate.ts";
import type { LiveTrust, MeshedProxy } from "../../../engine/trust/live.ts";
import { valueIn } from "../../../engine/base/result.ts";
import { publicationArgs, publish } from "../../../engine/trust/publication.ts";
import type { Share } from "../../../engine/trust/step.ts";
import { planPublished } from "../../../engine/trust/received.ts";
import { rotate } from "../../../engine/trust/rotate.ts";
import { authority, day, issuerUnder, now } from "./certificates.ts";

type Generation = Readonly<Record<"anchor" | "issuer", Certificate>>;

const generations: Generation[] = [];

/** Creating keys takes time, so all worlds share their generations. */
function generation(index: number): Generation {
  const known = generations[index];
  if (known !== undefined) return known;
  const root = authority({ name: `anchor-${index}` });
  const { certificate: issuer } = issuerUnder(root);
  return (generations[index] = { anchor: root.certificate, issuer });
}

interface Pod extends MeshedProxy {
  /** This anchor has signed its certificate, which is renewed by `until`. */
  readonly under: Certificate | undefined;
  readonly until: Date;
}

const podNames = ["control", "web", "db"];

interface WorldCluster {
  bundle: Bundle;
  issuer?: Generation;
  issuerBefore?: Generation | undefined;
  issuerSince: Date;
  readable: boolean;
  pods: readonly Pod[];
}

const bare: WorldCluster = { bundle: [], issuerSince: now, readable: true, pods: [] };

interface Run {
  readonly issuer: Generation | undefined;
  readonly bundle: Bundle;
}

/** A run may be interrupted before it has given both. */
export const everyPart: readonly (keyof Run)[] = ["issuer", "bundle"];

export const names: readonly string[] = ["west", "east", "north"];

/** Somebody adds these to the bundle of one cluster; no other cluster may trust them. */
const rogues = new Map(
  names.map((name) => [name, authority({ name: `rogue-${name}` }).certificate]),
);

/** The config adds this anchor to every cluster. */
const partner = authority({ name: "partner" }).certificate;

/** Certificates of this mesh are renewed as late as Linkerd's rules allow. */
export class World {
  unknown: "keep" | "remove" = "keep";
  readonly clusters = new Map(names.slice(0, 2).map((name) => [name, { ...bare }]));
  #now = now;
  #turns = 0;
  #wanted = generation(0);
  #previous: Generation | undefined;
  #published: Readonly<Record<string, Share>> = {};
  #known: Bundle = [];
  /** The clusters' own unfinished runs have read this trust. */
  readonly #running = new Map<string, Run>();

  add(name: string): void {
    if (!this.clusters.has(name)) this.clusters.set(name, { ...bare });
  }

  reach(name: string, readable: boolean): void {
    const cluster = this.clusters.get(name);
    if (cluster !== undefined) cluster.readable = readable;
  }

  /** Somebody adds an anchor of their own to the bundle of a cluster where Linkerd runs. */
  intrude(name: string): void {
    const [cluster, rogue] = [this.clusters.get(name), rogues.get(name)];
    if (cluster === undefined || rogue === undefined || cluster.bundle.length === 0) return;
    cluster.bundle = unique([...cluster.bundle, rogue]);
  }

  /** Returns clusters that trust an anchor added to another one, or lack the adopted anchor. */
  astray(): string[] {
    return [...this.clusters].flatMap(([name, { bundle }]) => {
      const strange = [...rogues].filter(([from, rogue]) => from !== name && has(bundle, rogue));
      const lacks = bundle.length > 0 && !has(bundle, partner);
      return [...strange.map(([from]) => `${name} < ${from}`), ...(lacks ? [name] : [])];
    });
  }

  /** The user asks for the next generation, or takes it back: its predecessor is then a new one. */
  turn(direction: "on" | "back"): void {
    const [wanted, previous] = [this.#wanted, this.#previous];
    const fresh = generation(++this.#turns);
    if (direction === "on") [this.#wanted, this.#previous] = [fresh, wanted];
    else if (previous !== undefined) [this.#wanted, this.#previous] = [previous, fresh];
    // A refused user corrects the config.
    if (this.#publication() === undefined) [this.#wanted, this.#previous] = [wanted, previous];
  }

  /** Runs the only stack once, which gives these parts to a cluster. */
  up(reached: (cluster: string) => typeof everyPart = () => everyPart): string {
    const decision = rotate(this.#rotation());
    for (const [name, { issuer, bundle }] of decision.clusters) {
      const cluster = this.clusters.get(name);
      if (cluster === undefined || decision.refusedClusters.has(name)) continue;
      if (!cluster.readable && cluster.bundle.length > 0) continue;
      const given = issuer === "wanted" ? this.#wanted : this.#previous;
      this.#apply(cluster, { issuer: given, bundle }, reached(name));
    }
    return decision.stage;
  }

  /** Runs the trust stack, which writes to no cluster. */
  publish(): string {
    const publication = this.#publication();
    if (publication === undefined) return "refused";
    this.#known = [this.#wanted, this.#previous ?? this.#wanted].map(({ anchor }) => anchor);
    this.#published = publication.clusters;
    return publication.stage;
  }

  /** Begins a run of a cluster's own stack, which reads the publication. A stack has one run at a time. */
  begin(name: string): void {
    const share = this.#running.has(name) ? undefined : this.#published[name];
    const cluster = this.clusters.get(name);
    const issuer = generations.find(({ anchor }) => anchor.fingerprint === share?.issuer);
    if (share === undefined || cluster === undefined || issuer === undefined) return;
    const bundle = knownCertificates(share.bundlePem);
    const decision = planPublished(
      {
        stack: "o/p/trust",
        known: [...this.#known, partner],
        unknownAnchors: this.unknown,
        clusters: new Map([[name, { bundle, issuer: [issuer.issuer], keyPem: "" }]]),
      },
      new Map([[name, read({ ...cluster, readable: true })]]),
    );
    const refused = decision.refusedClusters.get(name);
    if (refused !== undefined) throw new Error(refused);
    this.#running.set(name, { issuer, bundle: decision.clusters.get(name)?.bundle ?? bundle });
    // A publication doesn't wait for a first run (publication.ts).
    if (cluster.bundle.length === 0) this.finish(name);
  }

  /** Ends the run, which applies what it has read, or a part of it, however late. */
  finish(name: string, parts = everyPart): void {
    const [run, cluster] = [this.#running.get(name), this.clusters.get(name)];
    this.#running.delete(name);
    if (run !== undefined && cluster !== undefined) this.#apply(cluster, run, parts);
  }

  restart(among = names, pods = podNames): void {
    for (const [name, cluster] of this.clusters)
      if (among.includes(name) && cluster.bundle.length > 0) this.#start(cluster, pods);
  }

  pass(minutes: number): void {
    this.#now = later(this.#now, minutes * 60_000);
    for (const cluster of this.clusters.values())
      cluster.pods = cluster.pods.map((pod) =>
        pod.until <= this.#now ? { ...pod, ...this.#certificate(cluster) } : pod,
      );
  }

  /** Returns each pair of proxies of which one refuses the other. */
  broken(): string[] {
    const all = [...this.clusters].flatMap(([name, { pods }]) =>
      pods.map((pod) => ({ ...pod, name: `${name}/${pod.pod}` })),
    );
    return all.flatMap(({ name, trusts }) =>
      all
        .filter(({ under }) => under === undefined || !has(trusts, under))
        .map((other) => `${name} refuses ${other.name}`),
    );
  }

  #rotation() {
    return {
      wanted: this.#wanted.anchor,
      previous: this.#previous?.anchor,
      adopted: [partner],
      unknown: this.unknown,
      live: new Map([...this.clusters].map(([name, cluster]) => [name, read(cluster)])),
      now: this.#now,
    };
  }

  #publication() {
    const rotation = this.#rotation();
    const decision = rotate(rotation);
    // A user who skipped a generation corrects the config.
    if ([...decision.refusedClusters.keys()].some((name) => decision.clusters.has(name)))
      return undefined;
    return valueIn(publish(this.#published, publicationArgs(decision, rotation)));
  }

  #apply(cluster: WorldCluster, { issuer: given, bundle }: Run, parts: typeof everyPart): void {
    if (given !== undefined && given !== cluster.issuer && parts.includes("issuer")) {
      cluster.issuerBefore = cluster.issuer;
      cluster.issuer = given;
      cluster.issuerSince = this.#now;
    }
    if (cluster.issuer === undefined || !parts.includes("bundle")) return;
    // The identity controller begins with the Secret that is there, whatever an interrupted run left.
    if (cluster.bundle.length === 0) cluster.issuerBefore = undefined;
    cluster.bundle = bundle;
    // The control plane restarts with the bundle, the others when somebody does it.
    this.#start(cluster, ["control"]);
  }

  /** Starts these pods again, and others that don't run yet. */
  #start(cluster: WorldCluster, names: readonly string[]): void {
    const { bundle: trusts, pods } = cluster;
    const started = { namespace: "shop", createdAt: this.#now, started: true, trusts };
    cluster.pods = podNames.map((pod) => {
      const running = names.includes(pod) ? undefined : pods.find((one) => one.pod === pod);
      return running ?? { ...started, pod, ...this.#certificate(cluster) };
    });
  }

  /** For some minutes the identity controller may still issue with what it had. */
  #certificate({ issuer, issuerBefore, issuerSince }: WorldCluster) {
    const isSettling = this.#now < later(issuerSince, 4 * 60_000);
    const { anchor } = (isSettling && issuerBefore) || issuer || {};
    return { under: anchor, until: later(this.#now, day) };
  }
}

function later(time: Date, milliseconds: number): Date {
  return new Date(time.getTime() + milliseconds);
}

function read({ readable, bundle, issuer, issuerSince, pods }: WorldCluster): LiveTrust {
  if (!readable) return { why: "no route to host", cause: "unreachable" };
  if (bundle.length === 0) return { value: undefined };
  const chain = issuer === undefined ? [] : [issuer.issuer];
  return {
    value: {
      bundle,
      issuer: chain,
      issuerSince,
      certificateLifetimeMs: 0,
      proxies: { value: pods },
    },
  };
}
