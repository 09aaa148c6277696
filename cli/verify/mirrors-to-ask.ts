import { omitUndefined } from "@linkerd-multicluster/engine/base";
import { federatedPart, kinds, type PortProtocol } from "@linkerd-multicluster/engine/mirroring";
import type { Facts, MirrorFact } from "../facts/facts.ts";

export interface Asked {
  readonly source: string;
  readonly part: string;
  readonly mirror?: MirrorFact;
  /** The mirror has no TCP port if there is none. */
  readonly port?: number;
  readonly protocol?: PortProtocol;
  /** The request goes the mirror's way, but for a name that its target doesn't export. */
  readonly mustBeRefused?: true;
  readonly undecided?: string;
}

interface Choice {
  /** Chooses all mirrors of this Service, or this mirror. */
  readonly service?: string;
  /** Chooses a mirror of each kind and protocol, where otherwise one of all would do. */
  readonly all?: boolean;
}

/**
 * Chooses of each link one whole Service and one single pod, and of each source one federated Service. A headless mirror is
 * asked through its pods. A closed gateway is also asked for what it has to refuse.
 */
export function mirrorsToAsk({ links, mirrors }: Facts, { service, all = false }: Choice): Asked[] {
  const there = mirrors.filter(
    ({ kind, verdict }) => kind !== "headless" && (verdict === "keep" || verdict === "update"),
  );
  if (service !== undefined)
    return there
      .filter((each) => each.service === service || each.mirror === service)
      .flatMap((mirror) => (all ? oneOfEach([mirror]) : [asked(mirror)]));
  const chosen = (own: readonly MirrorFact[]): Asked[] => {
    const ofPods = Map.groupBy(own, ({ kind }) => kinds[kind].isOfPod);
    const first = [false, true].flatMap((isOfPod) => ofPods.get(isOfPod)?.slice(0, 1) ?? []);
    return all ? oneOfEach(own) : first.map((mirror) => asked(mirror));
  };
  const ofLinks = links.flatMap(({ source, target: part, closed, undecided }) => {
    const own = there.filter((each) => each.source === source && each.part === part);
    const refused = closed ? own.find(({ kind }) => kind === "gateway") : undefined;
    const found = [
      ...chosen(own),
      ...(refused === undefined ? [] : [{ ...asked(refused), mustBeRefused: true as const }]),
    ];
    return found.length > 0 ? found : [{ source, part, ...omitUndefined({ undecided }) }];
  });
  const federated = there.filter(({ part }) => part === federatedPart);
  const bySource = Map.groupBy(federated, ({ source }) => source);
  return [...ofLinks, ...[...bySource.values()].flatMap(chosen)];
}

function oneOfEach(mirrors: readonly MirrorFact[]): Asked[] {
  const all = mirrors.flatMap((mirror) => {
    const protocols = Object.keys(mirror.protocols ?? {}) as PortProtocol[];
    return protocols.map((protocol) => asked(mirror, protocol));
  });
  const grouped = Map.groupBy(all, ({ mirror, protocol }) => `${mirror.kind} ${protocol ?? ""}`);
  return [...grouped.values()].flatMap((own) => own.slice(0, 1));
}

/** @param protocol is by default that of the first TCP port */
function asked(mirror: MirrorFact, protocol = firstOf(mirror)): Asked & { mirror: MirrorFact } {
  const { source, part, protocols = {} } = mirror;
  const port = protocol && protocols[protocol];
  return { source, part, mirror, ...omitUndefined({ port, protocol }) };
}

function firstOf({ protocols = {} }: MirrorFact): PortProtocol | undefined {
  const [first] = Object.keys(protocols) as PortProtocol[];
  return first;
}
