// This has to come before the code that the methods load.
import "../compile-cache.mjs";
import { setFlagsFromString } from "node:v8";
import { engineAddress, watchEngine } from "./engine-watch.ts";
import { served } from "./served.ts";
export type { Methods } from "./served.ts";

/**
 * The dynamic resources of the program, each with the inputs that are unknown until its kubeconfigs are known. State
 * keeps calls of their methods by name for years, so the package's name and these exports are a public contract.
 */

const stateless = () => import("./stateless.ts");

export const claims = served(async () => (await stateless()).claims);
export const clusterIdentities = served(async () => (await stateless()).clusterIdentities);
export const linkTargets = served(async () => (await stateless()).linkTargets, ["facts"]);
export const tokenChecks = served(async () => (await stateless()).tokenChecks);
export const revocations = served(async () => (await stateless()).revocations, ["revision"]);
export const trustPublications = served(async () => (await stateless()).trustPublications);
export const health = served(async () => (await stateless()).health);
export const mirrors = served(
  async () => (await import("./mirrors.ts")).mirrors,
  ["mirrors", "revision"],
);

const engine = engineAddress(process.argv);
if (engine !== undefined) {
  // V8 would double the space for new objects to 128 MB, because most of what is read from clusters survives. That is
  // twice as much as all other memory, and saves no time.
  setFlagsFromString("--semi-space-growth-factor=1");
  watchEngine(engine, () => process.exit(1));
  // Pulumi ends a provider with this signal, which by itself would keep `exit` from being emitted.
  process.once("SIGINT", () => process.exit());
}
