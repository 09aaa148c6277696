import { objectKey } from "../../kubernetes/objects/objects.ts";
import type { Decided } from "../decide/decide.ts";
import { isListed, type Note } from "../model/decision.ts";
import {
  alsoFederatesText,
  alsoMirrorsText,
  type Controller,
  running,
} from "../model/controller.ts";
import { federatedPart } from "../model/owner.ts";
import type { MirrorsArgs } from "../model/state.ts";
import { listed } from "../../message.ts";
import type { Report } from "./outcome.ts";
import type { LinkStatusList } from "../model/service-status.ts";

/** Linkerd's local service mirror may write these federated Services too. */
export function federatedKeys({ decisionsByPart }: Decided): string[] {
  return (decisionsByPart.get(federatedPart) ?? []).filter(isListed).map(({ key }) => key);
}

/** Reports Linkerd's controllers that write the same objects, and leaves the status of Links to them. Pure. */
export function withoutControllersLinks(
  args: MirrorsArgs,
  statuses: readonly LinkStatusList[],
  federated: readonly string[],
  controllers: readonly Controller[],
  mayKeepStatus: boolean,
): Report {
  const { source, clusters, links, statusIn = "" } = args;
  const mirroring = links.flatMap(({ target }) =>
    running(controllers, target).map((each): Note => [target, alsoMirrorsText(source, each)]),
  );
  const context = clusters[source]?.context ?? source;
  const local = federated.length === 0 ? [] : running(controllers, undefined);
  const federating = local.map((each): Note => [
    federatedPart,
    alsoFederatesText(source, context, each, listed(federated)),
  ]);
  const theirs = new Set(mirroring.map(([target]) => objectKey(statusIn, target)));
  const ours = statuses.filter(({ link }) => !theirs.has(link));
  const due = ours.filter(({ isDue }) => isDue);
  const notes = [...mirroring, ...federating];
  if (due.length === 0 || mayKeepStatus) return { statuses: ours, notes };
  return { statuses: [], notes: [...notes, [federatedPart, notAllowed(args, due)]] };
}

function notAllowed({ statusIn = "" }: MirrorsArgs, due: readonly LinkStatusList[]): string {
  const names = [...new Set(due.map(({ link }) => link))].sort();
  return `the status of ${names.length === 1 ? "Link" : "Links"} ${listed(names)} isn't updated and may be out of date, because the runner may not patch links/status in namespace ${statusIn}: grant that (docs/reference/access.md), or rely on what this program prints`;
}
