/** Says why requests for a Service aren't routed, or fail where they are. */
import {
  isHeadless,
  keyOf,
  type ObjectKey,
  type Service,
} from "../../kubernetes/objects/objects.ts";
import { rbacName, resources } from "../../kubernetes/objects/resources.ts";
import type { OtherRoute } from "../../kubernetes/objects/route-resource.ts";
import { marksOn } from "../../model/marks.ts";
import type { Routes } from "../../model/route.ts";
import { makesLinks } from "../../model/state.ts";
import { type Routing, routings } from "../../model/traffic.ts";
import { label } from "../../model/vocabulary.ts";
import type { RoutesView } from "./backends.ts";
import type { SourceObservation } from "./desired.ts";

/** Another stack's route is that stack's to delete. */
export function whyInTheWay(
  route: OtherRoute & { readonly kind: string },
  { source, stacks }: RoutesView,
  key: ObjectKey,
  setting: Routing["setting"],
): string {
  const [stack] = marksOn(route.metadata, stacks).others;
  const whose = stack === undefined ? "" : ` of stack ${stack}`;
  const remedy =
    stack === undefined
      ? `delete it, or remove ${key} from ${setting}`
      : `remove ${key} from the config of one of the two stacks`;
  return `${route.kind} ${keyOf(route)}${whose} on ${source.cluster} already routes its requests, and the two routes would conflict: ${remedy}`;
}

/**
 * A split is followed whether or not there are pods, so that it says the same in every run.
 *
 * @param others other clusters that get requests
 */
export function unready(
  { source, links, readyIn }: RoutesView,
  key: ObjectKey,
  cluster: string,
  others: number,
): string[] {
  const link = links.find(({ target }) => target === cluster);
  if (readyIn(link?.target ?? source.cluster, key) !== 0) return [];
  const isHidden = link !== undefined && link.gateway !== false && link.readiness === "ignore";
  const outcome = isHidden
    ? `the requests that go there fail: set readiness: follow on the link, or take ${cluster} out`
    : others > 0
      ? "the other clusters get its requests"
      : "no other cluster gets its requests";
  return [`no pod of it is ready in ${link?.target ?? source.cluster}, and ${outcome}`];
}

/** Returns why no route can be written, unless the run may install the CRD before: Linkerd's charts bring it with that of Links. */
export function whyUnserved(
  { args, source }: Pick<SourceObservation, "args" | "source">,
  { areServed = true }: Routes,
): string | undefined {
  const mayInstall = makesLinks(args) && source.links === undefined;
  if (areServed || mayInstall || routings(args).size === 0) return undefined;
  const [, version = ""] = resources.httpRoutes.apiVersion.split("/");
  return `${source.cluster} does not serve ${rbacName(resources.httpRoutes)} in version ${version}: install the chart linkerd-crds of Linkerd 2.18 or later there`;
}

export function whyUnfit(service: Service, cluster: string): string | undefined {
  if (service.metadata.labels?.[label.mirrored] === "true")
    return `it is a mirror on ${cluster}, and only requests for ${cluster}'s own Services are routed`;
  return isHeadless(service) || service.spec.type === "ExternalName"
    ? `it has no ClusterIP on ${cluster}, and Linkerd routes only requests to a ClusterIP`
    : undefined;
}
