import { KubernetesError } from "../../kubernetes/client/errors.ts";
import { omitUndefined } from "../../base/omit-undefined.ts";
import type {
  Endpoints,
  EndpointSubset,
  ManagedFields,
  ObjectMeta,
  Service,
} from "../../kubernetes/objects/objects.ts";
import { assertOurs, waitUntilDeleted, remove, write, type WriteScope } from "./write-scope.ts";
import { resources } from "../../kubernetes/objects/resources.ts";
import { resolved, type AddressOf } from "../../model/canonical.ts";
import type { Deletion, HandOver, Wanted, Write } from "../../model/decision.ts";
import {
  endpointsFields,
  keptSpec,
  mergedKeys,
  mustReplace,
  serviceFields,
} from "../../model/difference.ts";
import { type FederatedClaim, fieldsOfMembers, settle } from "../../model/federated-claim.ts";
import { marksOn, remarked, sameManagers } from "../../model/marks.ts";
import type { Mirror, MirrorEndpoints } from "../../model/mirror.ts";
import { UserError } from "../../base/user-error.ts";

export async function writeService(
  scope: WriteScope,
  change: Wanted,
  addressOf: AddressOf,
): Promise<Service | undefined> {
  const { wanted, live, verdict } = change;
  const goes = verdict === "replace" ? live.service : undefined;
  if (goes !== undefined) {
    await assertReplaceable(scope, wanted, addressOf);
    await deleteServiceAndWait(scope, goes);
  }
  const observed = goes === undefined ? live.service : undefined;
  return write(scope, resources.services, wanted, observed, (now) => manifest(scope, change, now));
}

function manifest(
  scope: WriteScope,
  { wanted, claim }: Wanted,
  live: Service | undefined,
): Service | undefined {
  if (live !== undefined) assertOurs(scope, resources.services, live);
  if (claim !== undefined) return federatedService(scope, claim, live);
  if (live === undefined) return serviceOf(scope, wanted, live, undefined);
  const { names, adopts, fieldManager } = scope;
  const { managedFields = [] } = live.metadata;
  const marked = remarked(managedFields, [...names, ...adopts], [fieldManager], () => fieldManager);
  return serviceOf(scope, wanted, live, marked);
}

/** Returns undefined if its last members have left meanwhile, so that the next run deletes it. */
function federatedService(
  scope: WriteScope,
  claim: FederatedClaim,
  live: Service | undefined,
): Service | undefined {
  const { mirror, managedFields, isOurs } = settle(claim, live);
  if (mirror === undefined) return undefined;
  if (isOurs || live === undefined) return serviceOf(scope, mirror, live, managedFields);
  const { metadata } = live;
  const isRight = fieldsOfMembers(serviceFields(live, mirror)).length === 0;
  if (isRight && sameManagers(metadata.managedFields, managedFields)) return undefined;
  const annotations = mergedKeys("annotations", metadata, mirror.annotations);
  return { ...live, metadata: { ...metadata, annotations, managedFields } };
}

function serviceOf(
  { source }: WriteScope,
  wanted: Mirror,
  live: Service | undefined,
  managedFields: readonly ManagedFields[] | undefined,
): Service | undefined {
  if (live !== undefined) {
    const fields = serviceFields(live, wanted);
    if (mustReplace(fields))
      throw new UserError(
        `the Service ${wanted.namespace}/${wanted.name} on ${source} became headless, or stopped being headless, during this run: run again`,
      );
    if (fields.length === 0) {
      // A Service that is in order only gets the mark; annotations that are no reason to write stay as they are.
      return sameManagers(live.metadata.managedFields, managedFields)
        ? undefined
        : { ...live, metadata: { ...live.metadata, ...omitUndefined({ managedFields }) } };
    }
  }
  const { metadata, ...rest } = serviceManifest(wanted, live);
  return { ...rest, metadata: { ...metadata, ...omitUndefined({ managedFields }) } };
}

/** If another stack has marked the mirror since it was observed, only this stack's mark is removed. */
export async function removeMirror(
  scope: WriteScope,
  { key, live: { service, endpoints }, claim }: Deletion,
): Promise<void> {
  if (service !== undefined) {
    const wasOurs = marksOn(service.metadata, scope.names).isOurs;
    const isGone = await remove(scope, resources.services, service, (now) => {
      if (claim !== undefined) return settle(claim, now).mirror === undefined;
      const { isOurs, others } = marksOn(now.metadata, scope.names);
      return others.length === 0 && (isOurs || !wasOurs);
    });
    if (!isGone) await releaseMirror(scope, { key, ...omitUndefined({ claim }) });
    // The API server deletes a Service's Endpoints in the same request.
  } else if (endpoints !== undefined)
    await remove(scope, resources.endpoints, endpoints, (now) => isUnshared(now, scope.names));
}

function isUnshared({ metadata }: Service | Endpoints, names: readonly string[]): boolean {
  return marksOn(metadata, names).others.length === 0;
}

