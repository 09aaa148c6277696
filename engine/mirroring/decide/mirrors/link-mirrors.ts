import {
  isHeadless,
  keyOf,
  objectKey,
  type ObjectKey,
  type Service,
} from "../../../kubernetes/objects/objects.ts";
import { omitUndefined } from "../../../kubernetes/objects/omit-undefined.ts";
import type { LinkSpec } from "../../../model/link.ts";
import type { Mirror } from "../../../model/mirror.ts";
import type { ClusterSnapshot } from "../../../model/snapshot.ts";
import type { KnownSets, LinkView } from "../../../model/observation.ts";
import { absentPods, heldPods } from "../../../model/absent-pods.ts";
import { hostSubsets, headlessShape, tooManyPods } from "../../../model/headless.ts";
import { omittedPorts, withoutNamedPorts, withoutPorts } from "../policies/exports.ts";
import type { Fix, Skip, Why } from "../../../model/reasons.ts";
import { mirrorName, mirrorNamespace } from "../../../model/vocabulary.ts";
import {
  discoveryElsewhere,
  elsewhere,
  firstBroken,
  nameRules,
  refuse,
  rules,
  whyHead,
} from "../policies/rules.ts";
import { exportMode } from "../../../model/selection.ts";
import { discoveryMirror, gatewayMirror, headlessMirrors } from "./service-mirrors.ts";

export interface Desired {
  readonly mirrors: readonly Mirror[];
  readonly skips: readonly Skip[];
  readonly missing: Readonly<Record<ObjectKey, string>>;
  /** The pods of these mirrors are provably gone. */
  readonly proven: readonly ObjectKey[];
  readonly knownSets: KnownSets;
}

export function desired(view: LinkView): Desired {
  const { link, source, snapshot: target } = view;
  const mirrors: Mirror[] = [];
  const skips: Skip[] = [];
  const missing: Record<ObjectKey, string> = {};
  const proven: ObjectKey[] = [];
  const knownSets: Record<ObjectKey, readonly string[]> = {};
  const absent = absentPods(link, source, target);
  const services = [...target.services].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [origin, service] of services) {
    const outcome = mirrorsOf(service, view, absent.get(origin) ?? []);
    if ("reason" in outcome) {
      const { name, namespace } = service.metadata;
      const place = elsewhere(mirrorNamespace(namespace, link), origin);
      skips.push({ origin, mirror: mirrorName(name, link), ...place, ...outcome });
    } else {
      for (const mirror of outcome.mirrors) mirrors.push(mirror);
      Object.assign(missing, outcome.missing);
      for (const key of outcome.proven ?? []) proven.push(key);
      if (outcome.known !== undefined && outcome.known.length > 0)
        knownSets[origin] = outcome.known;
    }
  }
  const misnamed = mirrors.flatMap((mirror) => {
    const broken = firstBroken(nameRules, mirror);
    return broken === undefined ? [] : [{ mirror, ...broken }];
  });
  const named = refuse(mirrors, misnamed);
  return { mirrors: named.mirrors, skips: [...skips, ...named.skips], missing, proven, knownSets };
}

/** Kubernetes records at the Service why it has no address. Without the Service, the gateway may have another name. */
function described({ target, gateway }: LinkSpec, { services }: ClusterSnapshot): Fix | undefined {
  if (gateway === false) return undefined;
  const { namespace, name } = gateway;
  if (!services.has(objectKey(namespace, name)))
    return {
      cluster: target,
      kubectl: "get services --all-namespaces --selector linkerd.io/extension=multicluster",
    };
  return { cluster: target, kubectl: `--namespace ${namespace} describe service ${name}` };
}

type Outcome = Pick<Desired, "mirrors"> & Partial<Omit<ReturnType<typeof heldPods>, "subsets">>;

/** @param absent pods of the Service that have mirrors and are in no Endpoints now */
function mirrorsOf(whole: Service, view: LinkView, absent: readonly string[]): Outcome | Why {
  const { link, source, snapshot: target, gateway } = view;
  const omitted = omittedPorts(whole);
  const service = withoutPorts(whole, omitted);
  const mode = exportMode(service, link);
  if (mode === undefined) return { mirrors: [] };
  const place = mirrorNamespace(service.metadata.namespace, link);
  const candidate = {
    service: whole,
    cluster: link.target,
    name: mirrorName(service.metadata.name, link),
    link,
    place,
    namespace: source.namespaces.get(place),
  };
  const broken = firstBroken(rules, candidate);
  if (broken !== undefined) return broken;
  if (mode === "discovery")
    return discoveryElsewhere(candidate) ?? { mirrors: [discoveryMirror(service, link)] };
  if ("why" in gateway)
    return {
      reason: "NoGateway",
      sentence: gateway.why,
      ...omitUndefined({ fix: described(link, target) }),
    };

  const endpoints = target.endpoints.get(keyOf(service));
  const unread = whyHead(link.target, "Endpoints", endpoints);
  if (unread !== undefined) return { reason: "TooLarge", sentence: unread };
  if (link.headless && isHeadless(service)) {
    const held = heldPods(service, endpoints, view, absent);
    const shape = headlessShape(service, endpoints, held.subsets, view);
    if (typeof shape === "object") return shape;
    if (shape === "headless") {
      const pods = [...hostSubsets(endpoints, link.readiness), ...held.subsets].map((subset) =>
        withoutNamedPorts(subset, omitted),
      );
      const tooMany = tooManyPods(service, endpoints, pods);
      if (tooMany !== undefined) return tooMany;
      const mirrors = headlessMirrors(service, endpoints, pods, link, gateway.value.gateway);
      const { subsets: _, ...found } = held;
      return { mirrors, ...found };
    }
  }
  return { mirrors: [gatewayMirror(service, endpoints, link, gateway.value.gateway)] };
}
