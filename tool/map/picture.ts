/**
 * A stack's mesh as `map` draws it. Plain JSON: the page carries it along, and `--output json` prints
 * it. Fields may be added, but none changes its meaning without another `version`.
 */
export interface Picture {
  readonly version: 1;
  readonly stack: string;
  /** RFC 3339: when the mesh was read. */
  readonly readAt: string;
  /** When, how and with which result the stack has run last, in words. */
  readonly lastRun: string;
  /** Whether it says what the next `up` would change. */
  readonly preview: boolean;
  readonly clusters: readonly ClusterPicture[];
  readonly links: readonly LinkPicture[];
  readonly federated: readonly FederatedPicture[];
}

/** `unknown`: nobody has asked, or no answer came. */
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

/** Something to know, with what to do about it. */
export interface FindingPicture {
  readonly severity: "warning" | "error";
  /** What was checked. */
  readonly check: string;
  readonly sentence: string;
  /** Where Linkerd documents it. */
  readonly hint?: string;
}

export interface LinkPicture {
  /** The cluster in which the mirrors are. */
  readonly source: string;
  /** The cluster whose Services they stand for. */
  readonly target: string;
  readonly kind: "gateway" | "flat";
  readonly mirroring: "pulumi" | "controller";
  readonly health: HealthPicture;
  /** The gateway in words: where it is and whether it answers. */
  readonly gateway?: string;
  readonly mirrors: readonly MirrorPicture[];
  readonly notMirrored: readonly NotMirroredPicture[];
  readonly findings: readonly FindingPicture[];
}

/** What a mirror's Service has in common, whatever it stands for. */
interface Mirrored {
  /** `namespace/name` in the source. */
  readonly name: string;
  readonly ports: string;
  /** As it is now: `in order`, `missing`. */
  readonly state: string;
  /** What the next `up` does to it; absent: nothing, or nobody has asked. */
  readonly next?: Next;
  /** The fields that are not as they should be, in words. */
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
  /** One pod of it, where the others are mirrored. */
  readonly pod?: string;
  readonly reason: string;
  readonly sentence: string;
}

export interface FederatedPicture extends Mirrored {
  /** The cluster that has it. */
  readonly cluster: string;
  /** `service`: `namespace/name`. */
  readonly members: readonly { readonly service: string; readonly cluster: string }[];
}

/** The word that goes with each shape and colour. */
export const healthWords: Readonly<Record<HealthPicture, string>> = {
  ok: "in order",
  warning: "warning",
  error: "error",
  unknown: "not known",
};

/** `+12 ~1 -2`: how many mirrors the next `up` makes, changes and deletes; empty: none. */
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

/** One line about a link: `east to west, by gateway: 12 mirrors, in order`. */
export function linkLine(link: LinkPicture): string {
  const { source, target, kind, mirrors, notMirrored, health } = link;
  const changes = changesOf(mirrors);
  return [
    `${source} to ${target}, ${kind === "flat" ? "flat network" : "by gateway"}: ${counted(mirrors.length, "mirror")}`,
    ...(notMirrored.length === 0 ? [] : [`${notMirrored.length} not mirrored`]),
    healthWords[health],
    ...(changes === "" ? [] : [`next up ${changes}`]),
  ].join(", ");
}

/** One line about a cluster: `west: in order, Linkerd edge-26.8.3, trust anchors for 340 days`. */
export function clusterLine({ name, health, linkerd, anchors }: ClusterPicture): string {
  const days = Math.min(...anchors.map((anchor) => anchor.days));
  return [
    `${name}: ${healthWords[health]}`,
    ...(linkerd === undefined ? [] : [`Linkerd ${linkerd}`]),
    ...(anchors.length === 0 ? [] : [`trust anchors for ${counted(days, "day")}`]),
  ].join(", ");
}

export function counted(number: number, word: string): string {
  return `${number.toLocaleString("en")} ${word}${number === 1 ? "" : "s"}`;
}
