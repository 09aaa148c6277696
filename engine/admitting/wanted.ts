import { listed } from "../base/message.ts";
import {
  isHeadless,
  keyOf,
  objectKey,
  type ObjectKey,
  type Service,
} from "../kubernetes/objects/objects.ts";
import { notListed, omittedPorts, withoutPorts } from "../mirroring/decide/policies/exports.ts";
import { firstBroken, rules } from "../mirroring/decide/policies/rules.ts";
import type { LinkSpec } from "../model/link.ts";
import type { Reason } from "../model/reasons.ts";
import { exportMode } from "../model/selection.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import { protocolOf } from "../model/protocols.ts";
import { remoteName } from "../model/vocabulary.ts";
import type { GateArgs } from "./args.ts";

/** The sorted identities that a gateway admits to a hostname. */
export type Admissions = ReadonlyMap<string, readonly string[]>;

export interface Wanted {
  readonly admissions: Admissions;
  /** The clusters that may import a Service through the gateway, by Service. */
  readonly importers: ReadonlyMap<ObjectKey, readonly string[]>;
  readonly problems: readonly string[];
  /** Nothing is known of these, which were not read, so they keep what they have. */
  readonly unsure: ReadonlySet<ObjectKey>;
}

/** The other rules depend on the source, where a mirror may appear at any time. */
const ofTheTarget: ReadonlySet<Reason> = new Set([
  "ExcludedNamespace",
  "IsMirror",
  "NotListed",
  "ExternalName",
  "InvalidExport",
]);
const exportRules = rules.filter(({ reason }) => ofTheTarget.has(reason));

/** Says whom a closed gateway must admit to which hostnames. Pure. */
export function wantedAdmissions(
  target: Pick<ClusterSnapshot, "cluster" | "services">,
  args: Pick<GateArgs, "links" | "clients" | "alike">,
): Wanted {
  const admissions = new Map<string, readonly string[]>();
  const importers = new Map<ObjectKey, readonly string[]>();
  const problems: string[] = [];
  const unsure = new Set<ObjectKey>();
  for (const service of target.services.values()) {
    const key = keyOf(service);
    const links = args.links.filter((link) => mayImport(service, link));
    const [first] = links;
    if (service.metadata.isHead === true) unsure.add(key);
    if (first === undefined || service.metadata.isHead === true) continue;
    const sources = links.map(({ source }) => source).sort();
    const beyond = clustersBeyond(service, links, args.alike);
    if (beyond.length > 0) {
      problems.push(
        `${target.cluster}/${key} may be imported by ${listed(sources)}, and clients of ${listed(beyond)} have the same identities, so the closed gateway of ${target.cluster} can't refuse them and admits nobody new to the Service: list ${listed(beyond)} too, or give the clusters trust domains of their own (trustDomain), or name the ServiceAccounts of clients (gatewayClients)`,
      );
      continue;
    }
    const opaque = opaquePorts(withoutPorts(service, omittedPorts(service)));
    if (opaque.length > 0)
      problems.push(
        `the closed gateway of ${target.cluster} refuses all requests to port ${listed(opaque)} of ${target.cluster}/${key}, which is opaque, because only HTTP names the Service: leave the port out (annotation linkerd-multicluster/ports), or reach the Service on a flat network`,
      );
    importers.set(key, sources);
    const identities = unique(sources.flatMap((source) => args.clients[source] ?? []));
    // Without clients (`gatewayClients: []`), there is nobody to admit, and Linkerd takes no empty list.
    if (identities.length === 0) continue;
    for (const host of hostsOf(service, first)) admissions.set(host, identities);
  }
  return { admissions, importers, problems, unsure };
}

function mayImport(service: Service, link: LinkSpec): boolean {
  const { name, namespace: place } = service.metadata;
  return (
    exportMode(service, link) === "gateway" &&
    firstBroken(exportRules, {
      service,
      cluster: link.target,
      name,
      link,
      place,
      namespace: undefined,
    }) === undefined
  );
}

/** Returns the clusters that the Service refuses, although nobody can tell their clients from admitted ones. */
function clustersBeyond(
  service: Service,
  links: readonly LinkSpec[],
  alike: GateArgs["alike"],
): readonly string[] {
  const admitted = new Set(links.map(({ source }) => source));
  const others = links.flatMap((link) =>
    (alike[link.source] ?? []).filter(
      (source) => !admitted.has(source) && notListed(service, { ...link, source }) !== undefined,
    ),
  );
  return unique(others);
}

/** All pods of a headless Service are exported with it, so one name stands for them. */
function hostsOf(service: Service, { targetDomain }: LinkSpec): readonly string[] {
  const { name, namespace } = service.metadata;
  const host = remoteName([name], namespace, targetDomain);
  return isHeadless(service) ? [host, `*.${host}`] : [host];
}

export function serviceOf(host: string): ObjectKey {
  const [name = "", namespace = ""] = host.replace(/^\*\./, "").split(".");
  return objectKey(namespace, name);
}

function opaquePorts({ metadata, spec }: Service): readonly string[] {
  return (spec.ports ?? [])
    .filter((each) => protocolOf(each, metadata.annotations) === "opaque")
    .map(({ port }) => String(port));
}

export function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort();
}
