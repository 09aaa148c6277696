import { omitUndefined } from "@linkerd-multicluster/engine/base";
import { kubectlIn, objectKey } from "@linkerd-multicluster/engine/kubernetes";
import {
  federatedKey,
  mirrorPlace,
  isPending,
  kinds,
} from "@linkerd-multicluster/engine/mirroring";
import { nearest } from "../../config/read/mistakes.ts";
import { backendsOf, type Facts, type LinkFact } from "../facts/facts.ts";
import type { MirrorFact, NotMirrored, ServiceFact } from "../facts/facts.ts";
import { restrictionOn } from "./restriction.ts";

/** `linkerd-clusters explain SERVICE --output json` prints what was decided about one Service in every cluster. */
export interface Explanation {
  readonly version: 1;
  readonly asked: string;
  /** The list has every Service with that name, or whose mirror has it. */
  readonly services: readonly ExplainedService[];
  /** A similar name, if none matches. */
  readonly near?: string;
  /** Says why clusters that may have it can't be read. */
  readonly unread?: readonly string[];
}

export interface ExplainedService {
  readonly cluster: string;
  readonly service: string;
  /** The live Service; absent if the cluster can't be read or no longer has the Service. */
  readonly live?: ServiceFact;
  /** Routes and federated Services leave its cluster out. */
  readonly drained?: true;
  /** Says which clusters may import it, and which ports, if its annotations restrict that. */
  readonly restriction?: string;
  /** Each cluster in which it may be mirrored has an entry. */
  readonly appearsIn: readonly Appearance[];
}

export interface Appearance {
  readonly source: string;
  /** With `pending`, the next `up` changes its mirror. */
  readonly state:
    "mirrored" | "pending" | "notMirrored" | "notSelected" | "controller" | "noLink" | "unknown";
  readonly why?: string;
  /** This is a command, or a line for the link's config, to copy. */
  readonly fix?: string;
  /** This selector of the link matches it. */
  readonly selector?: string;
  readonly mirrors: readonly ExplainedMirror[];
  readonly notMirrored: readonly NotMirrored[];
}

export interface ExplainedMirror extends MirrorFact {
  /** DNS names for clients in the source. */
  readonly names: readonly string[];
  /** Others have to provide this, or requests to the mirror fail. */
  readonly needs?: string;
}

/**
 * Takes `namespace/name` of a Service, of a mirror, or of one that a link would make; or a name in any namespace. Like
 * clients and kubectl, it also takes `web.shop.svc` and, unless a namespace is called so, `svc/web`.
 */
export function explain(facts: Facts, asked: string): Explanation {
  const key = asked
    // Other commands print the cluster, too.
    .replace(/^[^/]+\/([^/]+\/[^/]+)$/, "$1")
    .replace(/^([^./]+)\.([^./]+)(\.svc(\..*)?)?$/, "$2/$1");
  const found = explained(facts, key);
  const isFound = found.services.length > 0 || !/^(svc|services?)\/./.test(key);
  return { ...(isFound ? found : explained(facts, key.slice(key.indexOf("/") + 1))), asked };
}

function explained(facts: Facts, asked: string): Omit<Explanation, "asked"> {
  const isMeant = asked.includes("/")
    ? (key: string | undefined) => key === asked
    : (key: string | undefined) => key?.slice(key.indexOf("/") + 1) === asked;
  const meant = new Map<string, { readonly cluster: string; readonly service: string }>();
  const add = (cluster: string, service: string | undefined) => {
    if (service !== undefined) meant.set(`${cluster}/${service}`, { cluster, service });
  };
  const namings = Map.groupBy(facts.links, ({ target }) => target);
  for (const { cluster, service } of facts.services) {
    const [namespace = "", name = ""] = service.split("/");
    const key = objectKey(namespace, name);
    const possible = (namings.get(cluster) ?? []).flatMap(({ naming }) =>
      naming === undefined ? [] : mirrorPlace(key, naming),
    );
    if ([key, federatedKey(key), ...possible].some(isMeant)) add(cluster, service);
  }
  for (const mirror of facts.mirrors)
    if (isMeant(mirror.mirror) || isMeant(mirror.service))
      for (const { cluster } of backendsOf(mirror)) add(cluster, mirror.service);
  for (const each of facts.notMirrored)
    if (isMeant(each.service) || isMeant(each.mirror)) add(each.cluster ?? each.part, each.service);
  const services = [...meant.values()].map((each) => explainService(facts, each));
  const known = [...facts.services, ...facts.mirrors, ...facts.notMirrored].flatMap(
    ({ service = "" }) => (asked.includes("/") ? service : service.split("/").slice(1)),
  );
  const near = services.length > 0 ? undefined : nearest(asked, [...new Set(known)]);
  const unread = facts.clusters.flatMap(({ name, why }) =>
    why === undefined ? [] : [`cluster ${name} can't be read: ${why}`],
  );
  return {
    version: 1,
    services,
    ...omitUndefined({ near }),
    ...(unread.length > 0 && { unread }),
  };
}

function explainService(
  facts: Facts,
  { cluster, service }: Pick<ExplainedService, "cluster" | "service">,
): ExplainedService {
  const live = facts.services.find((each) => each.cluster === cluster && each.service === service);
  const mirrors = facts.mirrors.filter(
    (each) =>
      each.service === service && backendsOf(each).some((backend) => backend.cluster === cluster),
  );
  const skips = facts.notMirrored.filter(
    (each) => each.service === service && (each.cluster ?? each.part) === cluster,
  );
  const appearsIn = facts.clusters.flatMap(({ name: source }) => {
    const found = mirrors.filter((each) => each.source === source);
    // A Service appears in its own cluster only as a member of a federated Service.
    if (source === cluster && found.length === 0) return [];
    const notMirrored = skips.filter((each) => each.source === source);
    return appearance(facts, { source, cluster, service, mirrors: found, notMirrored });
  });
  const restriction = live && restrictionOn(live, facts);
  const drained = facts.clusters.find(({ name }) => name === cluster)?.drained;
  return { cluster, service, ...omitUndefined({ live, drained, restriction }), appearsIn };
}

