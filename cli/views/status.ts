import { count, firstOf } from "@linkerd-multicluster/engine/base";
import { federatedPart, isPending } from "@linkerd-multicluster/engine/mirroring";
import {
  type CertificateFact,
  type Facts,
  gatewayText,
  type MirrorFact,
  unknownChanges,
} from "../facts/facts.ts";
import { stepSentence } from "../facts/rotation-steps.ts";
import { age, columns, mark, paint, shownName } from "../output.ts";
import type { TrafficFact } from "../traffic/traffic.ts";
import { trafficTable } from "./traffic-table.ts";

/** `linkerd-clusters status --output json` prints this for each stack, and `gather` writes it. */
export interface Status extends Facts {
  /** Whether the next `up` writes nothing, nothing is to be fixed, and no check found an error. */
  readonly ok: boolean;
  readonly problems: readonly string[];
  /** With `--traffic`: each link or `federated` comes before its mirrors. */
  readonly traffic?: readonly TrafficFact[];
}

export function statusOf(facts: Facts): Status {
  const { links, next, health } = facts;
  const mistakes = next.flatMap((each) => each.refusals);
  // A link of a source with several mistakes is undecided because of all of them, which come one by one.
  const isTogether = (why: string) => next.some((each) => each.refusals.join("; ") === why);
  const whys = links.flatMap(({ undecided }) => undecided ?? []);
  const refusals = [...mistakes, ...whys];
  const errors = health.groups.flatMap(({ kind, name, checks }) =>
    checks
      .flatMap(({ findings }) => findings)
      .filter(({ severity, sentence }) => severity !== "warning" && !refusals.includes(sentence))
      // Findings about clusters name them already.
      .map(({ sentence }) => (kind === "link" ? `${shownName(name)}: ${sentence}` : sentence)),
  );
  const unknown = next.flatMap((each) => each.unknown ?? []);
  const others = [...whys, ...unknown, ...errors].filter((why) => !isTogether(why));
  const problems = [...new Set([...mistakes, ...others])];
  const isQuiet = next.every(({ writes }) => !writes);
  return { ...facts, ok: health.healthy && isQuiet && problems.length === 0, problems };
}

/** Counts for each link its mirrors after the next `up`, those that it writes, and the reasons for what isn't mirrored. */
function linksOf({ clusters, links, mirrors, notMirrored }: Facts) {
  const ofPart = Map.groupBy(mirrors, ({ source, part }) => `${source}/${part}`);
  const skips = Map.groupBy(notMirrored, ({ source, part }) => `${source}/${part}`);
  return links.map((link) => {
    const { source, target } = link;
    const own = ofPart.get(`${source}/${target}`) ?? [];
    const skipped = skips.get(`${source}/${target}`) ?? [];
    const reasons = Map.groupBy(skipped, ({ reason }) => reason);
    const isRead = clusters.some(({ name, reachable }) => name === source && reachable);
    return {
      ...link,
      isRead,
      mirrors: own.filter(isMirror).length,
      pending: own.filter(isPending).length,
      notMirrored: skipped.length,
      reasons: [...reasons].map(([reason, { length }]) => `${length} ${reason}`).join(", "),
    };
  });
}

/** Nobody exports what a prober asks. */
function isMirror({ kind, verdict }: MirrorFact): boolean {
  return kind !== "probe" && verdict !== "delete" && verdict !== "handOver";
}

/** Counts the Services that ask to be members of each federated Service, also of one that none of them can join. */
function federatedOf({ mirrors, notMirrored }: Facts) {
  const left = Map.groupBy(
    notMirrored.filter(({ part }) => part === federatedPart),
    ({ source, service, mirror = service }) => `${source}/${mirror}`,
  );
  const joined = mirrors
    .filter(({ part, verdict }) => part === federatedPart && verdict !== "delete")
    .map(({ source, mirror, members = [] }) => ({ name: `${source}/${mirror}`, members }));
  const names = new Set(joined.map(({ name }) => name));
  const empty = [...left.keys()].filter((name) => !names.has(name));
  return [...joined, ...empty.map((name) => ({ name, members: [] }))].map(({ name, members }) => {
    return { name, members, wanted: members.length + (left.get(name) ?? []).length };
  });
}

