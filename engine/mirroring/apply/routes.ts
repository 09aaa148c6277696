import { type HttpRoute, keyOf, type ObjectKey } from "../../kubernetes/objects/objects.ts";
import { resources } from "../../kubernetes/objects/resources.ts";
import { UserError } from "../../user-error.ts";
import { remarked } from "../model/marks.ts";
import {
  isOwnRoute,
  isRight,
  retryKey,
  routeLabels,
  type RouteDecision,
  type WantedRoute,
} from "../model/route.ts";
import type { WriteFailure } from "./failures.ts";
import { remove, write, type WriteScope } from "./write-scope.ts";

/** @param failed mirrors that could not be written, which no route may name */
export async function writeRoute(
  scope: WriteScope,
  decision: RouteDecision,
  failed: ReadonlyMap<ObjectKey, WriteFailure>,
): Promise<void> {
  if (decision.verdict === "delete") {
    await remove(scope, resources.httpRoutes, decision.live, (now) => isOwnRoute(now, scope.names));
    return;
  }
  const { key, wanted, live } = decision;
  const missing = wanted.mirrors.find((mirror) => failed.has(mirror));
  if (missing !== undefined)
    throw new UserError(
      `the HTTPRoute ${key} on ${scope.source} stays as it is, because its mirror ${missing} could not be written`,
    );
  await write(scope, resources.httpRoutes, wanted.metadata, live, (now) =>
    manifest(scope, wanted, now),
  );
}

function manifest(
  { names, fieldManager, source }: WriteScope,
  wanted: WantedRoute,
  live: HttpRoute | undefined,
): HttpRoute | undefined {
  const {
    metadata: { annotations, ...name },
    spec,
  } = wanted;
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