interface Found {
  readonly source: string;
  readonly cluster: string;
  readonly service: string;
  readonly mirrors: readonly MirrorFact[];
  readonly notMirrored: readonly NotMirrored[];
}

function appearance(facts: Facts, found: Found): Appearance {
  const { source, cluster, mirrors, notMirrored } = found;
  const link = facts.links.find((each) => each.source === source && each.target === cluster);
  // The headless mirror comes before those of its pods.
  const sorted = mirrors.toSorted(
    (a, b) => Number(a.pod !== undefined) - Number(b.pod !== undefined),
  );
  const here = {
    source,
    notMirrored,
    mirrors: sorted.map((each) => ({ ...each, names: namesOf(each), ...needsOf(each, link) })),
  };
  const [first] = mirrors;
  const [skip, ...rest] = notMirrored;
  const isGoing = mirrors.every(
    (each) => each.verdict === "delete" && each.undecided === undefined,
  );
  if (first !== undefined && !isGoing) {
    const isDue = mirrors.some(isPending);
    const why = mirrors.flatMap(({ undecided }) => undecided ?? [])[0];
    const selector = link?.selectors[kinds[first.kind].selector] ?? "";
    return {
      ...here,
      ...omitUndefined({ why }),
      state: why !== undefined ? "unknown" : isDue ? "pending" : "mirrored",
      ...(isDue && why === undefined && { fix: "pulumi up" }),
      ...(selector !== "" && { selector }),
    };
  }
  const none = (state: Appearance["state"], why: string, fix?: string): Appearance => {
    if (first === undefined) return { ...here, state, why, ...omitUndefined({ fix }) };
    const lost = `the next pulumi up deletes its mirror, because ${why}`;
    return { ...here, state, why: lost, ...omitUndefined({ fix }), notMirrored: rest };
  };
  if (skip !== undefined) return none("notMirrored", `${skip.reason}: ${skip.sentence}`, skip.fix);
  if (link === undefined)
    return none("noLink", `no link from ${source} to ${cluster} in this stack`);
  if (link.mirroring === "controller")
    return none("controller", "the link has mirroring: controller");
  if (link.undecided !== undefined) return none("unknown", link.undecided);
  const { service } = found;
  // Where clusters share a trust domain, who imports it from elsewhere may be anyone.
  const isExported = facts.mirrors.some((mirror) =>
    backendsOf(mirror).some((each) => each.cluster === cluster && mirror.service === service),
  );
  const refused =
    link.closed === true && !isExported ? `refused at ${cluster}'s gateway: not exported; ` : "";
  return none("notSelected", refused + notSelected(link), labelling(link, facts, found));
}

function needsOf({ kind }: MirrorFact, link: LinkFact | undefined): Pick<ExplainedMirror, "needs"> {
  if (link?.credentialsByOthers !== true || kinds[kind].selector === "mirror") return {};
  const { source, target } = link;
  return {
    needs: `credentials of Linkerd in ${source} for ${target}, which others provide (manage: mirrors): linkerd-clusters check looks for them`,
  };
}

const choices = new Intl.ListFormat("en-GB", { type: "disjunction" });

function notSelected({ selectors }: LinkFact): string {
  const { mirror, discovery, federated } = selectors;
  const ways = [
    [mirror, "gateway mirror"],
    [discovery, "pod to pod"],
    [federated, "federated"],
  ].flatMap(([selector, how]) => (selector === "" ? [] : [`${selector} (${how})`]));
  return `no link selector matches. Label it ${choices.format(ways)}`;
}

/** Returns the command that exports a Service, if the label of the link's first selector alone does. */
function labelling(
  { selectors }: LinkFact,
  { clusters }: Facts,
  { cluster, service }: Found,
): string | undefined {
  // Every cluster's API server has this name: nobody wants another's under it.
  if (service === "default/kubernetes") return undefined;
  const [first = ""] = Object.values(selectors).filter((selector) => selector !== "");
  if (!/^[^\s,=!()]+=[^\s,=!()]+$/.test(first)) return undefined;
  const { context = cluster } = clusters.find(({ name }) => name === cluster) ?? {};
  const [namespace = "", name = ""] = service.split("/");
  return `${kubectlIn(context)} --namespace ${namespace} label --overwrite service ${name} ${first}`;
}

function namesOf({ mirror, kind, pod, endpoints }: MirrorFact): string[] {
  const [namespace = "", name = ""] = mirror.split("/");
  const own = `${name}.${namespace}.svc`;
  if (kind !== "headless") return [own];
  const pods = (endpoints?.ready ?? []).flatMap((each) => {
    const [host = "", ip] = each.split("=");
    return ip === undefined ? [] : [`${host}.${own}`];
  });
  return pod === undefined ? [own, ...pods] : [own];
}

/** A Service counts as explained if it was found and nothing about it is undecided. */
export function isExplained({ services }: Explanation): boolean {
  return (
    services.length > 0 &&
    services.every(({ appearsIn }) => appearsIn.every(({ state }) => state !== "unknown"))
  );
}
