import { engineAddress, watchEngine } from "./engine-watch.ts";

/**
 * The methods that the program's dynamic resources call. State keeps these calls by name for years:
 * the package's name and what is exported here are a public contract.
 */
export { claims, type ClaimInputs } from "./claims.ts";
export { clusterIdentities, type IdentityInputs } from "./cluster-identity.ts";
export { linkTargets, tokenChecks } from "./credentials.ts";
export { health } from "./health.ts";
export { mirrors } from "./mirrors.ts";
export { revocations } from "./revocations.ts";
export { trustPublications, type PublicationInputs } from "./trust-publications.ts";

const engine = engineAddress(process.argv);
if (engine !== undefined) watchEngine(engine, () => process.exit(1));
