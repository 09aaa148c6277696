import type { CheckResult } from "@linkerd-multicluster/engine/health";
import { type Appearance, explain } from "./explain.ts";
import type { Facts, LinkFact, ServiceFact } from "./facts.ts";
import { mark, paint, type Tone } from "./output.ts";
import { type Admission, type Asked, askedKey } from "./policies.ts";

/** `linkerd-clusters verify --dry --output json`: the way of a request, object by object. */
export interface Verification {
  readonly version: 1;
  readonly chains: readonly Chain[];
}

/** From a client in the source to the pods of one Service. */
export interface Chain {
  readonly source: string;
  readonly target: string;
  readonly service: string;
  readonly hops: readonly Hop[];
  /** The first hop that is broken: all after it is of no use before it is mended. */
  readonly broken?: HopName;
}

export type HopName =
  "export" | "mirror" | "pods" | "gateway" | "trust" | "rights" | "policies" | "clients";

/** `unknown`: nobody has looked, so that the chain is no proof of it. */
export interface Hop {
  readonly name: HopName;
  readonly state: "fine" | "doubtful" | "broken" | "unknown";
  readonly says: string;
}

/**
 * Follows a request by what has been read and decided, without sending one. Pure.
 *
 * @param asked as `explain` takes it; absent: the first mirror of each link
 * @param policies what they come to, where they were read (askedKey)
 */
export function verify(
  facts: Facts,
  asked: string | undefined,
  policies: ReadonlyMap<string, Admission> = new Map(),
): Verification {
  const chains = endsOf(facts, asked).map((ends): Chain => {
    const { link, service } = ends;
    const hops = hopsOf(facts, ends, policies.get(askedKey(leadingTo(ends))));
    const broken = hops.find(({ state }) => state === "broken");
    return {
      ...{ source: link.source, target: link.target, service, hops },
      ...(broken !== undefined && { broken: broken.name }),
    };
  });
  return { version: 1, chains };
}

/** What policies are to be read for. */
export function leadsTo(facts: Facts, asked: string | undefined): Asked[] {
  return endsOf(facts, asked).map(leadingTo);
}

function leadingTo({ link: { target, mode, gateway }, service }: ChainEnds): Asked {
  const identity = mode === "gateway" ? (gateway?.identity ?? "") : undefined;
  return { cluster: target, service, identity };
}

function endsOf(facts: Facts, asked: string | undefined): readonly ChainEnds[] {
  return facts.links.flatMap((link): readonly ChainEnds[] => {
    const { source, target } = link;
    const first = facts.mirrors.find((each) => each.source === source && each.part === target);
    const names = asked === undefined ? [first?.service] : [asked];
    return names.flatMap((name) => {
      if (name === undefined) return [];
      return explain(facts, name).services.flatMap(({ cluster, service, live, appearsIn }) => {
        const place = appearsIn.find((each) => each.source === source);
        return cluster === target && place !== undefined ? [{ link, service, live, place }] : [];
      });
    });
  });
}

interface ChainEnds {
  readonly link: LinkFact;
  readonly service: string;
  readonly live: ServiceFact | undefined;
  readonly place: Appearance;
}

function hopsOf(
  facts: Facts,
  { link, service, live, place }: ChainEnds,
  policies: Admission | undefined,
): Hop[] {
  const { source, target } = link;
  const ofLink = checksOf(facts, "link", `${source}/${target}`);
  const ofBoth = [source, target].flatMap((name) => checksOf(facts, "cluster", name));
  const ofSource = checksOf(facts, "cluster", source);
  return [
    exportHop(target, service, place),
    mirrorHop(source, place),
    podsHop(target, service, live),
    checked("gateway", ofLink, ["gateway", "gateway-alive"], gatewayText(link)),
    checked(
      "trust",
      [...ofBoth, ...ofLink],
      [
        ...["trust-anchors-valid", "issuer-valid", "trust-anchors-shared", "issuers-trusted"],
        "trust-domains-shared",
      ],
      "both clusters trust each other's issuers",
    ),
    checked(
      "rights",
      ofLink,
      ["link-resource", "credentials-exist", "credentials-work"],
      "the credentials exist, work, and are allowed what Linkerd asks for",
    ),
    {
      name: "policies",
      ...(policies ?? { state: "unknown", says: `the policies of ${target} were not read` }),
    },
    checked("clients", ofSource, ["clients-meshed"], "pods beside mirrors have Linkerd's proxy"),
  ];
}

