export { noControllerText } from "../model/controller.ts";
export {
  type DeclaredLink,
  type GatewaySource,
  type LabelSelector,
  dependsOnEndpoints,
  linkDefaults,
  linkerdGateway,
  type LinkSettings,
  type LinkSpec,
  systemNamespaces,
  wholeLink,
} from "../model/link.ts";
export { type PortProtocol, protocolOf } from "../model/protocols.ts";
export { routeSentences, servedBackends } from "../model/route.ts";
export { lossOf, lossText, type Remains } from "../model/loss.ts";
export {
  local,
  type MeshTraffic,
  meshTraffic,
  mostInChain,
  mostInSplit,
  mostWeight,
  routings,
} from "../model/traffic.ts";
export { readyPods } from "../model/headless.ts";
export { contested } from "./decide/other-writers.ts";
export { isNeverCopied, othersKeys } from "../model/metadata.ts";
export {
  annotation,
  exportAnnotation,
  federatedKey,
  federatedName,
  gatewayPort,
  label,
  linkerdNames,
  mirrorPlace,
  type Naming,
  nameInTarget,
  probeName,
  type Placing,
} from "../model/vocabulary.ts";
export {
  argsOf,
  type Before,
  entryOf,
  type Inputs,
  type MirrorsArgs,
  withoutLinks,
  mirrorsOfSource,
  type ObservedGateway,
  stacksNow,
} from "../model/state.ts";
export { type Declared, withWholeLinks } from "../model/declared.ts";
export { type Decision, type Verdict, isSkip, isWanted } from "../model/decision.ts";
export { bySign, isPending, type Pending, verdicts } from "../model/verdicts.ts";
export { deletionTime } from "../model/absent-pods.ts";
export { listedIn } from "./decide/policies/exports.ts";
export { fits, selects } from "../model/selection.ts";
export { countNotMirrored } from "./report/summary.ts";
export { portsText } from "../model/canonical.ts";
export { kinds, type MirrorKind } from "../model/mirror.ts";
export { fixText, reasons } from "../model/reasons.ts";
export { marksOn, stackOf } from "../model/marks.ts";
export { type Answered, leaseName, verdictAnnotation, verdictText } from "../model/prober.ts";
export { federatedPart } from "../model/owner.ts";
export { describeLive, describeWanted, fieldText, membersIn } from "./report/describe.ts";
export { inputsFor } from "./report/inputs.ts";
export { originOf, undecidedMirrors } from "../model/live-mirrors.ts";
export { type Outcome, whyUndecided } from "./report/outcome.ts";
