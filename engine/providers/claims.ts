import { accepted, statelessResource } from "./contract.ts";

/** Inputs and state of a claim that an earlier version made. */
export interface FormerClaim {
  readonly cluster: string;
}

/**
 * What state of versions before 0.2 calls: a stack with `sources` claimed its clusters. No program makes claims any more,
 * so that this is only asked to read and to delete them. Their Leases stay, and mean nothing.
 */
export const claims = statelessResource<FormerClaim, FormerClaim>({
  idOf: ({ cluster }) => cluster,
  check: accepted,
  subject: () => ({}),
  make: (inputs) => Promise.resolve(inputs),
});
