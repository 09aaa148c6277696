import type { CheckedCluster, Finding, HealthCheck } from "../health-check.ts";

export const gatewayClosed: HealthCheck<CheckedCluster> = {
  id: "gateway-closed",
  title: "the gateway admits only what is exported",
  finds:
    "a gateway with `gatewayAccess: exported` that somebody has opened, whose policies are missing, changed or can't be listed, or that others may open; exports that it can't admit",
  severity: "error",
  appliesTo: ({ gate }) => gate !== undefined,
  run: ({ cluster, gate }) => {
    if (gate === undefined) return [];
    if ("why" in gate) return [gate.why];
    const { isOpen, isDue, problems, warnings } = gate.value;
    const fix = "pulumi up";
    const opened = `the gateway of ${cluster} is open, and forwards requests to what is not exported`;
    const differs = `the policies of the closed gateway of ${cluster} differ from what they should be`;
    return [
      ...(isOpen ? [{ sentence: opened, fix }] : []),
      ...(isDue ? [{ sentence: differs, fix }] : []),
      ...problems,
      ...warnings.map((sentence): Finding => ({ sentence, severity: "warning" })),
    ];
  },
};
