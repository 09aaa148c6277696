import type { RouteDecision } from "../../model/route.ts";
import { verdicts } from "../../model/verdicts.ts";
import type { CheckedCluster, Finding, HealthCheck } from "../health-check.ts";

export const failoverInOrder: HealthCheck<CheckedCluster> = {
  id: "failover-in-order",
  title: "requests fail over as the config says",
  finds:
    "HTTPRoutes of `failover` that are missing, left over, changed or can't be listed; clusters that they lack",
  severity: "error",
  run: ({ mesh, cluster, failover }) => {
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
      ...routes.flatMap((route) => pending(route, cluster)),
      ...problems.map(({ key, sentence }): Finding => {
        return { sentence: `${cluster}/${key}: ${sentence}`, severity: "warning" };
      }),
    ];
  },
};

function pending({ verdict, key }: RouteDecision, cluster: string): Finding[] {
  if (verdict === "keep" || verdict === "handOver") return [];
  const isLeftOver = verdict === "delete";
  const state = isLeftOver
    ? "is left over, since nothing asks for it"
    : verdicts[verdict].predicate;
  return [{ sentence: `HTTPRoute ${cluster}/${key} ${state}`, fix: "pulumi up" }];
}
