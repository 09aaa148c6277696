/** Programs outside of the engine import from here alone. */
export type { SourceLinks } from "./cluster-identity.ts";
export {
  hasLinkerd,
  type Installed,
  type InstalledArgs,
  installedParts,
  judgeRemoval,
  pairOf,
  refusedRemoval,
  remembered,
  type Remembering,
} from "./installed.ts";
export { kubeconfigFor } from "./kubeconfig.ts";
export { noClusterDomain } from "./linkerd-config.ts";
export {
  accountBinding,
  accountMetadata,
  accountName,
  credentialsSecrets,
  discoveryAnnotation,
  linkManifestSpec,
  linkMetadata,
  linkOwner,
  linkVersion,
  managedBy,
  tokenHead,
  type Namespaces,
} from "./objects.ts";
export { accessRules, discoverySelectors, linkUse, selectorText } from "./rules.ts";
export type {
  LinkGateway,
  PolicyRule,
  RevocationArgs,
  TargetArgs,
  TargetFacts,
  TokenCheckArgs,
  TokenRotation,
} from "./state.ts";
