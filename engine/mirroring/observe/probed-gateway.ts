import { objectKey } from "../../kubernetes/objects/objects.ts";
import { probeOf } from "../model/gateway-liveness.ts";
import type { Gateway, GatewayProbe, GatewayReading } from "../model/gateway.ts";
import type { LinkSpec } from "../model/link.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import type { Clusters } from "./clusters.ts";
import { readGateway } from "./gateway.ts";

/** The target's gateway, and where the link asks for it (`gatewayProbe`) whether it is alive. */
export async function readProbedGateway(
  link: LinkSpec,
  target: ClusterSnapshot,
  source: ClusterSnapshot | undefined,
  clusters: Pick<Clusters, "resolve" | "liveness">,
): Promise<GatewayReading> {
  const reading = await readGateway(link, target, source, (name) => clusters.resolve(name));
  if (!link.gatewayProbe || link.gateway === false || !reading.known) return reading;
  const { namespace, name } = link.gateway;
  const service = target.services.get(objectKey(namespace, name));
  const found = probeOf(service, `${target.cluster}/${namespace}/${name}`);
  if ("probe" in found)
    return { ...reading, gateway: await probed(reading.gateway, found.probe, clusters) };
  const warning = `its gateway is not probed and taken to be alive: ${found.why}`;
  return { ...reading, warnings: [...reading.warnings, warning] };
}

/** The gateway with what its probe says. */
export async function probed(
  gateway: Gateway,
  { path, port, period, threshold }: GatewayProbe,
  clusters: Pick<Clusters, "liveness">,
): Promise<Gateway> {
  const how = { path, port, period, threshold };
  const { down } = await clusters.liveness({ addresses: gateway.addresses, ...how });
  return { ...gateway, probe: { ...how, ...(down !== undefined && { down }) } };
}
