import { resources } from "../../kubernetes/objects/resources.ts";
import type { Mirror } from "../model/mirror.ts";
import type { Endpoints } from "../../kubernetes/objects/objects.ts";
import { resolved, type AddressOf } from "../decide/difference/canonical.ts";
import type { Write } from "../decide/decision.ts";
import { difference } from "../decide/difference/difference.ts";
import { remove, write, type WriteScope } from "./write-scope.ts";
import { endpointsManifest } from "./manifest.ts";

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
