/** Plays Linkerd's policy controller for the routes of a closed gateway, where no pod runs. */
import { setTimeout as sleep } from "node:timers/promises";

import type { BedCluster } from "../bed/bed.ts";
import * as clusters from "../e2e/access-clusters.ts";

const policies = "/apis/policy.linkerd.io/v1alpha1/namespaces/linkerd-multicluster";
export const authorizationPolicies = `${policies}/authorizationpolicies`;
export const routes = `${policies.replace("v1alpha1", "v1beta3")}/httproutes`;
export const server = { group: "policy.linkerd.io", kind: "Server", name: "linkerd-gateway" };

interface Routes {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly spec: { readonly hostnames?: readonly string[] };
    readonly status?: object;
  }[];
}

interface Policy {
  readonly spec: { readonly targetRef: { readonly kind: string } };
}

/** Accepts routes until the action ends, and returns its result. */
export async function accepting<T>(cluster: BedCluster, action: () => Promise<T>): Promise<T> {
  let isOver = false;
  const lastTransitionTime = new Date().toISOString();
  const accepted = { type: "Accepted", status: "True", reason: "Accepted", message: "" };
  const conditions = [{ ...accepted, lastTransitionTime }];
  const controllerName = "linkerd.io/policy-controller";
  const parents = [{ controllerName, parentRef: server, conditions }];
  const accept = async () => {
    while (!isOver) {
      const { code, body } = await cluster.request("GET", routes);
      const { items } = code === 200 ? (body as Routes) : { items: [] };
      for (const { metadata, status } of items)
        if (status === undefined)
          await cluster.request("PATCH", `${routes}/${metadata.name}/status`, {
            status: { parents },
          });
      await sleep(100);
    }
  };
  const ended = accept();
  try {
    return await action();
  } finally {
    isOver = true;
    await ended;
  }
}

/** Returns the Services of the namespace `shop` that a gateway admits clients to, and whether it is closed. */
export async function gateOf(cluster: BedCluster): Promise<readonly [boolean, readonly string[]]> {
  const { spec } = await clusters.get<Policy>(cluster, `${authorizationPolicies}/linkerd-gateway`);
  const { items } = await clusters.get<Routes>(cluster, routes);
  const all = items.flatMap((route) => route.spec.hostnames ?? []);
  const names = all.map((host) => host.replace(".shop.svc.cluster.local", "")).sort();
  return [spec.targetRef.kind === "HTTPRoute", names];
}