/** Removes this stack's marks from a Service that others keep, and its members from a federated Service. */
export async function releaseMirror(
  scope: WriteScope,
  { key, claim }: Pick<HandOver, "key" | "claim">,
): Promise<void> {
  const [namespace = "", name = ""] = key.split("/");
  const live = await scope.kubernetes.find(resources.services, { namespace, name });
  if (live === undefined) return;
  await write(scope, resources.services, { namespace, name }, live, (now) => {
    if (now === undefined || !scope.owner.owns(now)) return undefined;
    if (claim !== undefined) return federatedService(scope, claim, now);
    const { managedFields = [] } = now.metadata;
    const left = remarked(managedFields, scope.names, [], () => undefined);
    return sameManagers(managedFields, left)
      ? undefined
      : { ...now, metadata: { ...now.metadata, managedFields: left } };
  });
}

/**
 * Asks the API server before a mirror is deleted whether it may be created again, since admission, a quota or missing rights may
 * forbid that: a dry run gets as far as finding that the name is taken.
 *
 * @throws KubernetesError
 */
async function assertReplaceable(
  { kubernetes, fieldManager }: WriteScope,
  wanted: Mirror,
  addressOf: AddressOf,
): Promise<void> {
  const { endpoints } = wanted;
  const options = { fieldManager, dryRun: "All" } as const;
  await kubernetes
    .create(resources.services, serviceManifest(wanted), options)
    .catch(unlessRefused);
  if (endpoints === undefined) return;
  const subsets = resolved(endpoints.subsets, addressOf);
  await kubernetes
    .create(resources.endpoints, endpointsManifest(wanted, endpoints, subsets), options)
    .catch(unlessRefused);
}

function unlessRefused(error: unknown): void {
  if (!(error instanceof KubernetesError)) throw error;
  // A webhook with side effects can't be asked.
  const isUnasked = error.status === 400 && /does not support dry run/.test(error.detail ?? "");
  if (!["alreadyExists", "conflict"].includes(error.kind) && !isUnasked) throw error;
}

/**
 * Waits until a Service is gone before another one takes its name. Kubernetes' endpoints controller deletes the
 * Endpoints some time after the Service, and would delete new Endpoints that are written too early. Where no such
 * controller runs, the Endpoints stay and are updated later.
 */
async function deleteServiceAndWait(scope: WriteScope, service: Service): Promise<void> {
  const { name, namespace } = service.metadata;
  const names = [...scope.names, ...scope.adopts];
  if (!(await remove(scope, resources.services, service, (now) => isUnshared(now, names))))
    throw new UserError(
      `the Service ${namespace}/${name} on ${scope.source} must be replaced, but another stack marked it during this run: run again`,
    );
  const left = await waitUntilDeleted(scope, resources.services, { name, namespace });
  if (left !== undefined)
    throw new UserError(
      `the Service ${namespace}/${name} on ${scope.source} must be replaced, but a finalizer keeps it: remove the finalizer and run again`,
    );
  await waitUntilDeleted(scope, resources.endpoints, { name, namespace });
}

export async function writeEndpoints(
  scope: WriteScope,
  { verdict, wanted, live }: Write,
  addressOf: AddressOf,
): Promise<Endpoints | undefined> {
  // Kubernetes deletes the Endpoints of a replaced Service; `write` finds out if they are still there.
  const observed = verdict === "replace" ? undefined : live.endpoints;
  const { endpoints } = wanted;
  if (endpoints === undefined) {
    if (live.endpoints !== undefined)
      await remove(scope, resources.endpoints, live.endpoints, () => true);
    return undefined;
  }
  return write(scope, resources.endpoints, wanted, observed, (now) => {
    if (now !== undefined) {
      assertOurs(scope, resources.endpoints, now);
      if (endpointsFields(now, wanted, addressOf).length === 0) return undefined;
    }
    return endpointsManifest(wanted, endpoints, resolved(endpoints.subsets, addressOf), now);
  });
}

/** Keeps fields that this program doesn't manage. */
export function serviceManifest(wanted: Mirror, live?: Service): Service {
  return {
    ...live,
    metadata: metadata(wanted, wanted, live?.metadata),
    spec: {
      ...keptSpec(live?.spec ?? {}),
      type: "ClusterIP",
      ...(wanted.kind === "headless" && { clusterIP: "None" }),
      ports: wanted.ports,
    },
  };
}

export function endpointsManifest(
  wanted: Mirror,
  own: MirrorEndpoints,
  subsets: readonly EndpointSubset[],
  live?: Endpoints,
): Endpoints {
  return { ...live, metadata: metadata(wanted, own, live?.metadata), subsets };
}

function metadata(
  { name, namespace }: Mirror,
  { labels, annotations }: Pick<Mirror, "labels" | "annotations">,
  live: ObjectMeta | undefined,
): ObjectMeta {
  return {
    ...live,
    name,
    namespace,
    labels: mergedKeys("labels", live, labels),
    annotations: mergedKeys("annotations", live, annotations),
  };
}
