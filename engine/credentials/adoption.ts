import { isDeepStrictEqual } from "node:util";
import type { Kubernetes } from "../kubernetes/client/interface.ts";
import { isRecord } from "../kubernetes/objects/checks.ts";
import { firstOf } from "../base/message.ts";
import { printable } from "../kubernetes/objects/printable.ts";
import { type ObjectName, type Resource, resources } from "../kubernetes/objects/resources.ts";
import { invalid, type Result } from "../base/result.ts";
import { kubeconfigFor } from "./kubeconfig.ts";
import {
  accountBinding,
  accountMetadata,
  accountName,
  credentialsSecrets,
  discoveryAnnotation,
  linkManifestSpec,
  linkMetadata,
  tokenHead,
} from "./objects.ts";
import { accessRules, linkUse } from "./rules.ts";
import { tokenIn } from "./tokens.ts";
import type { AdoptedLink, TargetArgs, TargetFacts } from "./state.ts";

type Fields = Readonly<Record<string, unknown>>;
type Reader = Pick<Kubernetes, "cluster" | "find">;

/** Objects may come from `linkerd multicluster link-gen`, or from a stack whose state is lost. */
interface Adoption {
  readonly args: TargetArgs;
  readonly link: AdoptedLink;
  readonly facts: TargetFacts;
}

interface Wanted {
  readonly resource: Resource<object>;
  readonly at: ObjectName;
  readonly fields: Fields;
  /** Kubernetes refuses to change this field. */
  readonly fixed?: string;
}

/** Notes which fields of existing objects change. Values are not quoted, because some are secret. */
export async function adoptionNotes(
  adoption: Adoption,
  source: Reader,
  target: Reader,
): Promise<Result<string[]>> {
  const { args, facts } = adoption;
  const token = await tokenIn({ name: facts.token, namespace: args.multiclusterNamespace }, target);
  const results = await Promise.all([
    ...wantedInTarget(adoption).map((wanted) => noteOn(wanted, target)),
    ...wantedInSource(adoption, token).map((wanted) => noteOn(wanted, source)),
  ]);
  return (
    results.find((result) => "why" in result) ?? {
      value: results.flatMap((result) => ("value" in result ? result.value : [])),
    }
  );
}

/** Pulumi's server-side apply would keep the labels of an old selector, or the gateway of a link that has none now. */
export async function removeForeignSettings(
  adoption: Adoption,
  source: Pick<Kubernetes, "find" | "patch">,
): Promise<void> {
  const { at, fields } = wantedLink(adoption);
  const found: Fields | undefined = await source.find(resources.links, at);
  const foreign = found === undefined ? {} : foreignSettings(fields, found);
  if (Object.keys(foreign).length > 0) await source.patch(resources.links, at, foreign);
}

async function noteOn(
  { resource, at, fields, fixed }: Wanted,
  reader: Reader,
): Promise<Result<string[]>> {
  const found = await reader.find(resource, at);
  if (!isRecord(found)) return { value: [] };
  const place = at.namespace === undefined ? "" : `${at.namespace}/`;
  const object = `${resource.kind} ${reader.cluster}/${place}${at.name}`;
  const changed = changedPaths(fields, found);
  if (fixed !== undefined && changed.some((path) => path.split(".")[0] === fixed))
    return invalid(
      `can't adopt ${object}, because Kubernetes refuses to change its ${fixed}: delete it, and run again`,
    );
  const removed = resource === resources.links ? pathsIn(foreignSettings(fields, found)) : [];
  // Keys that only the existing object has are free text of whoever wrote it.
  const removals = removed.map((path) => `${printable(path, 100)} (removed)`);
  const changes = [...changed, ...firstOf(removals)];
  const verdict = changes.length === 0 ? "equal" : `changes ${changes.join(", ")}`;
  return { value: [`adopts ${object}${creatorOf(found)}: ${verdict}`] };
}

function creatorOf({ metadata }: Fields): string {
  const annotations = isRecord(metadata) ? metadata.annotations : undefined;
  const creator = isRecord(annotations) ? annotations["linkerd.io/created-by"] : undefined;
  return typeof creator === "string" ? ` of ${printable(creator, 100)}` : "";
}

