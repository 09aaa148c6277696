import type { Cancellation } from "../kubernetes/client/deadline.ts";
import { debugLog } from "../kubernetes/client/log.ts";
import { poll, type Polling } from "../kubernetes/client/retry.ts";
import { clusterReached } from "./checks/all.ts";
import { gatewayAlive } from "./checks/endpoints.ts";
import type { HealthMesh } from "./mesh.ts";
import { observeMesh, type Views } from "./observe/observe.ts";
import {
  type CheckResult,
  cut,
  type Group,
  type HealthReport,
  reportOn,
  summary,
} from "./report.ts";

/** The time that a mesh is given to become healthy. */
export interface HealthPolling extends Omit<Polling, "stop"> {
  /** Ends the reading of clusters, and the wait for another. */
  readonly cancellation?: Cancellation;
  /** Whether there is nothing to wait for; by default that is health. */
  readonly enough?: (report: HealthReport) => boolean;
}

/** Checks the mesh until it is healthy enough or time is up, and reports what it found last. */
export function checkMesh(
  mesh: HealthMesh,
  { enough = ({ healthy }) => healthy, cancellation, ...polling }: HealthPolling,
  observe: (
    mesh: HealthMesh,
    now: Date,
    options: Pick<HealthPolling, "cancellation">,
  ) => Promise<Pick<Views, "clusters" | "links">> = observeMesh,
): Promise<HealthReport> {
  const options = cancellation === undefined ? {} : { cancellation };
  const report = async () => {
    const made = reportOn(await observe(mesh, new Date(), options));
    debugLog()?.(`health: ${summary(made.counts)}`);
    return made;
  };
  const stop = cancellation === undefined ? {} : { stop: cancellation.stop };
  return poll(report, enough, { ...polling, ...stop });
}

/** The findings that fail a run, as sentences that say which cluster or link they are about. */
export function stopping(report: HealthReport, mesh: HealthMesh): string[] {
  return sentences(report, (severity, check, group) => {
    return severity !== "warning" && !isTolerated(check, group, mesh);
  });
}

/** The findings that fail no run. */
export function warnings(report: HealthReport, mesh: HealthMesh): string[] {
  return sentences(report, (severity, check, group) => {
    return severity === "warning" || isTolerated(check, group, mesh);
  });
}

/**
 * A cluster out of reach fails a run only if a link asks for that (unreachable: fail). A gateway that is
 * down fails none: the run has just seen to it that nothing goes there.
 */
function isTolerated({ id }: CheckResult, { kind, name }: Group, { links }: HealthMesh): boolean {
  if (id === gatewayAlive.id) return true;
  if (id !== clusterReached.id || kind !== "cluster") return false;
  return !links.some(
    ({ link }) => link.unreachable === "fail" && [link.source, link.target].includes(name),
  );
}

function sentences(
  { groups }: HealthReport,
  isWanted: (severity: string, check: CheckResult, group: Group) => boolean,
): string[] {
  return groups.flatMap((group) =>
    group.checks.flatMap((check) => {
      const wanted = check.findings.filter(({ severity }) => isWanted(severity, check, group));
      // Sentences about a cluster name it already.
      const about = group.kind === "link" ? `link ${group.name}: ` : "";
      return cut(wanted.map(({ sentence }) => sentence)).map((text) => about + text);
    }),
  );
}
