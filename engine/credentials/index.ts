/**
 * A link's account, token and kubeconfig, and the facts of its target. The rest of the program imports only this file
 * of the folder.
 */
export type { SourceLinks } from "./cluster-identity.ts";
export { kubeconfigFor } from "./kubeconfig.ts";
export { linkerdConfigOf, noClusterDomain } from "./linkerd-config.ts";
export { linkManifestSpec, linkMetadata, linkVersion } from "./link-manifest.ts";
export {
  accountBinding,
  accountMetadata,
  accountName,
  credentialsSecrets,
  discoveryAnnotation,
  tokenHead,
  type Namespaces,
} from "./objects.ts";
export { accessRules, discoverySelectors, linkUse, selectorText } from "./rules.ts";
export type {
  PolicyRule,
  RevocationArgs,
  TargetArgs,
  TargetFacts,
  TokenCheckArgs,
  TokenRotation,
} from "./state.ts";
