import { defined } from "@linkerd-multicluster/engine/kubernetes";
import { type Inputs, kindOfLine, linkOf } from "@linkerd-multicluster/engine/mirroring";
import type { Facts, GatewayState, LinkFact, MirrorFact, NotMirrored } from "./facts.ts";
import { linkBasics } from "./facts-of-clusters.ts";

/** What is known beside the mirrors of each source. */
export interface BesideState extends Pick<Facts, "stack" | "runs"> {
  readonly now: Date;
  /** When the token of each link was made, by `source/target`. */
  readonly tokens: ReadonlyMap<string, string>;
}

/** The facts that a stack's last run has left: what its previews have said, and no more. Pure. */
export function factsOfState(
  sources: readonly Inputs[],
  { now, stack, runs, tokens }: BesideState,
): Facts {
  const contexts = new Map(
    sources.flatMap(({ clusters }) =>
      Object.entries(clusters).map(([name, { context }]) => [name, context] as const),
    ),
  );
  const uids = Object.fromEntries(
    sources.flatMap(({ identities = {} }) => Object.entries(identities)),
  );
  return {
    ...{ version: 1, readAt: now.toISOString(), from: "state", stack, runs },
    clusters: [...contexts].map(([name, context]) => {
      return { name, context, ...defined({ uid: uids[name] }) };
    }),
    links: sources.flatMap((inputs) => linksOf(inputs, tokens)),
    mirrors: sources.flatMap(linesOf).map(mirrorOf),
    notMirrored: sources.flatMap(notMirroredOf),
    services: [],
    next: sources.map(({ source, refused = {} }) => ({
      ...{ source, writes: false, lines: [], refusals: Object.values(refused) },
      unknown: "no cluster was asked (--state)",
    })),
  };
}

function linksOf(inputs: Inputs, tokens: ReadonlyMap<string, string>): LinkFact[] {
  const { source, links, controllerLinks = [], unreachable = [] } = inputs;
  const own = links.map((settings): LinkFact => {
    const link = linkOf(settings);
    const { target } = link;
    return {
      ...linkBasics(link, "pulumi"),
      ...(link.gateway !== false && { gateway: gatewayOf(inputs, target) }),
      ...defined({ tokenSince: tokens.get(`${source}/${target}`) }),
      isDecided: !unreachable.includes(target) && !unreachable.includes(source),
    };
  });
  const selectors = { mirror: "", discovery: "", federated: "" };
  return [
    ...own,
    ...controllerLinks.map((target): LinkFact => {
      const link = { source, target, selectors, mode: "gateway", isDecided: false } as const;
      return { ...link, mirroring: "controller" };
    }),
  ];
}

function gatewayOf({ gateways = {} }: Inputs, target: string): GatewayState {
  const fact = gateways[target];
  if (fact === undefined) return { state: "unknown", why: "the last run did not find it" };
  const { addresses, port, identity } = fact;
  return { state: "open", addresses: addresses.split(", "), port, identity };
}

/** The lines by which previews know the mirrors of a source; none of what they do not know yet. */
export function linesOf({ source, mirrors }: Inputs) {
  return Object.entries(typeof mirrors === "string" ? {} : mirrors).flatMap(([part, lines]) =>
    Object.entries(typeof lines === "string" ? {} : lines).map(([mirror, line]) => {
      return { source, part, mirror, line };
    }),
  );
}

/** Of a line that previews print: what it is of, and its ports (report/describe.ts of the engine). */
function mirrorOf(about: Pick<MirrorFact, "source" | "part" | "mirror" | "line">): MirrorFact {
  const { mirror, line } = about;
  const kind = kindOfLine(line);
  const [head = "", rest = ""] = line.split(": ", 2);
  const of = / of (.+)$/.exec(head)?.[1] ?? "";
  const ports = rest.replace(/, (?:\d+ pods?|no endpoints)$/, "");
  const namespace = mirror.slice(0, mirror.indexOf("/"));
  const common = { ...about, kind, verdict: "keep" as const, ports };
  if (of === "") return common;
  if (kind === "federated") {
    const members = of.split(", ");
    const [name = ""] = (members[0] ?? "").replace(/^local /, "").split("@");
    return { ...common, members, service: `${namespace}/${name}` };
  }
  const [pod = "", name = ""] = kind === "endpoint" ? of.split(".") : ["", of];
  return { ...common, service: `${namespace}/${name}`, ...(pod !== "" && { pod }) };
}

/** Subjects and sentences, as `report/parts.ts` and `report/skips.ts` of the engine write them. */
function notMirroredOf({ source, notMirrored = {} }: Inputs): NotMirrored[] {
  return Object.entries(notMirrored).flatMap(([part, lines]) =>
    Object.entries(lines).map(([subject, line]) => {
      const [, service = subject, pod, cluster] =
        /^(\S+)(?: pod (\S+))?(?: of (\S+))?$/.exec(subject) ?? [];
      const [reason = "", ...sentence] = line.split(": ");
      return {
        ...{ source, part, service, reason, sentence: sentence.join(": ") },
        ...defined({ pod, cluster }),
      };
    }),
  );
}
