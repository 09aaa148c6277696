/**
 * Reading clusters and deciding about them outside a provider, as the watch does. It is not part of index.ts, because
 * the Pulumi program imports that and would load all of this in every run.
 */
export { Clusters } from "./observe/clusters.ts";
export { probeGateway } from "./observe/gateway-probe.ts";
export { addressesOf } from "./observe/names.ts";
export { type CheckedSource, checkSource } from "./reconcile/reconcile.ts";
