import { listed } from "@linkerd-multicluster/engine/base";
import { printable } from "@linkerd-multicluster/engine/kubernetes";
import type { HealthReport } from "@linkerd-multicluster/engine/health";
import {
  federatedPart,
  type MirrorKind,
  type Naming,
  type Placing,
  type PortProtocol,
  type Verdict,
} from "@linkerd-multicluster/engine/mirroring";

/**
 * Holds everything known about a stack's mesh at one moment: what the clusters hold, what the engine decided and what
 * health found. Every command projects this value and decides nothing itself. It is plain JSON without a secret, which
 * `gather` writes and `--from` reads.
 */
export interface Facts {
  /** The time is in RFC 3339. */
  readonly readAt: string;
  readonly stack: string;
  /** Why the stack's state can't be read: `next` then doesn't know what the last run left. */
  readonly unreadState?: string;
  /** Absent if the stack manages no trust. */
  readonly rotation?: RotationFact;
  readonly clusters: readonly ClusterFact[];
  readonly links: readonly LinkFact[];
  /** Mirrors of all sources, including those that the next `up` creates and deletes. */
  readonly mirrors: readonly MirrorFact[];
  readonly notMirrored: readonly NotMirrored[];
  /** Services other than mirrors. */
  readonly services: readonly ServiceFact[];
  readonly next: readonly NextRun[];
  readonly health: HealthReport;
}

/** The progress of a rotation of the trust anchor, as the last run found it. */
export interface RotationFact {
  /** The last run took this step: `bundle` adds an anchor, `reissue` replaces issuers, `drop` removes an anchor. */
  readonly stage: string;
  /** With `trust.restart`, what others have to restart. */
  readonly waitsFor?: readonly string[];
  /** A run after it (RFC 3339) has something to do. */
  readonly notBefore?: string;
}

export interface ClusterFact {
  readonly name: string;
  readonly context: string;
  readonly reachable: boolean;
  /** The cluster answers, but a run would refuse it: its credentials are rejected, or its context leads elsewhere. */
  readonly refused?: true;
  /** Why it can't be read. */
  readonly why?: string;
  /** The config takes it out of routes and federated Services. */
  readonly drained?: true;
  /** The UID is that of its namespace kube-system. */
  readonly uid?: string;
  /** The config of Linkerd's control plane says this version. */
  readonly linkerd?: string;
  /** Absent if the stack doesn't manage Linkerd, or if they can't be read. */
  readonly anchors?: readonly CertificateFact[];
  readonly issuer?: CertificateFact;
}

export interface CertificateFact {
  readonly name: string;
  readonly fingerprint: string;
  /** The time is in RFC 3339. */
  readonly expiresAt: string;
}

export interface LinkFact {
  readonly source: string;
  readonly target: string;
  readonly mode: "gateway" | "flat";
  readonly mirroring: "pulumi" | "controller";
  /** Selectors in the syntax of `kubectl --selector`, by the kind of mirror. */
  readonly selectors: Readonly<Record<"mirror" | "discovery" | "federated", string>>;
  /** How its mirrors are named, and in which namespaces they are. Earlier versions of `gather` left it out. */
  readonly naming?: Naming & Placing;
  readonly gateway?: GatewayState;
  /** The target's gateway admits clients only to what is exported. */
  readonly closed?: true;
  /** Others give Linkerd in the source the credentials with which it finds pods of the target (`manage: mirrors`). */
  readonly credentialsByOthers?: true;
  /** Why the engine could not decide about its mirrors. */
  readonly undecided?: string;
}

/** With `open`, the link has no probe, so the gateway counts as alive. */
export interface GatewayState {
  readonly state: "alive" | "open" | "down" | "unknown";
  /** Why it is down or unknown. */
  readonly why?: string;
  readonly addresses?: readonly string[];
  readonly port?: number;
  readonly identity?: string;
  /** The time until it answered its probe. */
  readonly milliseconds?: number;
}

export interface MirrorFact {
  readonly source: string;
  /** The name of the link's target, or `federated`. */
  readonly part: string;
  /** The key is `namespace/name`, like every key of a Service here. */
  readonly mirror: string;
  readonly kind: MirrorKind;
  readonly verdict: Exclude<Verdict, "skip">;
  /** Previews show this line. */
  readonly line: string;
  /** The exported Service is absent if it isn't known. */
  readonly service?: string;
  /** The hostname is that of the pod behind an endpoint mirror. */
  readonly pod?: string;
  /** The members are those of a federated Service: `bb@east`, `local bb`. */
  readonly members?: readonly string[];
  readonly ports: string;
  /** The first TCP port of each protocol. Earlier versions of `gather` left it out. */
  readonly protocols?: Readonly<Partial<Record<PortProtocol, number>>>;
  /** The address is the mirror's ClusterIP. */
  readonly address?: string;
  /** Each IP has the hostname of its pod. The list is absent if the mirror needs none. */
  readonly endpoints?: { readonly ready: readonly string[]; readonly notReady: number };
  /** The TLS identity is that of its gateway. */
  readonly identity?: string;
  /** When its Service was created. */
  readonly since?: string;
  /** These stacks (`project/stack`) wrote the Service, each with its last write. */
  readonly writtenBy?: readonly { readonly stack: string; readonly at?: string }[];
  /** These fields differ, in words. */
  readonly fields?: readonly string[];
  /** The reason why the engine couldn't decide and leaves the mirror unchanged. */
  readonly undecided?: string;
}

