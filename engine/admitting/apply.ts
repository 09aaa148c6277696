import { keyOf } from "../kubernetes/objects/objects.ts";
import type { HttpRoute } from "../kubernetes/objects/route-resource.ts";
import { type Resource, resources } from "../kubernetes/objects/resources.ts";
import { poll } from "../kubernetes/client/retry.ts";
import { UserError } from "../base/user-error.ts";
import { remove, write, type WriteScope } from "../mirroring/apply/write-scope.ts";
import { marksOn, remarked } from "../model/marks.ts";
import { routeLabels } from "../model/route.ts";
import { catchAll, chartPolicy, gateOwner, isAccepted, isOwn, type Made } from "./objects.ts";
import type { GatePlan, Step } from "./plan.ts";

interface Place extends WriteScope {
  readonly namespace: string;
}

/**
 * A client keeps its access throughout: its policy exists before the route does, the route counts before the gateway
 * closes, and a hostname is in its new route before it leaves the old one.
 */
export async function applyGate(place: Place, plan: GatePlan): Promise<void> {
  const { authentications, policies, routes, chart } = plan;
  await writeAll(place, resources.meshTlsAuthentications, authentications);
  await writeAll(place, resources.authorizationPolicies, policies);
  await writeRoutes(place, plan);
  if (chart !== undefined) await writeChart(place, chart);
  await writeAll(place, resources.httpRoutes, routes.filter(isShorter));
  const [last, others] = partition(routes, ({ name }) => name === catchAll);
  await removeAll(place, resources.httpRoutes, others);
  await removeAll(place, resources.httpRoutes, last);
  await removeAll(place, resources.authorizationPolicies, policies);
  await removeAll(place, resources.meshTlsAuthentications, authentications);
}

/** Opens first, so that no client is refused on the way. */
export async function openGate(place: Place, plan: GatePlan): Promise<void> {
  const { chart, ...rest } = plan;
  if (chart !== undefined) await writeChart(place, chart);
  await applyGate(place, rest);
}

/**
 * While a Server has routes, a request that none matches gets 404. So the one for everything comes first and goes last.
 *
 * They are written one by one. Whenever a route changes, Linkerd's policy controller queues a status for each one that
 * waits, and writes these in turn, also the ones that repeat another. If 16 routes wait, that queue grows faster than it
 * drains (docs/decisions/0026-closed-gateways.md).
 */
async function writeRoutes(place: Place, { routes, awaited }: GatePlan): Promise<void> {
  const steps = new Map(routes.map((step) => [step.name, step]));
  const due = routes.flatMap(({ name, spec }) => (spec === undefined ? [] : [name]));
  const names = [...new Set([...awaited, ...due])];
  for (const name of partition(names, (each) => each === catchAll).flat()) {
    const step = steps.get(name);
    if (step !== undefined) await writeAll(place, resources.httpRoutes, [withBoth(step)]);
    await accepted(place, name);
  }
}

function partition<T>(all: readonly T[], isIt: (one: T) => boolean): readonly [T[], T[]] {
  return [all.filter(isIt), all.filter((one) => !isIt(one))];
}

function withBoth(step: Step<HttpRoute>): Step<HttpRoute> {
  const { spec, live } = step;
  if (spec?.hostnames === undefined || live === undefined) return step;
  const hostnames = [...new Set([...(live.spec?.hostnames ?? []), ...spec.hostnames])];
  return { ...step, spec: { ...spec, hostnames } };
}

function isShorter({ spec, live }: Step<HttpRoute>): boolean {
  const left = new Set(spec?.hostnames);
  return spec !== undefined && (live?.spec?.hostnames ?? []).some((host) => !left.has(host));
}

async function writeAll<Spec extends object>(
  place: Place,
  resource: Resource<Made<Spec>>,
  steps: readonly Step<Made<Spec>>[],
): Promise<void> {
  const due = steps.flatMap(({ name, spec, live }) =>
    spec === undefined ? [] : [{ name, spec, live }],
  );
  await Promise.all(
    due.map(({ name, spec, live }) =>
      write(place, resource, { name, namespace: place.namespace }, live, (now) =>
        manifest(place, resource.kind, name, spec, now),
      ),
    ),
  );
}

function manifest<Spec>(
  { names, fieldManager, source, namespace }: Place,
  kind: string,
  name: string,
  spec: Spec,
  now: Made<Spec> | undefined,
): Made<Spec> {
  if (now === undefined) return { metadata: { name, namespace, labels: routeLabels }, spec };
  const { others } = marksOn(now.metadata, names);
  if (gateOwner.owns(now) && others.length > 0)
    throw new UserError(
      `stack ${others.join(", ")} closes the gateway of ${source} too, so its ${kind} ${keyOf(now)} was left alone: remove gatewayAccess from the config of one of the two stacks`,
    );
  if (!isOwn(now, names))
    throw new UserError(
      `the ${kind} ${keyOf(now)} on ${source} is not this stack's and was left alone: rename or delete it, and run again`,
    );
  const managedFields = remarked(now.metadata.managedFields ?? [], names, [], () => fieldManager);
  return { ...now, metadata: { ...now.metadata, managedFields }, spec };
}

async function removeAll<Spec>(
  place: Place,
  resource: Resource<Made<Spec>>,
  steps: readonly Step<Made<Spec>>[],
): Promise<void> {
  const gone = steps.flatMap(({ spec, live }) =>
    spec === undefined && live !== undefined ? [live] : [],
  );
  await Promise.all(
    gone.map((live) => remove(place, resource, live, (now) => isOwn(now, place.names))),
  );
}

/** The policy is the chart's, and nothing of it changes but what it applies to. */
async function writeChart(
  { kubernetes, namespace }: Place,
  { spec }: NonNullable<GatePlan["chart"]>,
): Promise<void> {
  const patch = { spec: { targetRef: spec?.targetRef } };
  await kubernetes.patch(resources.authorizationPolicies, { name: chartPolicy, namespace }, patch);
}

const patience = { within: 30_000, every: 50 };

/** A route counts once Linkerd's policy controller says so. */
async function accepted(place: Place, name: string): Promise<void> {
  const { kubernetes, namespace, time, source } = place;
  const seen = await poll(
    () => kubernetes.find(resources.httpRoutes, { name, namespace }),
    (route) => route === undefined || isAccepted(route),
    { ...patience, time },
  );
  if (seen !== undefined && !isAccepted(seen))
    throw new UserError(
      `Linkerd's policy controller on ${source} has not accepted the HTTPRoute ${namespace}/${name}, so the gateway stays as it is: check that linkerd-destination runs there, and run again`,
    );
}
