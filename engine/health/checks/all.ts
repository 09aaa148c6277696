import type { HealthCheck, CheckedCluster, CheckedLink } from "../health-check.ts";
import { clientsMeshed } from "./clients.ts";
import { anchorsValid, issuerValid } from "./certificates.ts";
import { singleController, singleFederation } from "./controllers.ts";
import { credentialsExist, credentialsWork } from "./credentials.ts";
import { gatewayAlive, gatewayKnown, mirrorsHaveEndpoints } from "./endpoints.ts";
import { linkResource, linksServed } from "./link-resource.ts";
import { federatedInOrder, mirrorsInOrder } from "./mirrors.ts";
import { noOrphans } from "./orphans.ts";
import { podRangesDisjoint } from "./pod-ranges.ts";
import { anchorsShared, domainsShared, issuersTrusted } from "./trust.ts";

/** If this first check fails, nothing can be said about the cluster. A run tolerates its failure. */
export const clusterReached: HealthCheck<CheckedCluster> = {
  id: "cluster-reached",
  title: "the cluster can be read",
  severity: "fatal",
  aboutLinkerd: false,
  run: ({ reading }) => ("why" in reading.snapshot ? [reading.snapshot.why] : []),
};

/** The checks of a cluster are ordered so that one failure explains the next. */
export const clusterChecks: readonly HealthCheck<CheckedCluster>[] = [
  clusterReached, // nothing else can be said otherwise
  linksServed, // without them, no Link resource
  anchorsValid, // what all identities rest on
  issuerValid, // what issues their certificates
  podRangesDisjoint, // whether an address means one pod
  singleFederation, // what else writes them, or that nothing does
  federatedInOrder, // of all links into the cluster together
  noOrphans, // what removed links have left
  clientsMeshed, // who can use the mirrors at all
];

export const linkChecks: readonly HealthCheck<CheckedLink>[] = [
  anchorsShared, // whether mTLS can work at all
  issuersTrusted, // in both directions
  domainsShared, // what policies go by
  gatewayKnown, // where traffic goes
  gatewayAlive, // and whether it is taken there
  linkResource, // what Linkerd knows of the link
  credentialsExist, // where Linkerd looks for them
  credentialsWork, // once they are used
  singleController, // what else writes mirrors, or that nothing does
  mirrorsInOrder, // what this program does about them
  mirrorsHaveEndpoints, // where clients connect to
];
