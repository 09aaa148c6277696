import { kubectlIn } from "../../kubernetes/objects/names.ts";
import {
  alsoFederatesText,
  alsoMirrorsText,
  type Controller,
  deploymentOf,
  noControllerText,
  running,
} from "../../model/controller.ts";
import { isListed } from "../../model/decision.ts";
import { listed } from "../../base/message.ts";
import type { HealthCheck, Finding, CheckedCluster, CheckedLink } from "../health-check.ts";
import type { LinkSpec } from "../../model/link.ts";
import { valueIn } from "../../base/result.ts";

export const singleController: HealthCheck<CheckedLink> = {
  id: "single-controller",
  title: "a single controller mirrors the link, the one in the config",
  anchor: "l5d-multicluster-service-mirror-running",
  severity: "error",
  run: ({ mesh, link, source: { controllers }, mirroring }) => {
    if (controllers === undefined || "why" in controllers)
      return { skipped: `the Deployments of cluster ${link.source} can't be read` };
    return mirroring === "controller"
      ? controlled(link, mesh.clusters[link.source]?.context ?? link.source, controllers.value)
      : running(controllers.value, link.target).map((each) => ({
          sentence: alsoMirrorsText(link.source, each),
          severity: "warning",
        }));
  },
};

export const singleFederation: HealthCheck<CheckedCluster> = {
  id: "single-federation",
  title: "nothing else writes the federated Services",
  finds: "the chart's local service mirror, if it writes the same federated Services: a warning",
  severity: "warning",
  run: ({ mesh, cluster, federated, reading: { controllers } }) => {
    const united = (valueIn(federated) ?? []).filter(isListed).map(({ key }) => key);
    if (united.length === 0) return { skipped: "this stack federates nothing into this cluster" };
    if (controllers === undefined || "why" in controllers)
      return { skipped: `the Deployments of cluster ${cluster} can't be read` };
    const context = mesh.clusters[cluster]?.context ?? cluster;
    return running(controllers.value, undefined).map((each) =>
      alsoFederatesText(cluster, context, each, listed(united)),
    );
  },
};

function controlled(
  { source, target }: LinkSpec,
  context: string,
  controllers: readonly Controller[],
): readonly Finding[] {
  const own = controllers.filter((each) => each.target === target);
  const [first, ...more] = running(own, target);
  if (own.some(({ ready }) => ready > 0)) {
    if (first === undefined || more.length === 0) return [];
    const names = [first, ...more].map((each) => deploymentOf(source, each)).join(" and ");
    const sentence = `${names} both mirror this link: remove all but one`;
    return [{ sentence, severity: "warning" }];
  }
  const [any] = own;
  return [
    any === undefined
      ? `${noControllerText(source, target)}, so nothing mirrors it: add it to controllers of the chart linkerd-multicluster, or remove mirroring: controller from the link`
      : {
          sentence: `${deploymentOf(source, any)} has no ready pod, so nothing mirrors this link`,
          fix: `${kubectlIn(context)} --namespace ${any.namespace} describe deployment ${any.name}`,
        },
  ];
}
