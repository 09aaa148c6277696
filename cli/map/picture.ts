import { withFix } from "@linkerd-multicluster/engine/health";
import { count } from "@linkerd-multicluster/engine/base";
import {
  bySign,
  federatedPart,
  isPending,
  type Pending,
  verdicts,
} from "@linkerd-multicluster/engine/mirroring";
import type { ClusterFact, Facts, LinkFact, MirrorFact, NotMirrored } from "../facts/facts.ts";

/** Puts the facts about each cluster and each link together. */
export interface Picture extends Pick<Facts, "stack" | "readAt"> {
  readonly preview: boolean;
  readonly clusters: readonly ClusterPicture[];
  readonly links: readonly LinkPicture[];
  readonly federated: readonly MirrorPicture[];
}

/** With `degraded` it has warnings, with `failed` errors. With `unknown` it was not checked, or can't be read. */
export type Health = "ok" | "degraded" | "failed" | "unknown";

export interface FindingPicture {
  readonly severity: "warning" | "error";
  readonly check: string;
  readonly sentence: string;
  readonly hint?: string | undefined;
}

interface Judged {
  readonly health: Health;
  readonly findings: readonly FindingPicture[];
}

export interface ClusterPicture extends ClusterFact, Judged {
  /** Days until its first trust anchor expires, negative once it has; absent if no anchor is known. */
  readonly days?: number;
}

export interface LinkPicture extends LinkFact, Judged {
  readonly mirrors: readonly MirrorPicture[];
  readonly notMirrored: readonly NotMirrored[];
}

export interface MirrorPicture extends MirrorFact {
  /** The next `up` makes this change. It is absent without `--preview`. */
  readonly next?: Pending;
}

export function pictureOf(facts: Facts, preview: boolean): Picture {
  const { stack, readAt } = facts;
  const all = facts.mirrors.map((fact): MirrorPicture => {
    return preview && isPending(fact) ? { ...fact, next: fact.verdict } : fact;
  });
  const mirrors = Map.groupBy(all, ({ source, part }) => `${source}/${part}`);
  // A Service that can't be a member of a federated one belongs to the link that it would come through.
  const skipped = Map.groupBy(
    facts.notMirrored,
    ({ source, part, cluster }) => `${source}/${part === federatedPart ? (cluster ?? "") : part}`,
  );
  return {
    stack,
    readAt,
    preview,
    clusters: facts.clusters.map((cluster) => {
      const refusals = facts.next
        .filter(({ source }) => source === cluster.name)
        .flatMap((next) => next.refusals)
        .map((sentence): FindingPicture => ({ severity: "error", check: "next up", sentence }));
      const expiries = (cluster.anchors ?? []).map(({ expiresAt }) => Date.parse(expiresAt));
      const days = Math.floor((Math.min(...expiries) - Date.parse(readAt)) / 86_400_000);
      return {
        ...cluster,
        ...judged(facts, cluster.name, refusals),
        ...(expiries.length > 0 && { days }),
      };
    }),
    links: facts.links.map((link) => {
      const name = `${link.source}/${link.target}`;
      return {
        ...link,
        ...judged(facts, name),
        mirrors: mirrors.get(name) ?? [],
        notMirrored: skipped.get(name) ?? [],
      };
    }),
    federated: all.filter(({ part }) => part === federatedPart),
  };
}

/** The worst finding about a cluster or link decides. */
function judged(
  { health: { groups } }: Facts,
  name: string,
  refusals: readonly FindingPicture[] = [],
): Judged {
  const checks = groups.find((group) => group.name === name)?.checks ?? [];
  const ofChecks = checks.flatMap(({ title, hint, findings }) =>
    findings.map((finding): FindingPicture => ({
      severity: finding.severity === "warning" ? "warning" : "error",
      check: title,
      sentence: withFix(finding),
      hint,
    })),
  );
  const findings = [...refusals, ...ofChecks];
  const isChecked = checks.some(({ result }) => result !== "skipped");
  const isError = findings.some(({ severity }) => severity === "error");
  const health = findings.length > 0 ? "degraded" : isChecked ? "ok" : "unknown";
  return { health: isError ? "failed" : health, findings };
}

/** Returns the state now, such as `missing`. */
export function stateNow({ verdict, undecided }: MirrorFact): string {
  return undecided === undefined ? verdicts[verdict].state : "undecided";
}

/** With these prefixes, no meaning depends on color alone. */
export const healthMarks: Readonly<Record<Health, string>> = {
  ok: "",
  degraded: "! ",
  failed: "× ",
  unknown: "? ",
};

/** Counts the mirrors that the next `up` creates, changes and deletes: `+12 ~1 -2`, or nothing. */
export function changesOf(mirrors: readonly MirrorPicture[]): string {
  const changed = mirrors.filter(({ next }) => next !== undefined);
  return bySign(changed)
    .map(([sign, { length }]) => `${sign}${length}`)
    .join(" ");
}

/** Returns for example `40 mirrors, 2 not mirrored, +1 -2`. */
export function linkCounts({ mirrors, notMirrored }: LinkPicture): string {
  const changes = changesOf(mirrors);
  return [
    count(mirrors.length, "mirror"),
    ...(notMirrored.length === 0 ? [] : [`${notMirrored.length} not mirrored`]),
    ...(changes === "" ? [] : [changes]),
  ].join(", ");
}

/** Returns for example `east → west, gateway: 12 mirrors, 1 not mirrored`. */
export function linkLine(link: LinkPicture): string {
  const network = link.mode === "flat" ? "flat network" : "gateway";
  return `${link.source} → ${link.target}, ${network}: ${linkCounts(link)}`;
}

/** Returns for example `west: ok, Linkerd edge-26.8.3, trust anchors for 340 days`. */
export function clusterLine({ name, health, linkerd, days }: ClusterPicture): string {
  return [
    `${name}: ${health}`,
    ...(linkerd === undefined ? [] : [`Linkerd ${linkerd}`]),
    ...(days === undefined ? [] : [`trust anchors for ${count(days, "day")}`]),
  ].join(", ");
}
