import { resources } from "../../kubernetes/objects/resources.ts";
import type { Mirror } from "../model/mirror.ts";
import type { Service } from "../../kubernetes/objects/objects.ts";
import type { Write } from "../decide/decision.ts";
import { difference } from "../decide/difference/difference.ts";
import { gone, remove, write, type WriteScope } from "./write-scope.ts";
import { serviceManifest } from "./manifest.ts";

/** Milliseconds to wait for Kubernetes to clear away a deleted Service and its Endpoints. */
const clearance = 5_000;

/** Brings a mirror's Service about and returns it, with the ClusterIP that it has. */
export async function writeService(scope: WriteScope, change: Write): Promise<Service | undefined> {
  const { wanted, live } = change;
  if (change.verdict === "replace" && live.service !== undefined) {
    await clear(scope, live.service);
    return write(scope, resources.services, wanted, undefined, (now) =>
      manifest(scope, wanted, now),
    );
  }
  return write(scope, resources.services, wanted, live.service, (now) =>
    manifest(scope, wanted, now),
  );
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
