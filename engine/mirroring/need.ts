import { omitUndefined } from "../base/omit-undefined.ts";
import { dependsOnEndpoints } from "../model/link.ts";
import {
  type Before,
  makesLinks,
  type MirrorsArgs,
  routedServices,
  stacksNow,
} from "../model/state.ts";
import { routings } from "../model/traffic.ts";
import type { Need, RoutesNeed } from "../reading/need.ts";
import type { Extent } from "../reading/snapshot.ts";
import { mayHaveOthers } from "./decide/policies/ownership.ts";
import { removedLinks } from "./decide/policies/removed-links.ts";

/** Says what has to be read to decide about a source. Pure. */
export function needOfSource(args: MirrorsArgs, before: Before): Need {
  const { source, links, statusIn, observedGateways = {} } = args;
  const stacks = stacksNow(before, args);
  const names = Object.keys(args.clusters);
  return {
    clusters: {
      ...Object.fromEntries(names.map((name) => [name, { extent: extentFor(args, name) }])),
      [source]: {
        extent: extentFor(args, source),
        // A controller beside a link is named by the run that finds everything in order, too.
        controllers: (own) =>
          links.length > 0 ||
          removedLinks(args, before, own).length > 0 ||
          mayHaveOthers(own, stacks),
        // Routes are found by their marks in every run, because a run that was killed has left no word of them. A stack
        // that never routed a Service may lack the right to list them, and then has none.
        routes: routesNeed(args, routedServices(args, before).length > 0),
      },
    },
    links: links.map((link) => ({
      link,
      gatewayPending: typeof observedGateways[link.target] === "string",
      statefulSets: true,
      // Nothing else depends on it.
      ...(args.failover !== undefined && omitUndefined({ prober: statusIn })),
      ...(statusIn !== undefined &&
        makesLinks(args) && { trustRoots: { stacks, namespace: statusIn } }),
    })),
  };
}

/** A route whose label is gone still sends requests, which matters where there may be one of this stack. */
function routesNeed(args: MirrorsArgs, mayHaveRoutes: boolean): RoutesNeed {
  if (routings(args).size > 0) return { isOptional: false };
  return { extent: mayHaveRoutes ? "httpRoutes" : "mirrors", isOptional: !mayHaveRoutes };
}

/** Without a link, a run only deletes mirrors, so it reads nothing else. */
export function extentFor(
  { source, links }: Pick<MirrorsArgs, "source" | "links">,
  cluster: string,
): Extent {
  if (links.length === 0) return "mirrors";
  const isUsed = links.some((link) => link.target === cluster && dependsOnEndpoints(link));
  return cluster === source || isUsed ? undefined : "services";
}
