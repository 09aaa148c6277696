import type { HealthCheck, CheckedCluster, CheckedLink } from "../health-check.ts";
import { singleController, singleFederation } from "./controllers.ts";
import { failoverInOrder } from "./failover.ts";
import { gatewayAlive, gatewayKnown, gatewayRedundant, mirrorsHaveEndpoints } from "./endpoints.ts";
import { gatewayClosed } from "./gates.ts";
import { credentialsExist, credentialsWork, linkResource, linksServed } from "./link.ts";
import { federatedInOrder, mirrorsInOrder } from "./mirrors.ts";
import { noOrphans } from "./orphans.ts";
import { clientsMeshed, podRangesDisjoint } from "./pods.ts";
import {
  anchorsShared,
  anchorsValid,
  domainsShared,
  issuersTrusted,
  issuerValid,
  proxiesCurrent,
} from "./trust.ts";

/** A run tolerates its failure. */
export const clusterReached: HealthCheck<CheckedCluster> = {
  id: "cluster-reached",
  title: "the cluster can be read",
  finds: "a cluster that can't be read; the others are checked",
  severity: "fatal",
  run: ({ reading }) => ("why" in reading.snapshot ? [reading.snapshot.why] : []),
};

/** The order of checks lets one failure explain the next. */
export const clusterChecks: readonly HealthCheck<CheckedCluster>[] = [
  clusterReached,
  linksServed,
  anchorsValid,
  issuerValid,
  proxiesCurrent,
  podRangesDisjoint,
  singleFederation,
  federatedInOrder,
  failoverInOrder,
  gatewayClosed,
  noOrphans,
  clientsMeshed,
];

export const linkChecks: readonly HealthCheck<CheckedLink>[] = [
  anchorsShared,
  issuersTrusted,
  domainsShared,
  gatewayKnown,
  gatewayAlive,
  gatewayRedundant,
  linkResource,
  credentialsExist,
  credentialsWork,
  singleController,
  mirrorsInOrder,
  mirrorsHaveEndpoints,
];
