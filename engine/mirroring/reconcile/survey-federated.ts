import { desiredFederated } from "../desired/federated.ts";
import { linkCreated, type FederatedLink } from "../desired/members.ts";
import type { LinkSpec } from "../model/link.ts";
import { linkOf } from "../model/link-settings.ts";
import { objectKey } from "../../kubernetes/objects.ts";
import { federated } from "../model/owner.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import { clusterOfToken, tokensIn } from "../model/vocabulary.ts";
import { planFederated } from "../plan/plan.ts";
import { federatedStatus } from "../plan/status.ts";
import { mirrorClaims } from "./claims.ts";
import { formerTargets } from "./removed-targets.ts";
import type { Before, FederatedArgs } from "./state.ts";
import {
  ifReached,
  readAll,
  required,
  sameCluster,
  type Snapshots,
  type Survey,
} from "./survey.ts";

/** Reads all clusters of the stack at once, and plans the federated Services of one of them. */
export async function surveyFederated(
  world: Snapshots,
  args: FederatedArgs,
  before: Before,
): Promise<Survey> {
  const { cluster, statusIn } = args;
  const links = args.links.map(linkOf);
  const readings = readAll(world, args.clusters);
  const first = await required(readings, cluster, links.some(stopsTheRun));
  if ("failure" in first) return first.failure;
  const source = first.snapshot;
  for (const link of links) {
    const result = await required(readings, link.target, stopsTheRun(link));
    // Out of reach is one thing, but a context that does not exist is a slip of the user's.
    if ("failure" in result && (result.failure.outcome === "mistaken" || stopsTheRun(link)))
      return result.failure;
  }
  const feeds = await Promise.all(
    links.map(async (link) => ({
      link,
      target: await ifReached(readings, link.target),
      created: linkCreated(source, link.target),
    })),
  );
  const mistake = links.flatMap((link, index) => sameCluster(link, source, feeds[index]?.target));
  if (mistake.length > 0) return { outcome: "mistaken", why: mistake.join("; and ") };
  const retired = retiredClusters(args, before, source);
  const wanted = desiredFederated({ source, links: feeds, retired });
  const plan = planFederated(wanted, source, await mirrorClaims(links, source, readings));
  const reached = feeds.flatMap(({ target }) => (target === undefined ? [] : [target]));
  return {
    outcome: "planned",
    plan,
    identities: Object.fromEntries(
      [source, ...reached].map((snapshot) => [snapshot.cluster, snapshot.identity]),
    ),
    facts: {
      ...(Object.keys(wanted.conflicts).length > 0 && { portConflicts: wanted.conflicts }),
      ...(retired.length > 0 && { retired }),
    },
    notes: [...conflictNotes(wanted.conflicts), ...outageNotes(feeds)],
    statuses:
      statusIn === undefined
        ? []
        : reached.map((target) =>
            federatedStatus(
              objectKey(statusIn, target.cluster),
              target.cluster,
              wanted.mirrors,
              plan,
            ),
          ),
  };
}

function stopsTheRun({ unreachable }: LinkSpec): boolean {
  return unreachable === "fail";
}

/**
 * Clusters whose links the stack has given up, for as long as a federated Service lists them: also
 * over a run that failed before it had taken them all out.
 */
function retiredClusters(args: FederatedArgs, before: Before, source: ClusterSnapshot): string[] {
  const listed = new Set(
    [...source.services.values()]
      .filter((service) => federated.owns(service))
      .flatMap(({ metadata }) => tokensIn(metadata.annotations ?? {}).map(clusterOfToken)),
  );
  return formerTargets(before, args).filter((name) => listed.has(name));
}

function conflictNotes(conflicts: Readonly<Record<string, string>>): string[] {
  return Object.entries(conflicts).map(([origin, sentence]) => `${origin}: ${sentence}`);
}

function outageNotes(feeds: readonly FederatedLink[]): string[] {
  return feeds
    .filter(({ target }) => target === undefined)
    .map(({ link }) => `${link.target} is out of reach, so its members stay as they are`);
}
