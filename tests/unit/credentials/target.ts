import type { TargetArgs, TargetFacts } from "../../../engine/credentials/state.ts";

export const args: TargetArgs = {
  source: "east",
  target: "west",
  access: { context: "k3d-west" },
  targetDomain: "cluster.local",
  gateway: { namespace: "linkerd-multicluster", name: "linkerd-gateway" },
  linkerdNamespace: "linkerd",
  multiclusterNamespace: "linkerd-multicluster",
  rotation: { generation: 1 },
};

export const facts: TargetFacts = {
  server: "https://west.example.com",
  trustDomain: "cluster.local",
  clusterDomain: "cluster.local",
  token: "linkerd-multicluster-access-east-token-1-1",
};
