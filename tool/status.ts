import { defined } from "@linkerd-multicluster/engine/kubernetes";
import { federatedPart } from "@linkerd-multicluster/engine/mirroring";
import { type CertificateFact, type Facts, type GatewayState, type LinkFact } from "./facts.ts";
import { age, columns, firstOf, mark, paint } from "./output.ts";

/** `linkerd-clusters status --output json`, of one stack. */
export interface Status extends Pick<Facts, "stack" | "readAt" | "unreadState" | "clusters"> {
  /** Nothing to write, nothing to mend, and no check has found an error. */
  readonly inOrder: boolean;
  readonly links: readonly LinkLine[];
  readonly federated: readonly FederatedStatus[];
  /** What the next `up` would do about mirrors, one line for each source that it would change. */
  readonly next: readonly string[];
  readonly problems: readonly string[];
}

export interface LinkLine extends Omit<LinkFact, "selectors"> {
  /** Mirrors that there are once everything is done. */
  readonly mirrors: number;
  /** Of these, and of those that go, the ones that the next `up` writes. */
  readonly pending: number;
  readonly notMirrored: number;
  /** How many Services for each reason. */
  readonly reasons: Readonly<Record<string, number>>;
}

export interface FederatedStatus {
  readonly source: string;
  readonly mirror: string;
  readonly members: readonly string[];
  /** Members, and Services that ask to be members and are not. */
  readonly wanted: number;
}

/** One screen about a mesh. Pure. */
export function statusOf(facts: Facts): Status {
  const { stack, readAt, unreadState, clusters, links, next, health } = facts;
  const refusals = [
    ...next.flatMap((each) => each.refusals),
    ...links.flatMap(({ undecided }) => undecided ?? []),
  ];
  const errors = health.groups.flatMap(({ kind, name, checks }) =>
    checks
      .flatMap(({ findings }) => findings)
      .filter(({ severity, sentence }) => severity !== "warning" && !refusals.includes(sentence))
      // Those of clusters name them.
      .map(({ sentence }) => (kind === "link" ? `${name}: ${sentence}` : sentence)),
  );
  const unknown = next.flatMap((each) => each.unknown ?? []);
  const problems = [...new Set([...refusals, ...unknown, ...errors])];
  const isQuiet = next.every(({ writes }) => !writes);
  return {
    stack,
    readAt,
    ...defined({ unreadState }),
    inOrder: health.healthy && isQuiet && problems.length === 0,
    links: linksOf(facts),
    clusters,
    federated: federatedOf(facts),
    next: next.flatMap(({ lines, writes, source }) => {
      if (lines.length > 0) return lines;
      return writes ? [`${source}: marks or the status of Links`] : [];
    }),
    problems,
  };
}

function linksOf({ links, mirrors, notMirrored }: Facts): LinkLine[] {
  const ofPart = Map.groupBy(mirrors, ({ source, part }) => `${source}/${part}`);
  const skips = Map.groupBy(notMirrored, ({ source, part }) => `${source}/${part}`);
  return links.map(({ selectors, ...link }) => {
    const { source, target } = link;
    const own = ofPart.get(`${source}/${target}`) ?? [];
    const skipped = skips.get(`${source}/${target}`) ?? [];
    const reasons = Map.groupBy(skipped, ({ reason }) => reason);
    return {
      ...link,
      mirrors: own.filter(({ verdict }) => verdict !== "delete" && verdict !== "handOver").length,
      pending: own.filter(({ verdict }) => verdict !== "keep" && verdict !== "handOver").length,
      notMirrored: skipped.length,
      reasons: Object.fromEntries([...reasons].map(([reason, { length }]) => [reason, length])),
    };
  });
}

function federatedOf({ mirrors, notMirrored }: Facts): FederatedStatus[] {
  const left = Map.groupBy(
    notMirrored.filter(({ part }) => part === federatedPart),
    ({ source, service }) => `${source}/${service}`,
  );
  return mirrors
    .filter(({ part, verdict }) => part === federatedPart && verdict !== "delete")
    .map(({ source, mirror, members = [], service = "" }) => {
      const without = left.get(`${source}/${service}`) ?? [];
      return { source, mirror, members, wanted: members.length + without.length };
    });
}

