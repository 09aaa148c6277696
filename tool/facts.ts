import type { HealthReport } from "@linkerd-multicluster/engine/health";
import type { MirrorKind, Verdict } from "@linkerd-multicluster/engine/mirroring";

/**
 * Everything that is known of a stack's mesh at one moment: the one value that every command projects.
 * It says what the engine has decided and what health has found, and decides nothing itself. Plain
 * JSON without a secret, which `gather` writes and `--from` reads.
 */
export interface Facts {
  /** RFC 3339. */
  readonly readAt: string;
  readonly stack: string;
  /** Why the stack's state can't be read: `next` then doesn't know what the last run left. */
  readonly unreadState?: string;
  readonly clusters: readonly ClusterFact[];
  readonly links: readonly LinkFact[];
  /** Of all sources: what is there, and what is to come and go. */
  readonly mirrors: readonly MirrorFact[];
  readonly notMirrored: readonly NotMirrored[];
  /** Services that are no mirrors. */
  readonly services: readonly ServiceFact[];
  readonly next: readonly NextRun[];
  readonly health: HealthReport;
}

export interface ClusterFact {
  readonly name: string;
  readonly context: string;
  readonly reachable: boolean;
  /** Why it can't be read. */
  readonly why?: string;
  /** UID of its namespace kube-system. */
  readonly uid?: string;
  /** The version of Linkerd's control plane, as its config says. */
  readonly linkerd?: string;
  /** Trust anchors; absent where the stack does not manage Linkerd, or they can't be read. */
  readonly anchors?: readonly CertificateFact[];
  readonly issuer?: CertificateFact;
}

export interface CertificateFact {
  readonly name: string;
  readonly fingerprint: string;
  /** RFC 3339. */
  readonly expiresAt: string;
}

export interface LinkFact {
  readonly source: string;
  readonly target: string;
  readonly mode: "gateway" | "flat";
  readonly mirroring: "pulumi" | "controller";
  /** Label selectors as `kubectl --selector` takes them, by the kind of mirror that they ask for. */
  readonly selectors: Readonly<Record<"mirror" | "discovery" | "federated", string>>;
  /** Absent on a flat network. */
  readonly gateway?: GatewayState;
  /** Whether the engine could conclude anything about its mirrors. */
  readonly isDecided: boolean;
  /** Why it could not, although this program mirrors the link. */
  readonly undecided?: string;
}

/** `open`: taken to be alive without a probe. */
export interface GatewayState {
  readonly state: "alive" | "open" | "down" | "unknown";
  /** Of a gateway that is down or unknown. */
  readonly why?: string;
  readonly addresses?: readonly string[];
  readonly port?: number;
  readonly identity?: string;
}

export interface MirrorFact {
  readonly source: string;
  /** The name of the link's target, or `federated`. */
  readonly part: string;
  /** `namespace/name`, as everything here that is a key of a Service. */
  readonly mirror: string;
  readonly kind: MirrorKind;
  readonly verdict: Exclude<Verdict, "skip">;
  /** The line by which previews know it. */
  readonly line: string;
  /** The exported Service; absent where that is not known. */
  readonly service?: string;
  /** Hostname of the pod behind an endpoint mirror. */
  readonly pod?: string;
  /** Of a federated Service: `bb@east`, `local bb`. */
  readonly members?: readonly string[];
  readonly ports: string;
  /** Its ClusterIP. */
  readonly address?: string;
  /** IPs with the pod that each stands for; absent where there are to be none. */
  readonly endpoints?: { readonly ready: readonly string[]; readonly notReady: number };
  /** TLS identity of the gateway that it leads to. */
  readonly identity?: string;
  /** When its Service was created. */
  readonly since?: string;
  /** `project/stack` and when it has last written the Service. */
  readonly writtenBy?: readonly { readonly stack: string; readonly at?: string }[];
  /** Fields that are not as they should be, in words. */
  readonly fields?: readonly string[];
  /** Why nothing could be concluded about it, so that it stays as it is. */
  readonly undecided?: string;
}

export interface NotMirrored {
  readonly source: string;
  readonly part: string;
  readonly service: string;
  /** Where the link alone does not say it. */
  readonly cluster?: string;
  readonly pod?: string;
  readonly reason: string;
  readonly sentence: string;
}

export interface ServiceFact {
  readonly cluster: string;
  readonly service: string;
  readonly type: string;
  readonly ports: string;
  /** Those that a selector of a link names. */
  readonly labels: Readonly<Record<string, string>>;
  /** Addresses in its Endpoints; absent where it has none. */
  readonly ready?: number;
}

/** What the next `up` would do about the mirrors of one source. */
export interface NextRun {
  readonly source: string;
  readonly writes: boolean;
  /** As previews print them, one for each part that changes. */
  readonly lines: readonly string[];
  /** What somebody has to mend first. */
  readonly refusals: readonly string[];
  /** Why nothing can be said. */
  readonly unknown?: string;
}

/** Why nothing could be decided about links, or about mirrors that are there: a sentence for each reason. */
export function undecidedIn({ links, mirrors }: Pick<Facts, "links" | "mirrors">): string[] {
  const parts = [...links.map(({ target, ...link }) => ({ ...link, part: target })), ...mirrors];
  const sentences = parts.flatMap(({ source, part, undecided }) =>
    undecided === undefined ? [] : [`${source}/${part}: ${undecided}`],
  );
  return [...new Set(sentences)];
}

/** The Services that a mirror stands for, each by its cluster: those of a federated one are `bb@east` or `local bb`. */
export function backendsOf({ mirror, source, part, members, service = "" }: MirrorFact) {
  const namespace = mirror.slice(0, mirror.indexOf("/"));
  if (members === undefined) return [{ service, cluster: part }];
  return members.map((member) => {
    const [name = "", cluster = source] = member.replace(/^local /, "").split("@");
    return { service: `${namespace}/${name}`, cluster };
  });
}
