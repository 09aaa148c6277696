export { type Bundle, bundleText } from "./bundle.ts";
export {
  certificatesIn,
  knownCertificates,
  onlyCertificate,
  type Certificate,
} from "./certificate.ts";
export {
  expiringAnchors,
  expiringIssuer,
  expiringProvided,
  expiryNotices,
  renewalPeriod,
  type Expiring,
  type ExpiryNotice,
} from "./expiry.ts";
export { externalTrust, missingExternal } from "./external.ts";
export { issuerName, leavingOut, type LiveTrusts, withoutRefused } from "./live.ts";
export { planProvided } from "./provided.ts";
export { publicationArgs, type PublicationArgs } from "./publication.ts";
export { type Step, stepOf } from "./step.ts";
export { planPublished, publishedIn, type PublishedTrust, type TrustExports } from "./received.ts";
export {
  dayLong,
  lifetimeAnnotation,
  lifetimeIn,
  type LifetimeRecord,
  nextRecord,
  recordText,
} from "./lifetime.ts";
export { anchorProblem, chainProblems, keyProblem } from "./requirements.ts";
export { rotate, type RotationPlan, type RotationStage, type TrustPlan } from "./rotate.ts";
export type { Rotation } from "./rotation.ts";
