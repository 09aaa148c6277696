import {
  isHeadless,
  type Namespace,
  namespaceOf,
  type ObjectKey,
  type ObjectMeta,
  type Service,
} from "../../../kubernetes/objects/objects.ts";
import { omitUndefined } from "../../../base/omit-undefined.ts";
import type { LinkSpec } from "../../../model/link.ts";
import { copiedAnnotations, copiedLabels } from "../../../model/metadata.ts";
import { kinds, type Mirror, mirrorKey } from "../../../model/mirror.ts";
import type { Fix, Reason, Skip, Why } from "../../../model/reasons.ts";
import { label } from "../../../model/vocabulary.ts";
import { invalidList, notListed } from "./exports.ts";
import { whyExcluded } from "../../../model/selection.ts";
import { bounds } from "../../../kubernetes/objects/bounds.ts";
import { inDigits } from "../../../base/message.ts";

export interface Candidate {
  readonly service: Service;
  readonly cluster: string;
  readonly name: string;
  readonly link: LinkSpec;
  readonly place: string;
  /** The namespace is undefined if the source lacks the mirror's namespace. */
  readonly namespace: Namespace | undefined;
}

export interface Rule<T> {
  readonly reason: Reason;
  /** Returns why the Service can't be mirrored and what to do; undefined if the rule holds. */
  readonly broken: (candidate: T) => string | undefined;
  readonly fix?: (candidate: T) => Fix | undefined;
}

const longestName = 63;

/** Kubernetes requires a DNS-1035 label for a Service's name, while a pod's name may begin with a digit. */
export const nameRules: readonly Rule<Pick<Candidate, "name">>[] = [
  {
    reason: "NameTooLong",
    broken: ({ name }) =>
      name.length > longestName
        ? `the mirror's name ${name} has ${name.length} characters and Kubernetes allows ${longestName}: shorten the name of the Service, the pod or the cluster, or set names on the link`
        : undefined,
  },
  {
    reason: "InvalidName",
    broken: ({ name }) =>
      /^[a-z]/.test(name)
        ? undefined
        : `the mirror's name ${name} does not begin with a letter, as the name of a Service must in Kubernetes: rename the Service or its StatefulSet, or set names on the link`,
  },
];

/** The first broken rule is the reason. */
export const rules: readonly Rule<Candidate>[] = [
  {
    reason: "ExcludedNamespace",
    broken: ({ service, link }) => whyExcluded(service.metadata.namespace, link),
  },
  {
    reason: "IsMirror",
    broken: ({ service, cluster }) =>
      service.metadata.labels?.[label.mirrored] === "true"
        ? `it is itself a mirror in ${cluster}: exclude mirrors with the link's selectors`
        : undefined,
  },
  {
    reason: "NotListed",
    // A federated Service of a cluster's own is no import.
    broken: ({ service, cluster, link }) =>
      cluster === link.source ? undefined : notListed(service, link),
  },
  { reason: "TooLarge", broken: ({ service, cluster }) => whyHead(cluster, "Service", service) },
  {
    reason: "ExternalName",
    broken: ({ service }) =>
      service.spec.type === "ExternalName"
        ? "an ExternalName Service is an alias in DNS: export the Service it stands for"
        : undefined,
  },
  {
    reason: "NoPorts",
    broken: ({ service }) =>
      service.spec.ports?.length
        ? undefined
        : "it has no ports: add one, because a Service without ports can't be mirrored",
  },
  { reason: "InvalidExport", broken: ({ service }) => invalidList(service) },
  { reason: "TooLarge", broken: excess },
  ...nameRules,
  {
    reason: "MissingNamespace",
    broken: ({ place, link, namespace }) =>
      namespace === undefined && !link.createNamespaces
        ? `${link.source} has no namespace ${place}: create it there, or set createNamespaces on the link`
        : undefined,
    fix: ({ place, link }) => ({ cluster: link.source, kubectl: `create namespace ${place}` }),
  },
  {
    reason: "TerminatingNamespace",
    broken: ({ place, link, namespace }) =>
      namespace?.metadata.deletionTimestamp !== undefined
        ? `the namespace ${place} is being deleted on ${link.source}: run again when it is gone`
        : undefined,
  },
];

