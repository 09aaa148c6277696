import type { Cancellation } from "../kubernetes/client/deadline.ts";
import { debugLog } from "../kubernetes/client/log.ts";
import { omitUndefined } from "../base/omit-undefined.ts";
import { poll, type Polling } from "../kubernetes/client/retry.ts";
import { clusterReached } from "./checks/all.ts";
import { gatewayAlive, gatewayRedundant } from "./checks/endpoints.ts";
import { firstOf } from "../base/message.ts";
import { type HealthArgs, type HealthMesh, meshIn } from "./health-mesh.ts";
import { observeMesh, type Views } from "./observe-mesh.ts";
import {
  type CheckResult,
  type Group,
  type HealthReport,
  reportOn,
  summary,
  withFix,
} from "./report.ts";

interface HealthPolling extends Omit<Polling, "stop"> {
  readonly cancellation?: Cancellation;
  /** Milliseconds after which a request without an answer fails. */
  readonly requestTimeout?: number;
  /** Ends the wait; by default, once the mesh is healthy. */
  readonly enough?: (report: HealthReport) => boolean;
}

type Observe = (
  mesh: HealthMesh,
  now: Date,
  options: Pick<HealthPolling, "cancellation" | "requestTimeout">,
) => Promise<Pick<Views, "clusters" | "links">>;

/** Returns the last report, once the mesh is healthy enough or time is up. */
export function checkMesh(
  mesh: HealthMesh,
  { enough = ({ healthy }) => healthy, cancellation, requestTimeout, ...polling }: HealthPolling,
  observe: Observe = observeMesh,
): Promise<HealthReport> {
  const report = async () => {
    const options = omitUndefined({ cancellation, requestTimeout });
    const made = reportOn(await observe(mesh, new Date(), options));
    debugLog()?.(`health: ${summary(made.counts)}`);
    return made;
  };
  return poll(report, enough, { ...polling, ...omitUndefined({ stop: cancellation?.stop }) });
}

/**
 * Checks the mesh at the end of a run, and gives it half a minute to become healthy.
 *
 * @param before the inputs of the run before, if there was one
 * @returns sentences that fail the run, and others to show
 */
export async function checkAfterRun(
  { mesh: stored, refused = [] }: HealthArgs,
  before: Partial<HealthArgs>,
  cancellation?: Cancellation,
  observe?: Observe,
): Promise<{ readonly stopping: readonly string[]; readonly notes: readonly string[] }> {
  const mesh = meshIn(stored);
  const names = new Set(mesh.links.map(({ link }) => `${link.source}/${link.target}`));
  const linksBefore = before.mesh === undefined ? [] : meshIn(before.mesh).links;
  const leaving = linksBefore
    .map(({ link: { source, target } }) => ({ source, target }))
    .filter(({ source, target }) => !names.has(`${source}/${target}`));
  const polling = {
    enough: (report: HealthReport) => findingsOf(report, mesh).stopping.length === 0,
    // Waiting does not help a cluster that is refused.
    within: refused.length > 0 ? 0 : 30_000,
    every: 2_000,
    ...omitUndefined({ cancellation }),
  };
  const report = await checkMesh({ ...mesh, leaving }, polling, observe);
  const { stopping, warnings } = findingsOf(report, mesh);
  const all = [...refused, ...stopping];
  const notes = warnings.map((line) => `health: warning: ${line}`);
  if (all.length > 0) return { stopping: all, notes };
  const passed = `health: ${summary(report.counts)}; see linkerd-clusters check --all`;
  return { stopping: [], notes: [...notes, passed] };
}

/** Returns sentences that fail a run, and others that only warn. */
function findingsOf({ groups }: HealthReport, mesh: HealthMesh) {
  const sentences = (areStopping: boolean) =>
    groups.flatMap((group) =>
      group.checks.flatMap((check) => {
        // Most meshes have a single one, and a run has nothing to do with that.
        if (check.id === gatewayRedundant.id) return [];
        const isOnlyWarned = isTolerated(check, group, mesh);
        const wanted = check.findings.filter(
          ({ severity }) => (severity !== "warning" && !isOnlyWarned) === areStopping,
        );
        // Sentences about a cluster name it already.
        const about = group.kind === "link" ? `link ${group.name.replace("/", " → ")}: ` : "";
        return firstOf(wanted.map(withFix)).map((text) => about + text);
      }),
    );
  return { stopping: sentences(true), warnings: sentences(false) };
}

/**
 * An unreachable cluster fails a run only if a link has `unreachable: fail`. A gateway that is down never does,
 * because no run can change that.
 */
function isTolerated({ id }: CheckResult, { kind, name }: Group, { links }: HealthMesh): boolean {
  if (id === gatewayAlive.id) return true;
  if (id !== clusterReached.id || kind !== "cluster") return false;
  return !links.some(
    ({ link }) => link.unreachable === "fail" && [link.source, link.target].includes(name),
  );
}
