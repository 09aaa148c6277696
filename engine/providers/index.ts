// These have to come before the code that the methods load.
import "./young-space.ts";
import "../compile-cache.mjs";
import { engineAddress, watchEngine } from "./engine-watch.ts";
import { served } from "./served.ts";
export { around, type Methods, type Props, type Stripped } from "./around.ts";

/** State calls the methods of these exports by name for years, so they and the package's name are a public contract. */

const stateless = () => import("./stateless.ts");

export const claims = served(async () => (await stateless()).claims);
export const clusterIdentities = served(async () => (await stateless()).clusterIdentities);
export const linkTargets = served(async () => (await stateless()).linkTargets, ["facts"]);
export const tokenChecks = served(async () => (await stateless()).tokenChecks);
export const revocations = served(async () => (await stateless()).revocations, ["revision"]);
export const trustPublications = served(async () => (await stateless()).trustPublications);
export const installations = served(async () => (await stateless()).installations);
export const restarts = served(async () => (await import("./restarts.ts")).restarts, ["restarts"]);
export const gates = served(async () => (await import("./gates.ts")).gates, ["revision"]);
export const health = served(async () => (await stateless()).health);
export const mirrors = served(
  async () => (await import("./mirrors.ts")).mirrors,
  ["mirrors", "revision"],
);

const engine = engineAddress(process.argv);
if (engine !== undefined) {
  watchEngine(engine, () => process.exit(1));
  // Pulumi ends a provider with this signal. Without a handler, Node would not emit `exit`.
  process.once("SIGINT", () => process.exit());
}
