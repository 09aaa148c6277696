import { valueIn } from "../../result.ts";
import { objectKey } from "../../kubernetes/objects/objects.ts";
import type { Decided } from "../decide/decide.ts";
import { isListed, type Note } from "../model/decision.ts";
import {
  alsoFederatesText,
  alsoMirrorsText,
  type OtherWriters,
  running,
} from "../model/controller.ts";
import { federatedPart } from "../model/owner.ts";
import type { MirrorsArgs } from "../model/state.ts";
import { listed } from "../../message.ts";
import type { Report } from "./outcome.ts";
import type { KeptLinkStatus, LinkStatuses } from "../model/service-status.ts";

/** Returns decisions about objects that others may also write: other writers are read only if there are any. */
export function alsoWrittenByOthers({ decisionsByPart }: Decided, statuses: LinkStatuses) {
  const decisions = decisionsByPart.get(federatedPart) ?? [];
  return {
    federated: decisions.filter(isListed).map(({ key }) => key),
    due: statuses.filter(({ isDue }) => isDue),
  };
}

/** Reports Linkerd's controllers that write the same objects, and leaves the status of Links to them. Pure. */
export function withoutControllersLinks(
  args: MirrorsArgs,
  statuses: LinkStatuses,
  { federated, due }: ReturnType<typeof alsoWrittenByOthers>,
  { controllers, mayKeepStatus = true }: OtherWriters = {},
): Report {
  const { source, clusters, links, statusIn = "" } = args;
  const found = valueIn(controllers) ?? [];
  const mirroring = links.flatMap(({ target }) =>
    running(found, target).map((each): Note => [target, alsoMirrorsText(source, each)]),
  );
  const context = clusters[source]?.context ?? source;
  const local = federated.length === 0 ? [] : running(found, undefined);
  const federating = local.map((each): Note => [
    federatedPart,
    alsoFederatesText(source, context, each, listed(federated)),
  ]);
  const theirs = new Set(mirroring.map(([target]) => objectKey(statusIn, target)));
  const isOurs = ({ link }: KeptLinkStatus) => !theirs.has(link);
  const asked = due.filter(isOurs);
  const isAllowed = asked.length === 0 || mayKeepStatus;
  const refused = isAllowed ? [] : [[federatedPart, notAllowed(args, asked)] as const];
  return {
    statuses: isAllowed ? statuses.filter(isOurs) : [],
    notes: [...mirroring, ...federating, ...refused],
  };
}

function notAllowed({ statusIn = "" }: MirrorsArgs, due: LinkStatuses): string {
  const names = [...new Set(due.map(({ link }) => link))].sort();
  return `the status of ${names.length === 1 ? "Link" : "Links"} ${listed(names)} isn't updated and may be out of date, because the runner may not patch links/status in namespace ${statusIn}: grant that (docs/reference/access.md), or rely on what this program prints`;
}
