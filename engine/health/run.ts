import type { Cancellation } from "../kubernetes/client/deadline.ts";
import { debugLog } from "../kubernetes/client/log.ts";
import { poll, type Polling } from "../kubernetes/client/retry.ts";
import { clusterReached } from "./checks/all.ts";
import { gatewayAlive } from "./checks/endpoints.ts";
import type { HealthMesh } from "./mesh.ts";
import { observeMesh, type Views } from "./observe/observe.ts";
import { type CheckResult, cut, type Group, type Report, reportOn, summary } from "./report.ts";

/** How long a mesh is given to become healthy. */
export interface HealthPolling extends Omit<Polling, "stop"> {
  /** Ends the reading of clusters, and the wait for another. */
  readonly cancellation?: Cancellation;
  /** Whether there is nothing to wait for; by default that is health. */
  readonly enough?: (report: Report) => boolean;
}

/** Looks at the mesh until it is healthy enough or time is up, and reports what it saw last. */
export function checkMesh(
  mesh: HealthMesh,
  { enough = ({ healthy }) => healthy, cancellation, ...polling }: HealthPolling,
  observe: (
    mesh: HealthMesh,
    now: Date,
    options: Pick<HealthPolling, "cancellation">,
  ) => Promise<Pick<Views, "clusters" | "links">> = observeMesh,
): Promise<Report> {
  const options = cancellation === undefined ? {} : { cancellation };
  const look = async () => {
    const report = reportOn(await observe(mesh, new Date(), options));
    debugLog()?.(`health: ${summary(report.counts)}`);
    return report;
  };
  const stop = cancellation === undefined ? {} : { stop: cancellation.stop };
  return poll(look, enough, { ...polling, ...stop });
}

/** What fails a run, as sentences that say which cluster or link they are about. */
export function stopping(report: Report, mesh: HealthMesh): string[] {
  return sentences(report, (severity, check, group) => {
    return severity !== "warning" && !isTolerated(check, group, mesh);
  });
}

/** What is worth knowing and fails no run. */
export function warnings(report: Report, mesh: HealthMesh): string[] {
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
  { groups }: Report,
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
