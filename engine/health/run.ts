import type { Cancellation } from "../kubernetes/client/deadline.ts";
import { debugLog } from "../kubernetes/client/log.ts";
import { poll, type Polling } from "../kubernetes/client/retry.ts";
import { clusterReached } from "./checks/all.ts";
import { gatewayAlive } from "./checks/endpoints.ts";
import type { HealthMesh } from "./mesh.ts";
import { observeMesh, type Views } from "./observe.ts";
import {
  type CheckResult,
  cut,
  type Group,
  type HealthReport,
  reportOn,
  summary,
} from "./report.ts";

/** The time that a mesh has to become healthy. */
export interface HealthPolling extends Omit<Polling, "stop"> {
  /** Ends reading and waiting. */
  readonly cancellation?: Cancellation;
  /** Whether the wait is over; by default when the mesh is healthy. */
  readonly enough?: (report: HealthReport) => boolean;
}

/** Checks the mesh until it is healthy enough or time is up, and returns the last report. */
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

/** Findings as sentences that name their cluster or link. */
export interface HealthFindings {
  /** Sentences that fail a run. */
  readonly stopping: readonly string[];
  readonly warnings: readonly string[];
}

export function findingsOf({ groups }: HealthReport, mesh: HealthMesh): HealthFindings {
  const sentences = (isWanted: boolean) =>
    groups.flatMap((group) =>
      group.checks.flatMap((check) => {
        const isTold = isTolerated(check, group, mesh);
        const wanted = check.findings.filter(
          ({ severity }) => (severity !== "warning" && !isTold) === isWanted,
        );
        // Sentences about a cluster name it already.
        const about = group.kind === "link" ? `link ${group.name}: ` : "";
        return cut(wanted.map(({ sentence }) => sentence)).map((text) => about + text);
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
