/**
 * What is mirrored: links, mirrors, and what a source's resource is told.
 * The rest of the program imports nothing of it but this.
 */
export { noController } from "./model/controller.ts";
export { linkDefaults, linkerdGateway, settingsOf, systemNamespaces } from "./model/link.ts";
export type { GatewaySource, LabelSelector, LinkSpec } from "./model/link.ts";
export { othersIn } from "./model/metadata.ts";
export { annotation, gatewayPort, label } from "./model/vocabulary.ts";
export { controllersIn } from "./observe/controllers.ts";
export type { Inputs, MirrorsArgs, ObservedGateway } from "./model/state.ts";
export { type Decision, isChange, isListed, isSkip, isWanted } from "./decide/decision.ts";
export { portsText } from "./decide/difference/canonical.ts";
export type { GatewayReading } from "./model/gateway.ts";
export { linkOf, type LinkSettings } from "./model/link-settings.ts";
export type { MirrorKind } from "./model/mirror.ts";
export { federatedPart } from "./model/owner.ts";
export { stackOf } from "./model/stack-mark.ts";
export type { Before } from "./model/state.ts";
export { describeLive, describeWanted, kindOfLine, membersIn } from "./report/describe.ts";
export { inputsFor } from "./report/inputs.ts";
export type { Outcome } from "./report/outcome.ts";
export { summaries } from "./report/summary.ts";
