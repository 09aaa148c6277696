import { KubernetesError } from "../kubernetes/client/errors.ts";
import type { Kubernetes } from "../kubernetes/client/interface.ts";
import { rbacName, resources } from "../kubernetes/objects/resources.ts";
import { SharedValues } from "../kubernetes/objects/shared-values.ts";
import type { Routes } from "../mirroring/model/route.ts";

/**
 * Reads whatever decides where proxies send requests for a Service. A kind that isn't served has no objects: the run
 * may install its CRD before it writes routes.
 *
 * @throws KubernetesError when one of the lists can't be read to its end
 */
export async function routesIn(kubernetes: Kubernetes): Promise<Routes> {
  const options = { keep: new SharedValues() };
  const ifServed = async <T>(list: Promise<T[]>): Promise<readonly T[]> =>
    list.catch((error: unknown) => {
      if (error instanceof KubernetesError && error.kind === "notFound") return [];
      throw error;
    });
  const { httpRoutes, gatewayHttpRoutes, grpcRoutes, serviceProfiles } = resources;
  const [own, http, grpc, profiles] = await Promise.all([
    ifServed(kubernetes.list(httpRoutes, options)),
    ifServed(kubernetes.list(gatewayHttpRoutes, options)),
    ifServed(kubernetes.list(grpcRoutes, options)),
    ifServed(kubernetes.list(serviceProfiles, options)),
  ]);
  return {
    httpRoutes: own,
    others: [
      ...http.map((route) => ({ kind: rbacName(gatewayHttpRoutes), ...route })),
      ...grpc.map((route) => ({ kind: rbacName(grpcRoutes), ...route })),
    ],
    profiles,
  };
}
