// Before all that the methods load.
import "../compile-cache.mjs";
import { setFlagsFromString } from "node:v8";
import { engineAddress, watchEngine } from "./engine-watch.ts";
import { onDemand } from "./contract.ts";
export type { Methods } from "./contract.ts";
import { withKubeconfigs } from "./given-kubeconfigs.ts";

/**
 * The methods that the program's dynamic resources call. State keeps these calls by name for years:
 * the package's name and what is exported here are a public contract.
 */

export const claims = onDemand(async () => (await import("./claims.ts")).claims);
export const clusterIdentities = onDemand(async () =>
  withKubeconfigs((await import("./cluster-identity.ts")).clusterIdentities),
);
export const linkTargets = onDemand(async () =>
  withKubeconfigs((await import("./credentials.ts")).linkTargets, ["facts"]),
);
export const tokenChecks = onDemand(async () =>
  withKubeconfigs((await import("./credentials.ts")).tokenChecks),
);
export const health = onDemand(async () => withKubeconfigs((await import("./health.ts")).health));
export const mirrors = onDemand(async () =>
  withKubeconfigs((await import("./mirrors.ts")).mirrors, ["mirrors", "revision"]),
);
export const revocations = onDemand(async () =>
  withKubeconfigs((await import("./revocations.ts")).revocations, ["revision"]),
);
export const trustPublications = onDemand(
  async () => (await import("./trust-publications.ts")).trustPublications,
);

const engine = engineAddress(process.argv);
if (engine !== undefined) {
  // V8 doubles the space for what is new to 128 MB where most of it is kept, as what is read of clusters is: that is twice
  // as much as all the rest, and saves no time. What there is of it when the first method is called suffices.
  setFlagsFromString("--semi-space-growth-factor=1");
  watchEngine(engine, () => process.exit(1));
  // With this signal Pulumi ends a provider whose work is done; by itself it would keep `exit` from being told.
  process.once("SIGINT", () => process.exit());
}
