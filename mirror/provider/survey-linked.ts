import { objectKey } from "../model/objects.ts";
import type { World } from "../observe/world.ts";
import type { MirrorsArgs } from "./state.ts";
import { surveyLink } from "./survey-link.ts";
import { accessTo, type Survey } from "./survey.ts";

/**
 * Surveys a link of which this very run may have made the gateway and the Link resource a moment
 * ago, while the readings that all links share are older: where one of these is missing, the two
 * clusters are read once more.
 */
export async function surveyLinked(world: World, args: MirrorsArgs): Promise<Survey> {
  const survey = await surveyLink(world, args);
  if (!(await isLacking(world, args, survey))) return survey;
  const { source, target } = args.link;
  const retaken = [source, target].map((cluster) => world.retake(accessTo(args, cluster)));
  return retaken.includes(true) ? surveyLink(world, args) : survey;
}

async function isLacking(
  world: World,
  { link, clusters, statusIn }: MirrorsArgs,
  survey: Survey,
): Promise<boolean> {
  if (statusIn === undefined || survey.outcome !== "planned") return false;
  if (link.gateway !== false && survey.facts.gateway === undefined) return true;
  const { links } = await world.snapshot(link.source, accessTo({ clusters }, link.source));
  return links?.has(objectKey(statusIn, link.target)) !== true;
}