/** Lines of lists that a screen has room for. */
const most = 10;

/** The screen itself. */
export function statusTable(status: Status): string {
  const { readAt, links, clusters, federated, next, problems } = status;
  const gaps = links.filter(({ notMirrored }) => notMirrored > 0);
  const incomplete = federated.filter(({ members, wanted }) => members.length < wanted);
  return [
    `${headline(status)}\n`,
    columns(
      ["  LINK", "MODE", "MIRRORS", "TO DO", "NOT MIRRORED", "GATEWAY"],
      links.map((link) => [
        `${linkMark(link)} ${link.source} <- ${link.target}`,
        link.mode,
        link.mirroring === "controller" ? "Linkerd's" : String(link.mirrors),
        link.isDecided ? String(link.pending) : "?",
        String(link.notMirrored),
        gatewayText(link.gateway),
      ]),
    ),
    columns(
      ["  CLUSTER", "STATE", "LINKERD", "ANCHORS", "ISSUER"],
      clusters.map((each) => [
        `${mark(each.reachable ? "good" : "bad")} ${each.name}`,
        each.reachable ? "read" : "can't be read",
        each.linkerd ?? "-",
        each.anchors === undefined
          ? "-"
          : `${each.anchors.length}, ${leftOf(each.anchors, readAt)} left`,
        each.issuer === undefined ? "-" : `${leftOf([each.issuer], readAt)} left`,
      ]),
    ),
    section(
      `Federated Services: ${federated.length}, ${incomplete.length} without some of their members`,
      incomplete.map(({ source, mirror, members, wanted }) => {
        const count = `${members.length} of ${wanted} (${members.join(", ")})`;
        return `${mark("warn")} ${source}/${mirror}: ${count}`;
      }),
      federated.length > 0,
    ),
    section(
      'Not mirrored ("explain SERVICE" says why)',
      gaps.map(({ source, target, reasons }) => {
        const counts = Object.entries(reasons).map(([reason, n]) => `${n} ${reason}`);
        return `${mark("warn")} ${source} <- ${target}: ${counts.join(", ")}`;
      }),
    ),
    section(
      'To mend ("check" has all findings)',
      problems.map((problem) => `${mark("bad")} ${problem}`),
    ),
    section("The next up", next.length > 0 ? next : ["has nothing to do about mirrors"]),
  ]
    .filter((text) => text !== "")
    .join("\n");
}

function headline({ stack, inOrder, unreadState }: Status): string {
  const word = inOrder ? paint("good", "in order") : paint("bad", "not in order");
  const unread = unreadState === undefined ? "" : `; can't read the stack's state (${unreadState})`;
  return `${paint("head", stack === "" ? "mesh" : stack)}: ${word}${unread}`;
}

function section(title: string, lines: readonly string[], isShown = lines.length > 0): string {
  if (!isShown) return "";
  const shown = firstOf(lines, most).map((line) => `  ${line}\n`);
  return [`${paint("head", title)}\n`, ...shown].join("");
}

function linkMark({ gateway, pending, notMirrored, isDecided, mirroring }: LinkLine): string {
  if (mirroring === "controller") return mark("dim");
  if (gateway?.state === "down" || gateway?.state === "unknown") return mark("bad");
  if (!isDecided) return mark("bad");
  return mark(pending > 0 || notMirrored > 0 ? "warn" : "good");
}

function gatewayText(gateway: GatewayState | undefined): string {
  if (gateway === undefined) return "-";
  const { state, addresses = [], port } = gateway;
  const where = addresses.length === 0 ? "" : ` ${addresses.join(",")}:${port ?? "?"}`;
  // Of one that is not probed it is not known whether it answers.
  return `${state === "open" ? "not probed" : state}${where}`;
}

/** Until the first of them expires. */
function leftOf(certificates: readonly CertificateFact[], now: string): string {
  const [first] = certificates.map(({ expiresAt }) => expiresAt).sort();
  return first === undefined ? "?" : age(now, first);
}
