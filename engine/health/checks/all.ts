import type { Check } from "../check.ts";
import type { ClusterView, LinkView } from "../view.ts";
import { anchorsValid, issuerValid } from "./certificates.ts";
import { clusterReached, linksServed } from "./cluster.ts";
import { credentialsThere, credentialsWork } from "./credentials.ts";
import { mirrorsHaveEndpoints } from "./endpoints.ts";
import { gatewayKnown } from "./gateway.ts";
import { linkResource } from "./link-resource.ts";
import { federatedInOrder, mirrorsInOrder } from "./mirrors.ts";
import { oneMirrorer } from "./single-controller.ts";
import { noOrphans } from "./orphans.ts";
import { anchorsShared, issuersTrusted } from "./trust.ts";

/** Of every cluster, in the order in which one failure explains the next. */
export const clusterChecks: readonly Check<ClusterView>[] = [
  clusterReached, // nothing else can be said otherwise
  linksServed, // without them, no Link resource
  anchorsValid, // what all identities rest on
  issuerValid, // what gives them out
  federatedInOrder, // of all links into the cluster together
  noOrphans, // what links that are gone have left
];

/** Of every link. */
export const linkChecks: readonly Check<LinkView>[] = [
  anchorsShared, // whether mTLS can work at all
  issuersTrusted, // in both directions
  gatewayKnown, // where the traffic goes
  linkResource, // what Linkerd knows of the link
  credentialsThere, // where Linkerd looks for them
  credentialsWork, // once they are used
  oneMirrorer, // who else writes, or that nobody does
  mirrorsInOrder, // what this program makes of it all
  mirrorsHaveEndpoints, // where clients get to
];
