/**
 * The watch reads clusters and decides about them outside a provider. This is not part of index.ts, because the Pulumi
 * program imports that and would load all of this in every run.
 */
export { Clusters } from "../reading/clusters.ts";
export { probeGateway } from "../reading/gateway.ts";
export { proberOf, type Unheard } from "../reading/prober.ts";
export type { Answered } from "../model/prober.ts";
export { addressesOf } from "../reading/names.ts";
export { MirrorsLeft } from "./mirrors-left.ts";
export { type CheckedSource, checkSource } from "./reconcile.ts";
export {
  type Found,
  foundVariable,
  type Losses,
  lossesOf,
  nothingFound,
  settlingTime,
} from "./settled.ts";
