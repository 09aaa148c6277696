import type { HealthCheck, CheckedCluster, CheckedLink } from "../health-check.ts";
import { anchorsValid, issuerValid } from "./certificates.ts";
import { singleController, singleFederation } from "./controllers.ts";
import { credentialsExist, credentialsWork } from "./credentials.ts";
import { gatewayAlive, gatewayKnown, mirrorsHaveEndpoints } from "./endpoints.ts";
import { linkResource, linksServed } from "./link-resource.ts";
import { federatedInOrder, mirrorsInOrder } from "./mirrors.ts";
import { noOrphans } from "./orphans.ts";
import { clientsMeshed, podRangesDisjoint } from "./pods.ts";
import { anchorsShared, domainsShared, issuersTrusted } from "./trust.ts";

/** A run tolerates its failure. */
export const clusterReached: HealthCheck<CheckedCluster> = {
  id: "cluster-reached",
  title: "the cluster can be read",
  severity: "fatal",
  run: ({ reading }) => ("why" in reading.snapshot ? [reading.snapshot.why] : []),
};

/** The order of checks lets one failure explain the next. */
export const clusterChecks: readonly HealthCheck<CheckedCluster>[] = [
  clusterReached,
  linksServed,
  anchorsValid,
  issuerValid,
  podRangesDisjoint,
  singleFederation,
  federatedInOrder,
  noOrphans,
  clientsMeshed,
];

export const linkChecks: readonly HealthCheck<CheckedLink>[] = [
  anchorsShared,
  issuersTrusted,
  domainsShared,
  gatewayKnown,
  gatewayAlive,
  linkResource,
  credentialsExist,
  credentialsWork,
  singleController,
  mirrorsInOrder,
  mirrorsHaveEndpoints,
];
