import { keyOf, type ObjectKey } from "../../kubernetes/objects/objects.ts";
import type { HttpRoute } from "../../kubernetes/objects/route-resource.ts";
import { resources } from "../../kubernetes/objects/resources.ts";
import { UserError } from "../../base/user-error.ts";
import { remarked } from "../../model/marks.ts";
import {
  backendsOf,
  isOwnRoute,
  isRight,
  retryKey,
  routeLabels,
  type RouteDecision,
  type WantedRoute,
} from "../../model/route.ts";
import type { WriteFailure } from "./failures.ts";
import { remove, waitUntilDeleted, write, type WriteScope } from "./write-scope.ts";

/** @param failed mirrors that could not be written, which no route may name */
export async function writeRoute(
  scope: WriteScope,
  decision: RouteDecision,
  failed: ReadonlyMap<ObjectKey, WriteFailure>,
): Promise<void> {
  if (decision.verdict === "delete") return deleteRoute(scope, decision);
  if (decision.verdict === "handOver" || decision.wanted === undefined) return;
  const { key, wanted, live } = decision;
  const missing = backendsOf(wanted).find((mirror) => failed.has(mirror));
  if (missing !== undefined)
    throw new UserError(
      `the HTTPRoute ${key} on ${scope.source} ${live === undefined ? "is not created" : "stays as it is"}, because its mirror ${missing} could not be written`,
    );
  await write(scope, resources.httpRoutes, wanted.metadata, live, (now) =>
    manifest(scope, wanted, now),
  );
}

/** Linkerd follows a route for as long as a finalizer keeps it. */
async function deleteRoute(
  scope: WriteScope,
  { key, live, isKnown }: Extract<RouteDecision, { readonly verdict: "delete" }>,
): Promise<void> {
  const { deletionTimestamp, uid } = live.metadata;
  const isOurs = (now: HttpRoute) => isOwnRoute(now, scope.names);
  if (deletionTimestamp === undefined && !(await remove(scope, resources.httpRoutes, live, isOurs)))
    return;
  const left = isKnown
    ? await waitUntilDeleted(scope, resources.httpRoutes, live.metadata)
    : undefined;
  if (left !== undefined && left.metadata.uid === uid)
    throw new UserError(
      `the HTTPRoute ${key} on ${scope.source} is being deleted, but a finalizer keeps it: remove the finalizer and run again`,
    );
}

function manifest(
  { names: own, adopts, fieldManager, source }: WriteScope,
  wanted: WantedRoute,
  live: HttpRoute | undefined,
): HttpRoute | undefined {
  const {
    metadata: { annotations, ...name },
    spec,
  } = wanted;
  const names = [...own, ...adopts];
  if (live === undefined) return { metadata: { ...name, labels: routeLabels, annotations }, spec };
  if (!isOwnRoute(live, names))
    throw new UserError(
      `the HTTPRoute ${keyOf(live)} on ${source} is not this stack's and was left alone: rename or delete it, and run again`,
    );
  if (isRight(live, wanted, names)) return undefined;
  const { annotations: others = {}, managedFields = [] } = live.metadata;
  const { [retryKey]: _, ...kept } = others;
  return {
    ...live,
    metadata: {
      ...live.metadata,
      annotations: { ...kept, ...annotations },
      managedFields: remarked(managedFields, names, [], () => fieldManager),
    },
    spec,
  };
}
