import * as pulumi from "@pulumi/pulumi";
import { bundleText } from "../../engine/trust/bundle.ts";
import { expiryVerdicts, type Verdict, type Watched } from "../../engine/trust/expiry.ts";
import type { ClusterPlan, Decision, Stage } from "../../engine/trust/plan.ts";

/**
 * A plan as it travels through Outputs, which pass plain data on as it is, but take Maps, Dates and
 * certificates apart.
 */
export interface Given {
  readonly stage: Stage;
  readonly notes: readonly string[];
  readonly clusters: Readonly<
    Record<string, { readonly bundlePem: string; readonly issuer: ClusterPlan["issuer"] }>
  >;
}

/** Throws RunError, which has no stack trace, with every reason for a refusal. */
export function givenBy(decision: Decision): Given {
  if ("refused" in decision) throw new pulumi.RunError(refusal(decision.refused));
  const { stage, notes, clusters } = decision;
  const each = [...clusters].map(([cluster, { bundle, issuer }]) => {
    return [cluster, { bundlePem: bundleText(bundle), issuer }] as const;
  });
  return { stage, notes, clusters: Object.fromEntries(each) };
}

function refusal(reasons: readonly string[]): string {
  return ["The clusters' trust must not be changed like this:", ...reasons].join("\n  ");
}

/** What there is to know about the end of certificates, as plain data. */
export interface Expiries {
  /** ISO 8601 by what expires: `the trust anchor`, `the issuer of cluster west`. */
  readonly dates: Readonly<Record<string, string>>;
  readonly verdicts: readonly Verdict[];
}

export function expiriesOf(watched: readonly Watched[], now: Date): Expiries {
  const dates = watched.map(
    ({ role, certificate }) => [role, certificate.notAfter.toISOString()] as const,
  );
  return { dates: Object.fromEntries(dates), verdicts: expiryVerdicts(watched, now) };
}
