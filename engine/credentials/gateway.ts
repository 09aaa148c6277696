import {
  gatewayLacks,
  loadBalancerAddresses,
  portNamed,
} from "../mirroring/model/gateway-service.ts";
import type { GatewaySource } from "../mirroring/model/link.ts";
import type { Service } from "../kubernetes/objects.ts";
import { annotation, gatewayPort } from "../mirroring/model/vocabulary.ts";
import { goDuration } from "./duration.ts";
import type { GatewayFacts, Probe } from "./state.ts";

const probeAnnotation = {
  path: "mirror.linkerd.io/probe-path",
  period: "mirror.linkerd.io/probe-period",
} as const;

const probePort = "mc-probe";

/** What a Link says of a gateway, or in a sentence what is missing. */
export type GatewayAnswer =
  | { readonly facts: GatewayFacts }
  /** `soon`: nobody needs to do anything, a load balancer gets its address some time. */
  | { readonly missing: string; readonly soon: boolean };

/**
 * The gateway by the rules of `linkerd multicluster link-gen` (linkerd-behaviour.md 1.6): what the
 * link says wins over the Service; hostnames stay as they are. `where` names the Service in
 * sentences.
 */
export function gatewayFacts(
  said: GatewaySource,
  service: Service | undefined,
  where: string,
): GatewayAnswer {
  const addresses = said.addresses ?? loadBalancerAddresses(service);
  const port = said.port ?? portNamed(service, gatewayPort);
  const identity = said.identity ?? service?.metadata.annotations?.[annotation.gatewayIdentity];
  if (addresses.length === 0 || port === undefined || !identity)
    return service === undefined
      ? {
          missing: `there is no gateway Service ${where}: install Linkerd's gateway there, or set gateway.addresses, gateway.port and gateway.identity on the link`,
          soon: false,
        }
      : lacking(service, where, port === undefined ? "port" : identity ? "addresses" : "identity");
  const probe = probeOf(service, where);
  if (typeof probe === "string") return { missing: probe, soon: false };
  return { facts: { addresses, port, identity, ...(probe !== undefined && { probe }) } };
}

function lacking(
  service: Service,
  where: string,
  fact: "addresses" | "port" | "identity",
): GatewayAnswer {
  const soon = fact === "addresses" && service.spec.type === "LoadBalancer";
  return { missing: gatewayLacks[fact](where, service), soon };
}

/** Undefined where the Service offers no probe; a text is the mistake in what it offers. */
function probeOf(service: Service | undefined, where: string): Probe | string | undefined {
  const annotations = service?.metadata.annotations ?? {};
  const path = annotations[probeAnnotation.path];
  const port = portNamed(service, probePort);
  if (!path || port === undefined) return undefined;
  const said = annotations[probeAnnotation.period] ?? "";
  const period = goDuration(said);
  return period === undefined
    ? `the gateway Service ${where} has annotation ${probeAnnotation.period}: ${JSON.stringify(said)}, which must be seconds or a Go duration, as 3 or 3s`
    : { path, port, period };
}
