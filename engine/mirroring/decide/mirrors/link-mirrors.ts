import {
  type Endpoints,
  isHeadless,
  keyOf,
  type ObjectKey,
  type Service,
} from "../../../kubernetes/objects/objects.ts";
import type { Mirror } from "../../../model/mirror.ts";
import type { KnownSets, LinkView } from "../../../model/observation.ts";
import { absentPods, heldPods } from "../../../model/absent-pods.ts";
import { hostSubsets, headlessShape } from "../../../model/headless.ts";
import { omittedPorts, withoutNamedPorts, withoutPorts } from "../policies/exports.ts";
import { dependsOnEndpoints } from "../../../model/link.ts";
import type { Skip, Why } from "../../../model/reasons.ts";
import { mirrorName, mirrorNamespace } from "../../../model/vocabulary.ts";
import { ruleChain } from "../policies/rule-chain.ts";
import { elsewhere, firstBroken, nameRules, refuse } from "../policies/rules.ts";
import { exportMode } from "../../../model/selection.ts";
import { desiredProbe } from "./probe.ts";
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
  const probe = desiredProbe(view);
  const mirrors = [...probe.mirrors];
  const skips = [...probe.skips];
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

type Outcome = Pick<Desired, "mirrors"> & Partial<Omit<ReturnType<typeof heldPods>, "subsets">>;

/** @param absent pods of the Service that have mirrors and are in no Endpoints now */
function mirrorsOf(whole: Service, view: LinkView, absent: readonly string[]): Outcome | Why {
  const { link, source, snapshot: target, gateway } = view;
  const mode = exportMode(whole, link);
  if (mode === undefined) return { mirrors: [] };
  const service = withoutPorts(whole, omittedPorts(whole));
  const place = mirrorNamespace(service.metadata.namespace, link);
  const endpoints = dependsOnEndpoints(link) ? target.endpoints.get(keyOf(service)) : undefined;
  const stateful =
    mode === "gateway" && link.headless && isHeadless(service)
      ? podsOf(whole, service, endpoints, view, absent)
      : undefined;
  const broken = firstBroken(ruleChain, {
    service: whole,
    cluster: link.target,
    name: mirrorName(service.metadata.name, link),
    link,
    place,
    namespace: source.namespaces.get(place),
    ...(mode === "gateway" && { target, gateway, endpoints, ...stateful }),
  });
  if (broken !== undefined) return broken;
  if (mode === "discovery") return { mirrors: [discoveryMirror(service, link)] };
  if ("why" in gateway) throw new TypeError("a gateway that is not known has passed the rules");
  const { gateway: facts } = gateway.value;
  if (stateful?.shape !== "headless")
    return { mirrors: [gatewayMirror(service, endpoints, link, facts)] };
  const { pods, held } = stateful;
  const { subsets: _, ...found } = held;
  return { mirrors: headlessMirrors(service, endpoints, pods, link, facts), ...found };
}

function podsOf(
  whole: Service,
  service: Service,
  endpoints: Endpoints | undefined,
  view: LinkView,
  absent: readonly string[],
) {
  const held = heldPods(service, endpoints, view, absent);
  const subsets = [...hostSubsets(endpoints, view.link.readiness), ...held.subsets];
  const omitted = omittedPorts(whole);
  const pods = subsets.map((subset) => withoutNamedPorts(subset, omitted));
  return { held, pods, shape: headlessShape(service, endpoints, held.subsets, view) };
}
