import {
  isHeadless,
  objectKey,
  type ObjectKey,
  type Service,
} from "../../kubernetes/objects/objects.ts";
import { readyPods } from "../../model/headless.ts";
import { originOf } from "../../model/live-mirrors.ts";
import { mirrorsOf } from "../../model/owner.ts";
import type { ClusterSnapshot } from "../../model/snapshot.ts";
import { label, tokensIn } from "../../model/vocabulary.ts";
import {
  type HealthCheck,
  type Finding,
  unreadCluster,
  type CheckedLink,
} from "../health-check.ts";
import { valueIn } from "../../base/result.ts";

export const gatewayKnown: HealthCheck<CheckedLink> = {
  id: "gateway",
  title: "the target's gateway has an address, a port and an identity",
  anchor: "l5d-multicluster-gateways-endpoints",
  severity: "error",
  run: ({ link, reading: { target } }) => {
    if (link.gateway === false) return { skipped: "the link has no gateway (gateway: false)" };
    if ("why" in target) return unreadCluster(link.target);
    const { gateway } = target.value;
    if ("why" in gateway) return [gateway.why];
    return gateway.value.warnings.map((sentence) => ({ sentence, severity: "warning" as const }));
  },
};

/** This is check 9 of `linkerd multicluster check`, by the link's prober or the runner, if the link has them ask. */
export const gatewayAlive: HealthCheck<CheckedLink> = {
  id: "gateway-alive",
  title: "the target's gateway answers its probe",
  anchor: "l5d-multicluster-gateways-endpoints",
  severity: "error",
  appliesTo: ({ link }) => link.gatewayProbe || (link.prober !== false && link.gateway !== false),
  run: ({ link, target, reading: { probe } }) => {
    if ("why" in target.snapshot) return unreadCluster(link.target);
    if (probe === undefined) return { skipped: "its gateway is not known" };
    if ("why" in probe)
      return link.prober === false
        ? { skipped: probe.why }
        : [{ sentence: `${probe.why}: check its pod`, severity: "warning" }];
    const { down, path, port, isByProber = false } = probe;
    if (down === undefined) return [];
    const from = isByProber ? `pods of ${link.source}` : "this machine";
    return [
      `the gateway of ${link.target} fails its probe ${path} at port ${port} (${down}), so requests to its mirrors fail: check its pods, and that ${from} can reach it`,
    ];
  },
};

export const gatewayRedundant: HealthCheck<CheckedLink> = {
  id: "gateway-redundant",
  title: "the target's gateway has more than one pod",
  finds: "a gateway with a single pod: a warning",
  severity: "warning",
  run: ({ link, target: { snapshot } }) => {
    if (link.gateway === false) return { skipped: "the link has no gateway (gateway: false)" };
    if ("why" in snapshot) return unreadCluster(link.target);
    const key = objectKey(link.gateway.namespace, link.gateway.name);
    const pods = readyPods(snapshot.value.endpoints.get(key));
    if (pods === undefined) return { skipped: "nobody knows the pods of its gateway" };
    if (pods !== 1) return [];
    return [
      `the gateway ${link.target}/${key} has a single pod, and while that is replaced, requests to its mirrors fail: set ha: true on the cluster, or gateway.replicas in the values of the chart linkerd-multicluster`,
    ];
  },
};

/** This is check 10 of `linkerd multicluster check` (linkerd-behaviour.md 8). */
export const mirrorsHaveEndpoints: HealthCheck<CheckedLink> = {
  id: "mirrors-have-endpoints",
  title: "the mirrors have endpoints",
  anchor: "l5d-multicluster-services-endpoints",
  severity: "error",
  run: ({ link, mirroring, source, target }) => {
    if ("why" in source.snapshot) return unreadCluster(link.source);
    const snapshot = source.snapshot.value;
    const exporting = valueIn(target.snapshot);
    const { owns } = mirrorsOf(link.target);
    return [...snapshot.services]
      .filter(([, service]) => owns(service) && needsEndpoints(service))
      .filter(([key]) => (snapshot.endpoints.get(key)?.subsets ?? []).length === 0)
      .map(([key, service]) => {
        const follows =
          mirroring === "controller" || link.readiness === "follow" || isHeadless(service);
        const where = `${link.source}/${key}`;
        const origin = originOf(key, { service }).service;
        return empty(where, origin, link.target, follows ? exporting : undefined);
      });
  },
};

/** Linkerd watches the pods of other mirrors itself. */
function needsEndpoints({ metadata: { labels = {}, annotations = {} } }: Service): boolean {
  return labels[label.remoteDiscovery] === undefined && tokensIn(annotations).length === 0;
}

/** @param exporting the target, if the mirror follows its readiness */
function empty(
  where: string,
  origin: ObjectKey | undefined,
  target: string,
  exporting: ClusterSnapshot | undefined,
): Finding {
  const subsets = origin === undefined ? [] : (exporting?.endpoints.get(origin)?.subsets ?? []);
  const isReady = subsets.some(({ addresses = [] }) => addresses.length > 0);
  // With `readiness: follow`, a mirror without endpoints may be right.
  if (origin !== undefined && exporting?.services.has(origin) === true && !isReady) {
    const why = exporting.endpoints.has(origin)
      ? `${target}/${origin} has no ready pod: start one there`
      : `there are no Endpoints ${target}/${origin}, and EndpointSlices are not read: write Endpoints too`;
    return { sentence: `mirror ${where} has no endpoints, because ${why}`, severity: "warning" };
  }
  return {
    sentence: `mirror ${where} has no endpoints, so nothing can connect to it: check that the gateway of ${target} has an address`,
    fix: "pulumi up",
  };
}
