import { bounds } from "../../../kubernetes/objects/bounds.ts";
import {
  type Endpoints,
  isHeadless,
  keyOf,
  malformed,
  objectKey,
  type ObjectKey,
  type Service,
} from "../../../kubernetes/objects/objects.ts";
import type { Gateway } from "../../model/gateway.ts";
import type { Mirror } from "../../model/mirror.ts";
import type { LinkView } from "../../model/observation.ts";
import { absentPods, anyNamed, hostSubsets, truncated } from "../../model/pods.ts";
import { malformedObject, type Skip, type Why } from "../../model/reasons.ts";
import { inWords } from "../../model/sizes.ts";
import { label, mirrorName } from "../../model/vocabulary.ts";
import { type HeldPods, heldPods } from "../policies/absent-pods.ts";
import { beyondLimit } from "../policies/most-mirrors.ts";
import { refuse } from "../policies/refuse.ts";
import { brokenName, brokenRule } from "../policies/rules.ts";
import { exportMode } from "../policies/selection.ts";
import { discoveryMirror, gatewayMirror, headlessMirrors } from "./service-mirrors.ts";

export interface Desired {
  /** In the order of their origins. */
  readonly mirrors: readonly Mirror[];
  readonly skips: readonly Skip[];
  /** Endpoint mirrors that stay although their pods are away: since when, RFC 3339. */
  readonly missing: Readonly<Record<ObjectKey, string>>;
}

/** Every mirror that should exist in the source for one link, and why the others should not. */
export function desired(view: LinkView): Desired {
  const { link, source, snapshot: target } = view;
  const mirrors: Mirror[] = [];
  const skips: Skip[] = [];
  const missing: Record<ObjectKey, string> = {};
  const absent = absentPods(link, source, target);
  const services = [...target.services].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [origin, service] of services) {
    const outcome = mirrorsOf(service, view, absent.get(origin) ?? []);
    if ("reason" in outcome)
      skips.push({ origin, mirror: mirrorName(service.metadata.name, link.target), ...outcome });
    else {
      mirrors.push(...outcome.mirrors);
      Object.assign(missing, outcome.missing);
    }
  }
  const misnamed = mirrors.flatMap((mirror) => {
    const broken = brokenName(mirror.name);
    return broken === undefined ? [] : [{ mirror, ...broken }];
  });
  const named = refuse(mirrors, misnamed);
  const fitting = refuse(named.mirrors, beyondLimit(named.mirrors, link, source));
  return {
    mirrors: fitting.mirrors,
    skips: [...skips, ...named.skips, ...fitting.skips],
    missing,
  };
}

type Outcome = Partial<Pick<Desired, "missing">> & Pick<Desired, "mirrors">;

/** @param absent pods of the Service that have mirrors and are in no Endpoints now */
function mirrorsOf(service: Service, view: LinkView, absent: readonly string[]): Outcome | Why {
  const { link, source, snapshot: target, gateway } = view;
  // What it does not say about being exported must not pass for a no.
  if (service[malformed] !== undefined)
    return malformedObject(link.target, "Service", service[malformed]);
  const mode = exportMode(service, link);
  if (mode === undefined) return { mirrors: [] };
  const namespace = source.namespaces.get(service.metadata.namespace);
  const name = mirrorName(service.metadata.name, link.target);
  const broken = brokenRule({ service, cluster: link.target, name, link, namespace });
  if (broken !== undefined) return broken;
  if (mode === "discovery") return { mirrors: [discoveryMirror(service, link)] };
  if (!gateway.known) return { reason: "NoGateway", sentence: gateway.why };

  const endpoints = target.endpoints.get(keyOf(service));
  if (endpoints?.[malformed] !== undefined)
    return malformedObject(link.target, "Endpoints", endpoints[malformed]);
  if (link.headless && isHeadless(service)) {
    const held = heldPods(service, endpoints, view, absent);
    const shape = headlessShape(endpoints, liveMirror(service, view), held);
    if (shape === "unknown")
      return {
        reason: "NoPods",
        sentence: `the headless Service ${keyOf(service)} has no pods on ${link.target} yet, and whether they have names decides what its mirror is: run again when it has`,
      };
    if (shape === "headless") return headless(service, endpoints, held, view, gateway.gateway);
  }
  return { mirrors: [gatewayMirror(service, endpoints, link, gateway.gateway)] };
}

/**
 * What an exported headless Service becomes: headless where any pod has a name, a ClusterIP
 * mirror where none has (linkerd-behaviour.md 3.1). Without a pod nobody can tell: a mirror that
 * exists stays what it is, and a new one waits.
 */
function headlessShape(
  endpoints: Endpoints | undefined,
  live: Service | undefined,
  held: HeldPods,
): "headless" | "clusterIP" | "unknown" {
  const isLiveHeadless = live !== undefined && isHeadless(live);
  if (endpoints !== undefined && (endpoints.subsets ?? []).length > 0)
    return anyNamed(endpoints) || (isLiveHeadless && held.subsets.length > 0)
      ? "headless"
      : "clusterIP";
  if (live === undefined) return "unknown";
  return isLiveHeadless ? "headless" : "clusterIP";
}

function liveMirror(service: Service, { link, source }: LinkView): Service | undefined {
  const { namespace, name } = service.metadata;
  const live = source.services.get(objectKey(namespace, mirrorName(name, link.target)));
  return live?.metadata.labels?.[label.cluster] === link.target ? live : undefined;
}

function headless(
  service: Service,
  endpoints: Endpoints | undefined,
  held: HeldPods,
  { link }: LinkView,
  gateway: Gateway,
): Outcome | Why {
  const words = `the headless Service ${keyOf(service)}`;
  if (endpoints !== undefined && truncated(endpoints))
    return {
      reason: "TruncatedEndpoints",
      sentence: `${words} has more than 1,000 pods, of which its Endpoints name only the first: split it into several`,
    };
  const subsets = [...hostSubsets(endpoints, link.readiness), ...held.subsets];
  const offers = subsets.reduce(
    (sum, { hostnames, ports }) => sum + hostnames.length * Math.max(ports.length, 1),
    0,
  );
  if (offers > bounds.offers.most)
    return {
      reason: "TooLarge",
      sentence: `the Endpoints of ${words} have ${inWords(offers)} pairs of a pod and a port and those of a mirror at most ${inWords(bounds.offers.most)}: split it into several`,
    };
  const mirrors = headlessMirrors(service, endpoints, subsets, link, gateway);
  return { mirrors, missing: held.missing };
}