function wantedInTarget({ args, link, facts }: Adoption): Wanted[] {
  const account = accountName(args.source);
  const namespace = args.multiclusterNamespace;
  const { name, labels, annotations } = accountMetadata(account, link.owner ?? "");
  const rules = accessRules(linkUse(link.spec, link.mirroring, facts.discovers ?? false));
  const metadata = { labels };
  const binding = { metadata, ...accountBinding(account, namespace) };
  const token = { name: facts.token, namespace };
  const { serviceAccounts, clusterRoles, clusterRoleBindings, secrets } = resources;
  return [
    {
      resource: serviceAccounts,
      at: { name, namespace },
      fields: { metadata: { labels, annotations }, automountServiceAccountToken: false },
    },
    { resource: clusterRoles, at: { name }, fields: { metadata, rules } },
    { resource: clusterRoleBindings, at: { name }, fields: binding, fixed: "roleRef" },
    {
      resource: secrets,
      at: token,
      fields: tokenHead(account, facts.token, namespace),
      fixed: "type",
    },
  ];
}

function wantedInSource(adoption: Adoption, token: string | undefined): Wanted[] {
  const { args, link, facts } = adoption;
  const heads = credentialsSecrets(args.target, facts, namespacesOf(args));
  const user = accountName(args.source);
  const kubeconfig = kubeconfigFor({ ...facts, token: token ?? "", cluster: args.target, user });
  const data = { kubeconfig: Buffer.from(kubeconfig).toString("base64") };
  const { discovery } = linkUse(link.spec, link.mirroring, facts.discovers ?? false);
  const { annotations, ...metadata } = heads.destination.metadata;
  const discovered = { ...annotations, [discoveryAnnotation]: String(discovery) };
  const destination = { ...heads.destination, metadata: { ...metadata, annotations: discovered } };
  const secrets = [heads.mirror, destination].map((head) => ({
    resource: resources.secrets,
    at: { name: head.metadata.name, namespace: head.metadata.namespace },
    fields: { ...head, data },
    fixed: "type",
  }));
  return [...secrets, { resource: resources.links, ...wantedLink(adoption) }];
}

function wantedLink({ args, link, facts }: Adoption) {
  const namespaces = namespacesOf(args);
  const { name, namespace, annotations } = linkMetadata(args.target, namespaces, link.owner ?? "");
  const spec = linkManifestSpec(link.spec, facts, namespaces, link.mirroring);
  return { at: { name, namespace }, fields: { metadata: { annotations }, spec } };
}

function namespacesOf({ linkerdNamespace, multiclusterNamespace }: TargetArgs) {
  return { linkerd: linkerdNamespace, multicluster: multiclusterNamespace };
}

/** Fields that the existing object lacks count as changed. */
function changedPaths(fields: Fields, found: Fields): string[] {
  return Object.entries(fields).flatMap(([key, value]) => {
    const live = Object.hasOwn(found, key) ? found[key] : undefined;
    if (isRecord(value))
      return changedPaths(value, isRecord(live) ? live : {}).map((path) => `${key}.${path}`);
    return isDeepStrictEqual(value, live) ? [] : [key];
  });
}

/** Returns a merge patch that removes the fields of an existing Link that this stack doesn't set. */
function foreignSettings({ spec: wanted }: Fields, { spec: found }: Fields): Fields {
  if (!isRecord(wanted) || !isRecord(found)) return {};
  // The schema of the Link sets the probe's timeout and threshold (objects.ts).
  const { probeSpec, ...rest } = found;
  const compared = Object.hasOwn(wanted, "probeSpec") ? rest : found;
  const spec = nullsFor(wanted, compared);
  return Object.keys(spec).length === 0 ? {} : { spec };
}

function nullsFor(wanted: Fields, found: Fields): Fields {
  return Object.fromEntries(
    Object.entries(found).flatMap(([key, value]): [string, unknown][] => {
      if (!Object.hasOwn(wanted, key)) return [[key, null]];
      const ours = wanted[key];
      if (!isRecord(ours) || !isRecord(value)) return [];
      const within = nullsFor(ours, value);
      return Object.keys(within).length === 0 ? [] : [[key, within]];
    }),
  );
}

function pathsIn(patch: Fields): string[] {
  return Object.entries(patch).flatMap(([key, value]) =>
    isRecord(value) ? pathsIn(value).map((path) => `${key}.${path}`) : [key],
  );
}
