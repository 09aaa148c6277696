import type { RouteDecision } from "../../model/route.ts";
import { verdicts } from "../../model/verdicts.ts";
import type { CheckedCluster, Finding, HealthCheck } from "../health-check.ts";

export const failoverInOrder: HealthCheck<CheckedCluster> = {
  id: "failover-in-order",
  title: "requests are routed as the config says",
  finds:
    "HTTPRoutes of `failover` and `traffic` that are missing, left over, changed or can't be listed; clusters that they lack; drained clusters",
  severity: "error",
  run: ({ mesh, cluster, failover }) => {
    const drained = (mesh.drained ?? []).filter((name) => name === cluster).map(drainedFinding);
    if (failover === undefined && drained.length > 0) return drained;
    if (failover === undefined)
      return { skipped: "this stack mirrors nothing into this cluster, or can't decide what" };
    if (mesh.stack === undefined)
      return { skipped: "the stack's name isn't known, and so which HTTPRoutes are its own" };
    if ("why" in failover) {
      const { why: sentence, cause } = failover;
      // A run fails only where nobody may list them.
      return cause === "refused" ? [sentence] : [{ sentence, severity: "warning" }];
    }
    const { routes, problems } = failover.value;
    return [
      ...drained,
      ...routes.flatMap((route) => pending(route, cluster)),
      ...problems.map(({ key, sentence }): Finding => {
        return { sentence: `${cluster}/${key}: ${sentence}`, severity: "warning" };
      }),
    ];
  },
};

/** A drain is easily forgotten after the maintenance. */
function drainedFinding(cluster: string): Finding {
  const sentence = `cluster ${cluster} is drained, so routes and federated Services leave it out`;
  return { sentence, severity: "warning", fix: "remove drained from its config once it may serve" };
}

function pending({ verdict, key }: RouteDecision, cluster: string): Finding[] {
  if (verdict === "keep" || verdict === "handOver") return [];
  const isLeftOver = verdict === "delete";
  const state = isLeftOver
    ? "is left over, since nothing asks for it"
    : verdicts[verdict].predicate;
  return [{ sentence: `HTTPRoute ${cluster}/${key} ${state}`, fix: "pulumi up" }];
}
