import { isDeepStrictEqual } from "node:util";
import { gatewayFacts } from "../model/gateway.ts";
import { linkOf } from "../model/link-settings.ts";
import { type ObjectKey, objectKey } from "../../kubernetes/objects.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import type { Before, FederatedArgs, MirrorsArgs } from "./state.ts";
import { surveyFederated } from "./survey-federated.ts";
import { surveyLink } from "./survey-link.ts";
import { accessTo, type Snapshots, type Survey } from "./survey.ts";

/**
 * Surveys for links whose Link resource and gateway this very run may have made or changed a moment
 * ago, while the readings that all links share are older: where these do not know of it, the
 * clusters that it is about are read once more.
 */

export async function surveyLinked(world: Snapshots, args: MirrorsArgs): Promise<Survey> {
  const survey = await surveyLink(world, args);
  const { link, statusIn } = args;
  if (statusIn === undefined || survey.outcome !== "planned") return survey;
  const at = (cluster: string) => [cluster, accessTo(args, cluster)] as const;
  const [source, target] = [at(link.source), at(link.target)];
  const current =
    has(await world.snapshot(...source), objectKey(statusIn, link.target)) &&
    knowsGateway(await world.snapshot(...target), args);
  if (current) return survey;
  for (const cluster of [source, target]) void world.anew(...cluster).catch(() => undefined);
  return surveyLink(world, args);
}

export async function surveyFederatedLinked(
  world: Snapshots,
  args: FederatedArgs,
  before: Before,
): Promise<Survey> {
  const survey = await surveyFederated(world, args, before);
  const { cluster, links, statusIn } = args;
  if (statusIn === undefined || survey.outcome !== "planned") return survey;
  const access = accessTo(args, cluster);
  const source = await world.snapshot(cluster, access);
  if (links.every(({ target }) => has(source, objectKey(statusIn, target)))) return survey;
  void world.anew(cluster, access).catch(() => undefined);
  return surveyFederated(world, args, before);
}

function has({ links }: ClusterSnapshot, link: ObjectKey): boolean {
  return links?.has(link) === true;
}

/** Whether the gateway is where this run has just seen it. */
function knowsGateway(target: ClusterSnapshot, { link, gatewaySeen }: MirrorsArgs): boolean {
  const { gateway } = linkOf(link);
  if (gateway === false || gatewaySeen === undefined) return true;
  const { namespace, name } = gateway;
  const service = target.services.get(objectKey(namespace, name));
  const answer = gatewayFacts(gateway, service, name);
  if (!("facts" in answer)) return false;
  return isDeepStrictEqual(answer.facts, gatewaySeen);
}
