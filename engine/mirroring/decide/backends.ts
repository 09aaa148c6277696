import { namespaceOf, type ObjectKey, type ServicePort } from "../../kubernetes/objects/objects.ts";
import type { HttpRoute } from "../../kubernetes/objects/route-resource.ts";
import {
  type Decision,
  type HandOver,
  isListed,
  isSkip,
  isWanted,
  type Keep,
  type Write,
} from "../../model/decision.ts";
import type { LinkSpec } from "../../model/link.ts";
import { metaOf, originOf, undecidedMirrors } from "../../model/live-mirrors.ts";
import { marksOn } from "../../model/marks.ts";
import { reasons } from "../../model/reasons.ts";
import { namedBackends, type Routes } from "../../model/route.ts";
import type { ClusterSnapshot } from "../../model/snapshot.ts";
import type { Leg, Routing } from "../../model/traffic.ts";
import { kinds } from "../../model/mirror.ts";
import { label, mirrorPlace } from "../../model/vocabulary.ts";
import type { ReadyIn } from "./readiness.ts";

export interface RoutesView {
  readonly source: ClusterSnapshot;
  readonly routings: ReadonlyMap<ObjectKey, Routing>;
  /** The Services that the config routes, and others that may still have routes. */
  readonly routed: readonly ObjectKey[];
  readonly drained: ReadonlySet<string>;
  /** The links' probers find these targets' gateways down, each for a reason. */
  readonly down: ReadonlyMap<string, string>;
  readonly readyIn: ReadyIn;
  readonly routes: Routes;
  readonly own: ReadonlyMap<ObjectKey, HttpRoute>;
  readonly links: readonly LinkSpec[];
  /** A part is missing if it can't be judged or a guard holds it. */
  readonly decisionsByPart: ReadonlyMap<string, readonly Decision[]>;
  readonly stacks: readonly string[];
  /** Why no route can be written. */
  readonly unserved?: string | undefined;
}

/** A mirror that another stack takes over still serves. */
type Existing = Write | Keep | HandOver;

/** A Service to which a route sends requests. */
export interface Backend {
  readonly key: ObjectKey;
  readonly ports: ReadonlySet<number>;
}

/** A cluster of the config with what serves there, if anything does. */
export interface FoundLeg extends Leg {
  readonly backend: Backend | undefined;
}

export function backendOf(key: ObjectKey, ports: readonly ServicePort[] = []): Backend {
  return { key, ports: new Set(ports.map(({ port }) => port)) };
}

/**
 * Finds a Service's mirror, whatever name the link gives it. What a live Service says about itself proves nothing:
 * whoever may write one in some namespace of the source could take the requests of another. So a mirror counts if the
 * target was read and wants it. While that is in doubt, a route keeps the mirror that it has, and gains only one that
 * this stack has marked where the link puts it in the Service's own namespace, whose tenants control the Service anyway.
 */
export function mirrorBackend(
  target: string,
  service: ObjectKey,
  { source, stacks, links, decisionsByPart, own }: RoutesView,
): Backend | undefined {
  const judged = decisionsByPart.get(target);
  const mirrors = (judged ?? undecidedMirrors(source, target))
    .filter((each) => isListed(each) || each.verdict === "handOver")
    .filter(({ kind }) => kinds[kind].isBackend)
    .filter((each) => {
      const wanted = isWanted(each) ? each.wanted.origin : undefined;
      return (wanted ?? originOf(each.key, each.live).service) === service;
    });
  const wanted = mirrors.find(isWanted);
  if (wanted !== undefined) return backendOf(wanted.key, wanted.wanted.ports);
  const isInDoubt =
    judged?.some((each) => isSkip(each) && each.origin === service && reasons[each.reason].keeps) ??
    true;
  const isGoing = ({ live }: Existing) => metaOf(live).deletionTimestamp !== undefined;
  const staying = mirrors
    .filter(({ live }) => live.service !== undefined)
    .filter((mirror) => isInDoubt || !isGoing(mirror));
  const places = links.flatMap((link) =>
    link.target === target ? mirrorPlace(service, link) : [],
  );
  const isInPlace = (mirror: Existing) =>
    places.includes(mirror.key) &&
    namespaceOf(mirror.key) === namespaceOf(service) &&
    marksOn(metaOf(mirror.live), stacks).isOurs;
  const named = new Set(namedBackends(own.values(), service));
  const found =
    staying.find((mirror) => isInPlace(mirror) && !isGoing(mirror)) ??
    staying.find(({ key }) => named.has(key));
  return found && backendOf(found.key, found.live.service?.spec.ports);
}

/** Leaves out clusters behind a gateway that is down, unless nothing else would serve the Service. */
export function withoutDown({ source, down }: RoutesView, legs: readonly FoundLeg[]) {
  const isDown = ({ cluster, backend }: FoundLeg) => {
    const { labels = {} } = source.services.get(backend?.key ?? "/")?.metadata ?? {};
    return down.has(cluster) && labels[label.remoteDiscovery] === undefined;
  };
  const left = legs.filter((leg) => !isDown(leg));
  return left.some(({ backend }) => backend !== undefined) ? left : legs;
}