export const memberRules: readonly Rule<Candidate>[] = [
  ...rules,
  {
    reason: "HeadlessMember",
    broken: ({ service }) =>
      isHeadless(service)
        ? "a headless Service cannot join a federated Service: export it to be mirrored, or give it a ClusterIP"
        : undefined,
  },
];

export function firstBroken<T>(rules: readonly Rule<T>[], candidate: T): Why | undefined {
  for (const { reason, broken, fix } of rules) {
    const sentence = broken(candidate);
    if (sentence !== undefined)
      return { reason, sentence, ...omitUndefined({ fix: fix?.(candidate) }) };
  }
  return undefined;
}

export function elsewhere(namespace: string, origin: ObjectKey): Pick<Skip, "namespace"> {
  return namespace === namespaceOf(origin) ? {} : { namespace };
}

export interface Refusal extends Why {
  readonly mirror: Mirror;
}

/**
 * Removes a headless mirror with its endpoint mirrors; one that loses an endpoint mirror doesn't name that pod either.
 */
export function refuse(
  mirrors: readonly Mirror[],
  refusals: readonly Refusal[],
): { readonly mirrors: readonly Mirror[]; readonly skips: readonly Skip[] } {
  const refused = new Set(refusals.map(({ mirror }) => mirror));
  const roots = refusals.filter(({ mirror }) => mirror.kind === "headless");
  const originsWithoutRoot = new Set(roots.map(({ mirror }) => mirror.origin));
  const left = mirrors.filter(
    (mirror) =>
      !refused.has(mirror) &&
      !(kinds[mirror.kind].isOfPod && originsWithoutRoot.has(mirror.origin)),
  );
  const pods = new Set(left.filter(({ kind }) => kinds[kind].isOfPod).map(mirrorKey));
  return {
    mirrors: left.map((mirror) => withHosts(mirror, pods)),
    skips: refusals.map(
      ({ mirror: { origin, hostname, namespace, name }, reason, sentence, fix }) => {
        const skip = { origin, mirror: name, ...elsewhere(namespace, origin), reason, sentence };
        return { ...skip, ...omitUndefined({ hostname, fix }) };
      },
    ),
  };
}

function withHosts(mirror: Mirror, pods: ReadonlySet<ObjectKey>): Mirror {
  if (mirror.kind !== "headless" || mirror.endpoints === undefined) return mirror;
  const subsets = mirror.endpoints.subsets.flatMap((subset) => {
    const addresses = subset.addresses.filter(
      (address) => !("endpointMirror" in address) || pods.has(address.endpointMirror),
    );
    return addresses.length === 0 ? [] : [{ ...subset, addresses }];
  });
  return { ...mirror, endpoints: { ...mirror.endpoints, subsets } };
}

/** Returns why nothing can be decided about an object of which only the head was kept. */
export function whyHead(
  cluster: string,
  kind: "Service" | "Endpoints",
  object: { readonly metadata: ObjectMeta } | undefined,
): string | undefined {
  if (object?.metadata.isHead !== true) return undefined;
  const where = `namespace ${object.metadata.namespace} on ${cluster}`;
  return `its ${kind} is not read, because the large objects in ${where} take more memory than there is for a cluster: delete those that aren't needed, or shorten their annotations`;
}

/** Returns in what respect a Service is too large for a mirror, and what to do, as a clause. */
function excess({ service, link }: Candidate): string | undefined {
  const { ports = [] } = service.spec;
  if (ports.length > bounds.ports.most)
    return `it has ${inDigits(ports.length)} ports and a mirror has at most ${inDigits(bounds.ports.most)}: divide it into several Services`;
  const labels = copiedLabels(service, link);
  const annotations = copiedAnnotations(service, link);
  for (const [what, map, key] of [
    ["labels", labels, "excludedLabels"],
    ["annotations", annotations, "excludedAnnotations"],
  ] as const) {
    const count = Object.keys(map).length;
    if (count > bounds[what].most)
      return `it has ${inDigits(count)} ${what} and a mirror has at most ${inDigits(bounds[what].most)}: leave some out with ${key} on the link`;
  }
  const entries = [...Object.entries(labels), ...Object.entries(annotations)];
  const size = Buffer.byteLength(entries.flat().join(""));
  if (size > bounds.metadata.most)
    return `its labels and annotations have ${inDigits(size)} bytes and those of a mirror at most ${inDigits(bounds.metadata.most)}: leave some out with excludedLabels and excludedAnnotations on the link`;
  return undefined;
}
