/**
 * A stack's mesh as `map` draws it, and as `--output json` prints it. Fields may be added, but no field changes its
 * meaning without another `version`.
 */
export interface Picture {
  readonly version: 1;
  readonly stack: string;
  /** RFC 3339: when the mesh was read. */
  readonly readAt: string;
  /** Whether it shows what the next `up` would change. */
  readonly preview: boolean;
  readonly clusters: readonly ClusterPicture[];
  readonly links: readonly LinkPicture[];
  readonly federated: readonly FederatedPicture[];
}

/** `unknown`: not checked, or not readable. */
export type HealthPicture = "ok" | "warning" | "error" | "unknown";

export interface ClusterPicture {
  readonly name: string;
  readonly health: HealthPicture;
  /** Version of Linkerd's control plane. */
  readonly linkerd?: string;
  /** `days`: until it expires; negative once it has. */
  readonly anchors: readonly { readonly name: string; readonly days: number }[];
  readonly findings: readonly FindingPicture[];
}

export interface FindingPicture {
  readonly severity: "warning" | "error";
  /** Title of the check. */
  readonly check: string;
  readonly sentence: string;
  /** URL of Linkerd's documentation. */
  readonly hint?: string;
}

export interface LinkPicture {
  /** The cluster in which the mirrors are. */
  readonly source: string;
  /** The cluster of the exported Services. */
  readonly target: string;
  readonly kind: "gateway" | "flat";
  readonly mirroring: "pulumi" | "controller";
  readonly health: HealthPicture;
  /** The gateway's addresses and state, in words. */
  readonly gateway?: string;
  readonly mirrors: readonly MirrorPicture[];
  readonly notMirrored: readonly NotMirroredPicture[];
  readonly findings: readonly FindingPicture[];
}

/** The fields of all kinds of mirrors. */
export interface Mirrored {
  /** `namespace/name` in the source. */
  readonly name: string;
  readonly ports: string;
  /** The state now: `ok`, `missing`. */
  readonly state: string;
  /** The change by the next `up`; absent without `--preview`. */
  readonly next?: Next;
  /** Fields that differ, in words. */
  readonly changes?: readonly string[];
}

export type Next = "create" | "update" | "replace" | "delete";

export interface MirrorPicture extends Mirrored {
  /** The exported Service, `namespace/name`. */
  readonly service: string;
  readonly kind: string;
}

export interface NotMirroredPicture {
  /** `namespace/name`. */
  readonly service: string;
  /** The pod that isn't mirrored; absent: the whole Service. */
  readonly pod?: string;
  readonly reason: string;
  readonly sentence: string;
}

export interface FederatedPicture extends Mirrored {
  /** The cluster that the federated Service is in. */
  readonly cluster: string;
  /** `service`: `namespace/name`. */
  readonly members: readonly { readonly service: string; readonly cluster: string }[];
}

/** Prefixes of clusters and links in a picture, so that no meaning depends on color alone. */
export const healthMarks: Readonly<Record<HealthPicture, string>> = {
  ok: "",
  warning: "! ",
  error: "× ",
  unknown: "? ",
};

/** `+12 ~1 -2`: how many mirrors the next `up` creates, changes and deletes; empty: none. */
export function changesOf(mirrors: readonly Pick<Mirrored, "next">[]): string {
  const number = (...wanted: Next[]) =>
    mirrors.filter(({ next }) => next !== undefined && wanted.includes(next)).length;
  const signs = [
    ["+", number("create")],
    ["~", number("update", "replace")],
    ["-", number("delete")],
  ] as const;
  return signs.flatMap(([sign, count]) => (count === 0 ? [] : [`${sign}${count}`])).join(" ");
}

/** `40 mirrors, 2 not mirrored, +1 -2`. */
export function linkCounts({ mirrors, notMirrored }: LinkPicture): string {
  const changes = changesOf(mirrors);
  return [
    counted(mirrors.length, "mirror"),
    ...(notMirrored.length === 0 ? [] : [`${notMirrored.length} not mirrored`]),
    ...(changes === "" ? [] : [changes]),
  ].join(", ");
}

/** One line about a link: `east → west, gateway: 12 mirrors, 1 not mirrored`. */
export function linkLine(link: LinkPicture): string {
  const network = link.kind === "flat" ? "flat network" : "gateway";
  return `${link.source} → ${link.target}, ${network}: ${linkCounts(link)}`;
}

/** One line about a cluster: `west: ok, Linkerd edge-26.8.3, trust anchors for 340 days`. */
export function clusterLine({ name, health, linkerd, anchors }: ClusterPicture): string {
  const days = Math.min(...anchors.map((anchor) => anchor.days));
  return [
    `${name}: ${health}`,
    ...(linkerd === undefined ? [] : [`Linkerd ${linkerd}`]),
    ...(anchors.length === 0 ? [] : [`trust anchors for ${counted(days, "day")}`]),
  ].join(", ");
}

export function counted(number: number, word: string): string {
  return `${number.toLocaleString("en")} ${word}${number === 1 ? "" : "s"}`;
}
