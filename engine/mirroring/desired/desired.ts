import type { GatewayReading } from "../model/gateway.ts";
import type { LinkSpec } from "../model/link.ts";
import type { Mirror } from "../model/mirror.ts";
import {
  isHeadless,
  keyOf,
  objectKey,
  type Endpoints,
  type Service,
} from "../../kubernetes/objects.ts";
import type { Reason, Skip } from "../model/reasons.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import { label, mirrorName } from "../model/vocabulary.ts";
import { discoveryMirror } from "./discovery.ts";
import { gatewayMirror } from "./gateway.ts";
import { headlessMirrors } from "./headless.ts";
import { anyNamed, truncated } from "./hosts.ts";
import { exportMode, unheardExport } from "./mode.ts";
import { refuse } from "./refuse.ts";
import { brokenRule, tooLong } from "./rules.ts";

/** All that decides what a link mirrors. */
export interface LinkView {
  readonly link: LinkSpec;
  readonly source: ClusterSnapshot;
  readonly target: ClusterSnapshot;
  readonly gateway: GatewayReading;
}

export interface Desired {
  /** In the order of their origins. */
  readonly mirrors: readonly Mirror[];
  readonly skips: readonly Skip[];
}

/** Every mirror that should exist in the source for one link, and why the others should not. */
export function desired(view: LinkView): Desired {
  const mirrors: Mirror[] = [];
  const skips: Skip[] = [];
  const services = [...view.target.services].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [, service] of services) {
    const outcome = mirrorsOf(service, view);
    if ("reason" in outcome) skips.push(skip(service, view.link, outcome));
    else mirrors.push(...outcome.mirrors);
  }
  const long = mirrors.flatMap((mirror) => {
    const sentence = tooLong(mirror.name);
    return sentence === undefined ? [] : [{ mirror, reason: "NameTooLong" as const, sentence }];
  });
  const fitting = refuse(mirrors, long);
  return { mirrors: fitting.mirrors, skips: [...skips, ...fitting.skips] };
}

type Outcome =
  { readonly mirrors: readonly Mirror[] } | { readonly reason: Reason; readonly sentence: string };

function mirrorsOf(service: Service, view: LinkView): Outcome {
  const { link, source, target, gateway } = view;
  const mode = exportMode(service, link);
  if (mode === undefined) {
    const sentence = unheardExport(service, link);
    return sentence === undefined ? { mirrors: [] } : { reason: "NotSelected", sentence };
  }
  const namespace = source.namespaces.get(service.metadata.namespace);
  const name = mirrorName(service.metadata.name, link.target);
  const broken = brokenRule({ service, cluster: link.target, name, link, namespace });
  if (broken !== undefined) return broken;
  if (mode === "discovery") return { mirrors: [discoveryMirror(service, link)] };
  if (!gateway.known) return { reason: "NoGateway", sentence: gateway.why };

  const endpoints = target.endpoints.get(keyOf(service));
  if (link.headless && isHeadless(service)) {
    const shape = headlessShape(endpoints, liveMirror(service, view));
    if (shape === "unknown") return noPods(service, link);
    if (shape === "headless") {
      if (endpoints !== undefined && truncated(endpoints)) return tooManyPods(service);
      return { mirrors: headlessMirrors(service, endpoints, link, gateway.gateway) };
    }
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
): "headless" | "clusterIP" | "unknown" {
  if (endpoints !== undefined && (endpoints.subsets ?? []).length > 0)
    return anyNamed(endpoints) ? "headless" : "clusterIP";
  if (live === undefined) return "unknown";
  return isHeadless(live) ? "headless" : "clusterIP";
}

function liveMirror(service: Service, { link, source }: LinkView): Service | undefined {
  const { namespace, name } = service.metadata;
  const live = source.services.get(objectKey(namespace, mirrorName(name, link.target)));
  return live?.metadata.labels?.[label.cluster] === link.target ? live : undefined;
}

function noPods(service: Service, link: LinkSpec): Outcome {
  return {
    reason: "NoPods",
    sentence: `the headless Service ${keyOf(service)} has no pods on ${link.target} yet, and whether they have names decides what its mirror is: run again when it has`,
  };
}

function tooManyPods(service: Service): Outcome {
  return {
    reason: "TruncatedEndpoints",
    sentence: `the headless Service ${keyOf(service)} has more than 1,000 pods, of which its Endpoints name only the first: split it into several`,
  };
}

function skip(
  service: Service,
  link: LinkSpec,
  why: { readonly reason: Reason; readonly sentence: string },
): Skip {
  const { reason, sentence } = why;
  return {
    origin: keyOf(service),
    mirror: mirrorName(service.metadata.name, link.target),
    reason,
    sentence,
  };
}
