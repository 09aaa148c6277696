import type { HealthReport } from "@linkerd-multicluster/engine/health";
import type { Explanation } from "./views/explain.ts";
import type { Verification } from "./verify/answers.ts";
import type { Status } from "./views/status.ts";
import type { WhatIf } from "./views/whatif.ts";

/**
 * Commands print these documents with `--output json` or `yaml`. Fields may be added, but no field changes its meaning
 * without another `version`. docs/reference/output.schema.json is generated from these types.
 */
export interface Documents {
  readonly status: OfStacks<Status>;
  readonly explain: OfStacks<Explanation>;
  readonly verify: Verification;
  readonly whatif: OfStacks<WhatIf>;
  readonly check: HealthReport;
}

interface OfStacks<T> {
  readonly version: 1;
  readonly stacks: readonly T[];
}
