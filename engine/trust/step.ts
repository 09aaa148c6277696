import { bundleText } from "./bundle.ts";
import type { RotationPlan, RotationStage } from "./rotate.ts";
import type { Rotation } from "./rotation.ts";

/** A stack's next step in a rotation, which a trust stack publishes for others. It is plain data, because it is part of state. */
export interface Step {
  readonly stage: RotationStage;
  readonly notes: readonly string[];
  readonly clusters: Shares;
}

export type Shares = Readonly<Record<string, Share>>;

export interface Share {
  readonly bundlePem: string;
  /** The fingerprint of its issuer's anchor. */
  readonly issuer: string;
}

/** Returns plain data, which Outputs pass on as it is. */
export function stepOf(
  { stage, notes, clusters }: RotationPlan,
  { wanted, previous = wanted }: Pick<Rotation, "wanted" | "previous">,
): Step {
  const shares = [...clusters].map(([cluster, { bundle, issuer }]) => {
    const { fingerprint } = issuer === "wanted" ? wanted : previous;
    return [cluster, { bundlePem: bundleText(bundle), issuer: fingerprint }] as const;
  });
  return { stage, notes, clusters: Object.fromEntries(shares) };
}
