import type { ChartName } from "../../config/keys/chart-keys.ts";
import type { HelmValues } from "../../config/mesh.ts";

const resources = (memory: string) => ({
  cpu: { limit: "", request: "100m" },
  memory: { limit: "250Mi", request: memory },
});

/** The file values-ha.yaml of each chart, which `linkerd install --ha` and `linkerd multicluster install --ha` use. */
export const haValues: Readonly<Record<ChartName, HelmValues>> = {
  "linkerd-crds": {},
  "linkerd-control-plane": {
    enablePodDisruptionBudget: true,
    controller: { podDisruptionBudget: { maxUnavailable: 1 } },
    deploymentStrategy: { rollingUpdate: { maxUnavailable: 1, maxSurge: "25%" } },
    enablePodAntiAffinity: true,
    proxy: { resources: { cpu: { request: "100m" }, memory: { limit: "250Mi", request: "20Mi" } } },
    controllerReplicas: 3,
    controllerResources: resources("50Mi"),
    destinationResources: resources("50Mi"),
    identityResources: resources("10Mi"),
    heartbeatResources: resources("50Mi"),
    proxyInjectorResources: resources("50Mi"),
    webhookFailurePolicy: "Fail",
    spValidatorResources: resources("50Mi"),
    highAvailability: true,
  },
  "linkerd-multicluster": { gateway: { replicas: 3 }, enablePodAntiAffinity: true },
};
