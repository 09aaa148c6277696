import {
  type FieldChange,
  kinds,
  type LiveMirror,
  type Mirror,
  type MirrorKind,
} from "../../model/mirror.ts";
import { printable } from "../../kubernetes/objects/printable.ts";
import type { ServicePort, StringMap } from "../../kubernetes/objects/objects.ts";
import { annotation, tokensIn } from "../../model/vocabulary.ts";
import { portsText } from "../../model/canonical.ts";
import { shortened } from "../../model/difference.ts";
import { liveKind } from "../../model/live-mirrors.ts";
import { type Decision, isListed } from "../../model/decision.ts";
import { count, listed } from "../../base/message.ts";

/** Returns undefined for a mirror that isn't listed after the run. */
export function lineOf(decision: Decision): string | undefined {
  if (!isListed(decision)) return undefined;
  const { live, wanted } = decision;
  if (wanted !== undefined) return describeWanted(wanted);
  const isRenamed = decision.verdict === "keep" && decision.successor !== undefined;
  const until = isRenamed ? `; stays until ${decision.successor} is in place` : "";
  return `${describeLive(live)}${until}`;
}

export function describeWanted(mirror: Mirror): string {
  return line(
    mirror.kind,
    mirror.annotations,
    mirror.ports,
    mirror.endpoints?.subsets.flatMap(({ addresses }) =>
      addresses.map((address) => ("hostname" in address ? address.hostname : address.ip)),
    ),
  );
}

/** Reads the same as for a wanted mirror, so that one in order shows no difference. */
export function describeLive(live: LiveMirror): string {
  const { service, endpoints } = live;
  if (service === undefined) return "Endpoints without a Service";
  return line(
    liveKind(live),
    service.metadata.annotations ?? {},
    service.spec.ports ?? [],
    endpoints?.subsets?.flatMap((subset) =>
      (subset.addresses ?? []).map((address) => address.hostname ?? address.ip),
    ),
  );
}

/** State has a line for each mirror, and a target exports as many ports as it likes. */
const mostPorts = 10;

function line(
  kind: MirrorKind,
  annotations: StringMap,
  ports: readonly ServicePort[],
  hosts: readonly string[] | undefined,
): string {
  const of =
    kind === "federated" ? listed(membersIn(annotations)) : remoteService(kind, annotations);
  const more = ports.length - mostPorts;
  const shown = portsText(ports.slice(0, mostPorts)) + (more > 0 ? ` and ${more} more` : "");
  return `${kinds[kind].text}${of === "" ? "" : ` of ${printable(of)}`}: ${shown}${destination(kind, hosts)}`;
}

function destination(kind: MirrorKind, hosts: readonly string[] | undefined): string {
  if (!kinds[kind].isThroughGateway) return "";
  const number = new Set(hosts).size;
  if (kind === "headless") return `, ${count(number, "pod")}`;
  return number === 0 ? ", no endpoints" : "";
}

/** Leaves out values of annotations and labels, which may hold anything, because others may read the report. */
export function fieldText({ field, live, wanted, writer }: FieldChange): string {
  return /^(?:endpoints )?(?:annotation|label) /.test(field)
    ? `${field}${setBy(writer)}`
    : `${field}: ${live}${setBy(writer)} → ${wanted}`;
}

export function setBy(writer: FieldChange["writer"]): string {
  return writer === undefined ? "" : ` (set by ${shortened(writer.manager)})`;
}

/** Returns the members of a federated Service: `bb@east`, `bb@north`, `local bb`. */
export function membersIn(annotations: StringMap): string[] {
  const local = annotations[annotation.localMember];
  return [...tokensIn(annotations), ...(local === undefined ? [] : [`local ${local}`])];
}

/** Returns `web` for `web.shop.svc.cluster.local`, and `pod.web` for one of its pods. */
function remoteService(kind: MirrorKind, annotations: StringMap): string {
  return (annotations[annotation.remoteName] ?? "")
    .split(".")
    .slice(0, kinds[kind].isOfPod ? 2 : 1)
    .join(".");
}