export function statusTable(status: Status): string {
  const { readAt, clusters, problems, traffic } = status;
  const links = linksOf(status);
  const federated = federatedOf(status);
  const next = status.next.flatMap(({ lines, writes, source }) => {
    if (lines.length > 0) return lines;
    return writes ? [`${source}: ownership marks or Link status`] : [];
  });
  const unknown = unknownChanges(status.links);
  if (unknown !== undefined) next.push(`${mark("warn")} ${unknown}`);
  const gaps = links.filter(({ notMirrored }) => notMirrored > 0);
  const incomplete = federated.filter(({ members, wanted }) => members.length < wanted);
  return [
    `${headline(status)}\n`,
    columns(
      ["  LINK", "MODE", "MIRRORS", "PENDING", "NOT MIRRORED", "GATEWAY"],
      links.map((link) => [
        `${linkMark(link)} ${link.source} → ${link.target}`,
        link.mode,
        link.mirroring === "controller" ? "controller" : link.isRead ? String(link.mirrors) : "?",
        link.undecided === undefined ? String(link.pending) : "?",
        link.undecided === undefined ? String(link.notMirrored) : "?",
        link.gateway === undefined ? "-" : gatewayText(link.gateway),
      ]),
    ),
    columns(
      ["  CLUSTER", "STATE", "LINKERD", "ANCHORS", "ISSUER"],
      clusters.map((each) => [
        `${mark(each.reachable ? "good" : "bad")} ${each.name}`,
        `${each.reachable ? "ok" : each.refused ? "refused" : "unreachable"}${each.drained ? ", drained" : ""}`,
        each.linkerd ?? "-",
        each.anchors === undefined
          ? "-"
          : `${each.anchors.length}, ${leftOf(each.anchors, readAt)} left`,
        each.issuer === undefined ? "-" : `${leftOf([each.issuer], readAt)} left`,
      ]),
    ),
    traffic === undefined ? "" : trafficTable(traffic),
    section("Rotation of the trust anchor", rotationLines(status)),
    section(
      `Federated Services: ${federated.length}, ${incomplete.length} incomplete`,
      incomplete.map(({ name, members, wanted }) => {
        const count = `${members.length} of ${wanted} (${members.join(", ") || "none"})`;
        return `${mark("warn")} ${name}: ${count}`;
      }),
      federated.length > 0,
    ),
    section(
      "Not mirrored (see explain SERVICE)",
      gaps.map(
        ({ source, target, reasons }) => `${mark("warn")} ${source} → ${target}: ${reasons}`,
      ),
    ),
    section(
      "Problems (see check)",
      problems.map((problem) => `${mark("bad")} ${problem}`),
    ),
    section("Next up", next.length > 0 ? next : ["no changes to mirrors"]),
  ]
    .filter((text) => text !== "")
    .join("\n");
}

function rotationLines({ rotation }: Status): string[] {
  if (rotation === undefined) return [];
  const { stage, waitsFor = [], notBefore } = rotation;
  const lines = [
    stage === "settled" ? undefined : stepSentence(stage),
    notBefore && `the next restarts are due after ${notBefore}`,
    ...waitsFor.map((each) => `${mark("warn")} not restarted: ${each}`),
  ];
  return lines.filter((line) => line !== undefined);
}

function headline({ stack, ok, notMirrored, unreadState }: Status): string {
  const { size } = new Set(
    notMirrored.map(({ cluster, part, service }) => `${cluster ?? part}/${service}`),
  );
  const but = size === 0 ? "" : `, but ${count(size, "Service")} not mirrored`;
  const word = ok ? paint(size === 0 ? "good" : "warn", `ok${but}`) : paint("bad", "degraded");
  const unread = unreadState === undefined ? "" : `; can't read the stack's state (${unreadState})`;
  return `${paint("head", stack === "" ? "mesh" : stack)}: ${word}${unread}`;
}

function section(title: string, lines: readonly string[], isShown = lines.length > 0): string {
  if (!isShown) return "";
  const shown = firstOf(lines).map((line) => `  ${line}\n`);
  return [`${paint("head", title)}\n`, ...shown].join("");
}

function linkMark(link: ReturnType<typeof linksOf>[number]): string {
  const { gateway, pending, notMirrored, undecided, mirroring } = link;
  if (mirroring === "controller") return mark("dim");
  if (gateway?.state === "down" || gateway?.state === "unknown") return mark("bad");
  if (undecided !== undefined) return mark("bad");
  return mark(pending > 0 || notMirrored > 0 ? "warn" : "good");
}

/** The certificate that expires first decides. */
function leftOf(certificates: readonly CertificateFact[], now: string): string {
  const [first] = certificates.map(({ expiresAt }) => expiresAt).sort();
  return first === undefined ? "?" : age(now, first);
}
