import type { Mirror, MirrorKind } from "../model/mirror.ts";
import { isHeadless, type ServicePort } from "../model/objects.ts";
import { annotation, label } from "../model/vocabulary.ts";
import { portsText } from "./canonical.ts";
import type { LiveMirror } from "./change.ts";
import { count } from "./text.ts";

/** What a live Service is a mirror of, going by its labels alone. */
export function liveKind(live: LiveMirror): MirrorKind {
  const labels = live.service?.metadata.labels ?? live.endpoints?.metadata.labels ?? {};
  if (labels[label.headlessRoot] !== undefined) return "endpoint";
  if (labels[label.remoteDiscovery] !== undefined) return "discovery";
  return live.service !== undefined && isHeadless(live.service) ? "headless" : "gateway";
}

/** The one line by which previews and state know a mirror that should exist. */
export function describeWanted(mirror: Mirror): string {
  return line(
    mirror.kind,
    mirror.annotations[annotation.remoteName],
    mirror.ports,
    mirror.endpoints?.subsets.flatMap((subset) =>
      subset.addresses.map((address) => ("hostname" in address ? address.hostname : address.ip)),
    ),
  );
}

/** The same line for what is live, so that a mirror as it should be reads the same in both. */
export function describeLive(live: LiveMirror): string {
  const { service, endpoints } = live;
  if (service === undefined) return "Endpoints without a Service";
  return line(
    liveKind(live),
    service.metadata.annotations?.[annotation.remoteName],
    service.spec.ports ?? [],
    endpoints?.subsets?.flatMap((subset) =>
      (subset.addresses ?? []).map((address) => address.hostname ?? address.ip),
    ),
  );
}

function line(
  kind: MirrorKind,
  remote: string | undefined,
  ports: readonly ServicePort[],
  hosts: readonly string[] | undefined,
): string {
  const of = remote === undefined ? "" : ` of ${shortName(remote, kind)}`;
  return `${words[kind]}${of}: ${portsText(ports)}${leads(kind, hosts)}`;
}

const words: Readonly<Record<MirrorKind, string>> = {
  gateway: "gateway mirror",
  headless: "headless mirror",
  endpoint: "endpoint mirror",
  discovery: "remote-discovery mirror",
};

function leads(kind: MirrorKind, hosts: readonly string[] | undefined): string {
  if (kind === "discovery") return "";
  const number = new Set(hosts).size;
  if (kind === "headless") return `, ${count(number, "pod")}`;
  return number === 0 ? ", no endpoints" : "";
}

/** `web` of `web.shop.svc.cluster.local`, and `pod.web` for one pod of it. */
function shortName(remote: string, kind: MirrorKind): string {
  return remote
    .split(".")
    .slice(0, kind === "endpoint" ? 2 : 1)
    .join(".");
}
