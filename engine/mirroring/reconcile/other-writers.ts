import { objectKey, type ObjectKey } from "../../kubernetes/objects/objects.ts";
import { alsoFederates, alsoMirrors, type Controllers, running } from "../model/controller.ts";
import { federatedPart } from "../model/owner.ts";
import type { Decided } from "../decide/decide.ts";
import { isListed } from "../decide/decision.ts";
import type { KeptLinkStatus } from "../report/status.ts";
import { listed } from "../model/text.ts";
import { type Observed, observeControllers } from "../observe/readings.ts";
import type { Report } from "../report/outcome.ts";
import { entryOf, type MirrorsArgs } from "../model/state.ts";

/**
 * Tells of Linkerd's controllers that write the same, and leaves the status of Links to whoever is to
 * write it. The cluster is asked only where the plan has federated Services, or a status that is not
 * as it should be.
 */
export async function besideOthers(
  clusters: Observed,
  args: MirrorsArgs,
  { judged }: Decided,
  report: Report,
): Promise<Report> {
  const { statuses } = report;
  const due = statuses.filter(({ isDue }) => isDue);
  const united = (judged.get(federatedPart) ?? []).filter(isListed).map(({ key }) => key);
  if (due.length === 0 && united.length === 0) return report;
  const controllers = await observeControllers(clusters, args);
  const beside = noted(args, controllers, united);
  const isOurs = ({ link }: KeptLinkStatus) => !beside.links.has(link);
  const asked = due.filter(isOurs);
  const isAllowed = asked.length === 0 || (await mayKeepStatus(clusters, args));
  const refused = isAllowed ? [] : [[federatedPart, notAllowed(args, asked)] as const];
  return {
    ...report,
    statuses: isAllowed ? statuses.filter(isOurs) : [],
    notes: [...report.notes, ...beside.notes, ...refused],
  };
}

/** Notes on controllers, and the Link resources whose status they write. */
function noted(
  { source, clusters, links, statusIn = "" }: MirrorsArgs,
  controllers: Controllers,
  united: readonly string[],
): { readonly links: ReadonlySet<ObjectKey>; readonly notes: Report["notes"] } {
  if ("why" in controllers) return { links: new Set(), notes: [] };
  const { found } = controllers;
  const mirroring = links.flatMap(({ target }) =>
    running(found, target).map((each) => [target, alsoMirrors(source, each)] as const),
  );
  const context = clusters[source]?.context ?? source;
  const local = united.length === 0 ? [] : running(found, undefined);
  const federating = local.map(
    (each) => [federatedPart, alsoFederates(source, context, each, listed(united))] as const,
  );
  return {
    links: new Set(mirroring.map(([target]) => objectKey(statusIn, target))),
    notes: [...mirroring, ...federating],
  };
}

/** Where the API server does not say, a write will tell. */
async function mayKeepStatus(clusters: Observed, args: MirrorsArgs): Promise<boolean> {
  const { source, statusIn } = args;
  const links = { group: "multicluster.linkerd.io", resource: "links", subresource: "status" };
  const question = {
    ...links,
    verb: "patch",
    ...(statusIn !== undefined && { namespace: statusIn }),
  };
  try {
    return await clusters.mayDo(source, entryOf(args, source), question);
  } catch {
    return true;
  }
}

function notAllowed({ statusIn = "" }: MirrorsArgs, due: readonly KeptLinkStatus[]): string {
  const names = [...new Set(due.map(({ link }) => link))].sort();
  return `the status of ${names.length === 1 ? "Link" : "Links"} ${listed(names)} is not kept and may be out of date, because the runner may not patch links/status in namespace ${statusIn}: grant that (docs/reference/access.md), or go by what this program says`;
}
