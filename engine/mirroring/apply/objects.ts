import type {
  Endpoints,
  EndpointSubset,
  ObjectMeta,
  Service,
} from "../../kubernetes/objects/objects.ts";
import { gone, remove, write, type WriteScope } from "./write-scope.ts";
import { resources } from "../../kubernetes/objects/resources.ts";
import { resolved, type AddressOf } from "../decide/canonical.ts";
import type { Write } from "../decide/decision.ts";
import { difference, mergedKeys } from "../decide/difference.ts";
import type { Mirror } from "../model/mirror.ts";

/** Milliseconds to wait for Kubernetes to clear away a deleted Service and its Endpoints. */
const clearance = 5_000;

/** Brings a mirror's Service about and returns it, with the ClusterIP that it has. */
export async function writeService(scope: WriteScope, change: Write): Promise<Service | undefined> {
  const { wanted, live, verdict } = change;
  const goes = verdict === "replace" ? live.service : undefined;
  if (goes !== undefined) await clear(scope, goes);
  const observed = goes === undefined ? live.service : undefined;
  return write(scope, resources.services, wanted, observed, (now) => manifest(scope, wanted, now));
}

function manifest(
  { source }: Pick<WriteScope, "source">,
  wanted: Mirror,
  live: Service | undefined,
): Service | undefined {
  if (live !== undefined) {
    const { service, replace } = difference({ service: live }, wanted, () => undefined);
    if (replace)
      throw new Error(
        `the Service ${wanted.namespace}/${wanted.name} on ${source} changed between headless and not while this run was at it: run again`,
      );
    if (service.length === 0) return undefined;
  }
  return serviceManifest(wanted, live);
}

/**
 * Deletes a Service for good before another takes its name. Kubernetes' endpoints controller
 * deletes the Endpoints after the Service, at a time of its own: Endpoints written too early would
 * fall to it. Where no such controller runs, the Endpoints stay and are updated later.
 */
async function clear(scope: WriteScope, service: Service): Promise<void> {
  const { name, namespace } = service.metadata;
  await remove(scope, resources.services, service);
  const left = await gone(scope, resources.services, { name, namespace }, clearance);
  if (left !== undefined)
    throw new Error(
      `the Service ${namespace}/${name} on ${scope.source} has to be replaced and does not go: see which finalizer holds it, and run again`,
    );
  await gone(scope, resources.endpoints, { name, namespace }, clearance);
}

/** Brings a mirror's Endpoints about, or removes those that it must not have. */
export async function writeEndpoints(
  scope: WriteScope,
  { verdict, wanted, live }: Write,
  addressOf: AddressOf,
): Promise<void> {
  // A replaced Service has taken its Endpoints along; write finds out where they have stayed.
  const observed = verdict === "replace" ? undefined : live.endpoints;
  if (wanted.endpoints === undefined) {
    if (live.endpoints !== undefined) await remove(scope, resources.endpoints, live.endpoints);
    return;
  }
  const complete = { ...wanted, endpoints: wanted.endpoints };
  await write(scope, resources.endpoints, wanted, observed, (now) =>
    isRight(now, wanted, addressOf)
      ? undefined
      : endpointsManifest(complete, resolved(complete.endpoints.subsets, addressOf), now),
  );
}

function isRight(live: Endpoints | undefined, wanted: Mirror, addressOf: AddressOf): boolean {
  return (
    live !== undefined && difference({ endpoints: live }, wanted, addressOf).endpoints.length === 0
  );
}

/**
 * The Service to send. What a live one has beyond the fields that are ours survives, a selector
 * excepted: Kubernetes would fill the mirror's Endpoints from it.
 */
export function serviceManifest(wanted: Mirror, live?: Service): Service {
  const { selector, ...spec } = live?.spec ?? {};
  return {
    ...live,
    metadata: metadata(wanted, wanted, wanted.withheld, live?.metadata),
    spec: {
      ...spec,
      type: "ClusterIP",
      ...(wanted.kind === "headless" && { clusterIP: "None" }),
      ports: wanted.ports,
    },
  };
}

export function endpointsManifest(
  wanted: Mirror & { readonly endpoints: NonNullable<Mirror["endpoints"]> },
  subsets: readonly EndpointSubset[],
  live?: Endpoints,
): Endpoints {
  const { endpoints, withheld } = wanted;
  const labels = withheld && { labels: withheld.labels };
  return { ...live, metadata: metadata(wanted, endpoints, labels, live?.metadata), subsets };
}

function metadata(
  { name, namespace }: Mirror,
  { labels, annotations }: Pick<Mirror, "labels" | "annotations">,
  withheld: Partial<NonNullable<Mirror["withheld"]>> | undefined,
  live: ObjectMeta | undefined,
): ObjectMeta {
  return {
    ...live,
    ...{ name, namespace },
    labels: mergedKeys("labels", live, labels, withheld?.labels),
    annotations: mergedKeys("annotations", live, annotations, withheld?.annotations),
  };
}
