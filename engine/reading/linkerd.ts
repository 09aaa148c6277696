import { managedBy } from "../credentials/objects.ts";
import { linkerdConfigOf } from "../credentials/linkerd-config.ts";
import { fallback } from "../kubernetes/client/errors.ts";
import type { Kubernetes } from "../kubernetes/client/interface.ts";
import {
  keyOf,
  type Node,
  type ObjectKey,
  type OtherObject,
} from "../kubernetes/objects/objects.ts";
import type { OtherRoute } from "../kubernetes/objects/route-resource.ts";
import { rbacName, resources } from "../kubernetes/objects/resources.ts";
import { SharedValues } from "../kubernetes/objects/shared-values.ts";
import type { Controller } from "../model/controller.ts";
import { noRoutes, type Routes, routeSelector } from "../model/route.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import { label } from "../model/vocabulary.ts";
import { resultOf, valueIn } from "../base/result.ts";
import { podsBehind, readAnchors, readIssuer } from "../trust/observe.ts";
import type { LinkerdReading } from "./reading.ts";
import type { RouteExtent } from "./snapshot.ts";

export async function readLinkerd(
  kubernetes: Kubernetes,
  namespace: string,
): Promise<LinkerdReading> {
  const [links, anchors, issuer, config] = await Promise.all([
    resultOf(() => kubernetes.list(resources.links).catch(fallback(undefined, "notFound"))),
    resultOf(() => readAnchors(kubernetes, namespace)),
    resultOf(async () => (await readIssuer(kubernetes, namespace)).issuer),
    resultOf(() => linkerdConfigOf(kubernetes, namespace)),
  ]);
  const bundle = valueIn(anchors) ?? [];
  if (bundle.length < 2) return { links, anchors, issuer, config };
  const behind = await resultOf(() => podsBehind(kubernetes, namespace, bundle, new Date()));
  return { links, anchors, podsBehind: behind, issuer, config };
}

/** Finds Linkerd's controllers by the labels of the charts linkerd-multicluster and linkerd-multicluster-link. */
export async function controllersIn(
  kubernetes: Pick<Kubernetes, "list">,
): Promise<readonly Controller[]> {
  const labelSelector = "linkerd.io/extension=multicluster";
  const found = await kubernetes.list(resources.deployments, { labelSelector });
  return found.flatMap(({ metadata: { namespace, name, labels = {} }, spec, status }) => {
    const target = labels[label.cluster];
    // The extension's gateway has the label `extension` as well.
    // This program's prober has all labels of a controller, because Linkerd's tools look for them.
    if (Object.entries(managedBy).every(([key, value]) => labels[key] === value)) return [];
    if (target === undefined && labels.component !== "local-service-mirror") return [];
    const [replicas, ready] = [spec?.replicas ?? 1, status?.readyReplicas ?? 0];
    return [{ namespace, name, target, replicas, ready }];
  });
}

export function namespacesWithMirrors({ services }: ClusterSnapshot): string[] {
  const mirrors = [...services.values()].filter(
    ({ metadata: { labels = {} } }) =>
      labels[label.mirrored] === "true" && labels[label.mirroredGateway] === undefined,
  );
  return [...new Set(mirrors.map(({ metadata }) => metadata.namespace))].sort();
}

/**
 * A kind that isn't served has no objects, since the run may install its CRD before it writes routes.
 *
 * @param extent with `mirrors`, only routes with this program's label are read, and with `httpRoutes` no other kinds
 */
export async function routesIn(kubernetes: Kubernetes, extent?: RouteExtent): Promise<Routes> {
  const options = { keep: new SharedValues() };
  const { httpRoutes, gatewayHttpRoutes, grpcRoutes, serviceProfiles } = resources;
  const none = fallback([], "notFound");
  if (extent !== undefined) {
    const own = extent === "mirrors" ? { ...options, labelSelector: routeSelector } : options;
    return { ...noRoutes, httpRoutes: await kubernetes.list(httpRoutes, own).catch(none) };
  }
  const [own, http, grpc, profiles] = await Promise.all([
    kubernetes.list(httpRoutes, options).catch(fallback(undefined, "notFound")),
    kubernetes.list(gatewayHttpRoutes, options).catch(none),
    kubernetes.list(grpcRoutes, options).catch(none),
    kubernetes.list(serviceProfiles, options).catch(none),
  ]);
  return {
    httpRoutes: own ?? [],
    areServed: own !== undefined,
    others: [
      ...http.map((route) => ({ kind: rbacName(gatewayHttpRoutes), ...route })),
      ...grpc.map((route) => ({ kind: rbacName(grpcRoutes), ...route })),
      ...profiles.map(profileAsRoute),
    ],
  };
}

/** A ServiceProfile has the name of its Service in DNS, and one in another namespace is for the clients there. */
export function profileAsRoute({ metadata }: OtherObject): OtherRoute & { readonly kind: string } {
  const [name = "", namespace = ""] = metadata.name.split(".");
  return {
    kind: "ServiceProfile",
    metadata,
    spec: { parentRefs: [{ kind: "Service", name, namespace }] },
  };
}

/** One pod without a proxy is enough for the finding. */
const sample = { namespaces: 20, pods: 10 };

/** Linkerd's injector labels meshed pods (`IsMeshed` in `pkg/k8s/labels.go` of linkerd2). Pods may opt out of it. */
export async function unmeshedIn(
  kubernetes: Kubernetes,
  namespaces: readonly string[],
): Promise<readonly ObjectKey[]> {
  const options = {
    labelSelector: "!linkerd.io/control-plane-ns",
    fieldSelector: "status.phase!=Succeeded,status.phase!=Failed",
    first: sample.pods,
  };
  const found = await Promise.all(
    namespaces
      .slice(0, sample.namespaces)
      .map((namespace) => kubernetes.list(resources.pods, { namespace, ...options })),
  );
  return found.flatMap((pods) =>
    pods
      .filter(({ metadata }) => metadata.annotations?.["linkerd.io/inject"] !== "disabled")
      .slice(0, 1)
      .map(keyOf),
  );
}

export function podRangesOf(nodes: readonly Node[]): readonly string[] {
  return [...new Set(nodes.flatMap(({ spec }) => spec?.podCIDRs ?? []))].sort();
}