function exportHop(target: string, service: string, place: Appearance): Hop {
  const { state, selector, why } = place;
  const name = "export";
  if (selector !== undefined)
    return { name, state: "fine", says: `${target}/${service} is taken by ${selector}` };
  const isFine = state === "mirrored" || state === "pending";
  const doubt = state === "unknown" || state === "controller" ? "unknown" : "broken";
  return { name, state: isFine ? "fine" : doubt, says: why ?? `${target}/${service} is exported` };
}

function mirrorHop(source: string, { mirrors, notMirrored }: Appearance): Hop {
  const name = "mirror";
  const wrong = mirrors.find(({ verdict }) => verdict !== "keep" && verdict !== "handOver");
  const [first] = mirrors;
  if (first === undefined) return { name, state: "unknown", says: "there is none to look at" };
  if (wrong !== undefined) {
    const { mirror, verdict, fields = [verdict] } = wrong;
    const how = verdict === "create" ? "is missing" : `must change (${fields.join("; ")})`;
    return { name, state: "broken", says: `${source}/${mirror} ${how}: run pulumi up` };
  }
  // Where Linkerd resolves the pods itself, there are to be none.
  const empty = mirrors.find(({ endpoints, kind }) => {
    return endpoints?.ready.length === 0 && kind !== "federated" && kind !== "discovery";
  });
  if (empty !== undefined)
    return { name, state: "broken", says: `${source}/${empty.mirror} leads nowhere` };
  const [left] = notMirrored;
  if (left !== undefined) return { name, state: "doubtful", says: left.sentence };
  return { name, state: "fine", says: `${source}/${first.mirror} is as it should be` };
}

function podsHop(target: string, service: string, live: ServiceFact | undefined): Hop {
  const name = "pods";
  if (live === undefined) return { name, state: "unknown", says: `${target} was not asked` };
  const { ready = 0, ports } = live;
  return ready > 0
    ? { name, state: "fine", says: `${ready} of ${target}/${service} are ready, at ${ports}` }
    : { name, state: "broken", says: `${target}/${service} has no pod that is ready: start one` };
}

function gatewayText({ gateway }: LinkFact): string {
  if (gateway === undefined) return "none is needed on a flat network";
  const { state, addresses = [], port } = gateway;
  const where = `${addresses.join(", ")}:${port ?? "?"}`;
  return state === "open" ? `${where}, which is not probed` : `${where}, which is ${state}`;
}

function checksOf({ health }: Facts, kind: "cluster" | "link", name: string) {
  return health.groups
    .filter((group) => group.kind === kind && group.name === name)
    .flatMap(({ checks }) => checks);
}

/** What some checks have come to, all together. */
function checked(
  name: HopName,
  results: readonly CheckResult[],
  ids: readonly string[],
  fine: string,
): Hop {
  const own = results.filter(({ id }) => ids.includes(id));
  const worst = (["error", "warning"] as const).flatMap((wanted) =>
    own.filter(({ result }) => result === wanted),
  );
  const [first] = worst;
  if (first !== undefined)
    return {
      ...{ name, state: first.result === "error" ? "broken" : "doubtful" },
      says: first.findings.map(({ sentence }) => sentence).join("; "),
    };
  const answered = own.some(({ result }) => result === "ok");
  const why = own.flatMap((each) => each.why ?? [])[0] ?? "no check has looked";
  return answered ? { name, state: "fine", says: fine } : { name, state: "unknown", says: why };
}

const tones: Readonly<Record<Hop["state"], Exclude<Tone, "head">>> = {
  ...{ fine: "good", doubtful: "warn", broken: "bad", unknown: "dim" },
};

export function verificationText({ chains }: Verification): string {
  if (chains.length === 0) return "There is no link with a mirror to follow.\n";
  return chains.map(chainText).join("\n");
}

function chainText({ source, target, service, hops, broken }: Chain): string {
  const doubts = hops.filter(({ state }) => state === "unknown").map(({ name }) => name);
  const end =
    broken !== undefined
      ? paint("bad", `breaks at: ${broken}`)
      : `${paint("good", "no hop is broken")}${doubts.length === 0 ? "" : `; not looked at: ${doubts.join(", ")}`}`;
  return [
    paint("head", `${source} <- ${target}: ${service}`),
    ...hops.map(({ name, state, says }) => `  ${mark(tones[state])} ${name.padEnd(8)}  ${says}`),
    `  ${end}`,
    "",
  ].join("\n");
}