export interface NotMirrored {
  readonly source: string;
  readonly part: string;
  readonly service: string;
  /** The mirror would have this key. */
  readonly mirror?: string;
  /** A Service of this cluster could be a member of a federated one. */
  readonly cluster?: string;
  readonly pod?: string;
  readonly reason: string;
  readonly sentence: string;
  /** This is a command, or a line for the link's config, to copy. */
  readonly fix?: string;
}

export interface ServiceFact {
  readonly cluster: string;
  readonly service: string;
  readonly type: string;
  readonly ports: string;
  /** A link selects by these labels. */
  readonly labels: Readonly<Record<string, string>>;
  /** The clusters that may import the Service, as its annotation lists them. Absent without the annotation. */
  readonly importers?: readonly string[];
  /** The ports that these clusters may import. Absent without the annotation. */
  readonly importedPorts?: readonly string[];
  /** Counts the addresses in its Endpoints; it is absent without Endpoints. */
  readonly ready?: number;
  /** Says how its requests are routed to other clusters, or why they aren't. */
  readonly failover?: readonly string[];
  /** The Services to which its HTTPRoutes send its requests, itself among them. */
  readonly backends?: readonly string[];
}

/** Changes that the next `up` would make to one source's mirrors. */
export interface NextRun {
  readonly source: string;
  readonly writes: boolean;
  /** The preview has these lines, one for each part that changes. */
  readonly lines: readonly string[];
  /** Somebody has to fix these problems first. */
  readonly refusals: readonly string[];
  /** Says why that is unknown. */
  readonly unknown?: string;
}

/** Lists each reason once for which the engine could not decide about links and existing mirrors, if there is any. */
export function undecidedIn({ links, mirrors }: Pick<Facts, "links" | "mirrors">): {
  readonly undecided?: readonly string[];
} {
  const parts = [...links.map(({ target, ...link }) => ({ ...link, part: target })), ...mirrors];
  const sentences = parts.flatMap(({ source, part, undecided }) => {
    if (undecided === undefined) return [];
    const about =
      part === federatedPart ? `federated Services in ${source}` : `${source} → ${part}`;
    return [`${about}: ${undecided}`];
  });
  return sentences.length === 0 ? {} : { undecided: [...new Set(sentences)] };
}

/** Says for which links nobody knows what the next `up` changes, as in `unknown for east → west: see check`. */
export function unknownChanges(links: readonly LinkFact[]): string | undefined {
  const names = links.flatMap(({ source, target, undecided }) =>
    undecided === undefined ? [] : [`${source} → ${target}`],
  );
  return names.length === 0 ? undefined : `unknown for ${listed(names)}: see check`;
}

/** Returns for example `not probed 192.0.2.1:4143`, in every view of the mesh. */
export function gatewayText({ state, addresses = [], port, milliseconds }: GatewayState): string {
  const time = milliseconds === undefined ? "" : ` in ${Math.round(milliseconds)} ms`;
  const where = addresses.length === 0 ? "" : ` ${addresses.join(",")}:${port ?? "?"}`;
  return `${state === "open" ? "not probed" : state}${time}${where}`;
}

/** Returns the Services behind a mirror with their clusters. Members of a federated one are `bb@east` or `local bb`. */
export function backendsOf({ mirror, source, part, members, service = "" }: MirrorFact) {
  const namespace = mirror.slice(0, mirror.indexOf("/"));
  if (members === undefined) return [{ service, cluster: part }];
  return members.map((member) => {
    const [name = "", cluster = source] = member.replace(/^local /, "").split("@");
    return { service: `${namespace}/${name}`, cluster };
  });
}

/** Replaces control characters in all texts: clusters or other people wrote many of them. */
export function printableTexts<T>(value: T): T {
  return mapTexts(value, (text) => printable(text));
}

/** Changes all texts in a value, keys included. */
export function mapTexts<T>(value: T, read: (text: string) => string): T {
  const changed = (each: unknown): unknown => {
    if (typeof each === "string") return read(each);
    if (Array.isArray(each)) return each.map(changed);
    if (typeof each !== "object" || each === null) return each;
    return Object.fromEntries(
      Object.entries(each).map(([key, inner]) => [read(key), changed(inner)]),
    );
  };
  return changed(value) as T;
}
