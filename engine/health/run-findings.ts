import { clusterReached } from "./checks/cluster.ts";
import type { HealthMesh } from "./mesh.ts";
import type { CheckResult, Group, Report } from "./report/report.ts";
import { cut } from "./report/table.ts";

/** What fails a run, as sentences that say which cluster or link they are about. */
export function stopping(report: Report, mesh: HealthMesh): string[] {
  return sentences(report, (severity, check, group) => {
    return severity !== "warning" && !isTolerated(check, group, mesh);
  });
}

/** What is to be known and fails no run. */
export function warnings(report: Report, mesh: HealthMesh): string[] {
  return sentences(report, (severity, check, group) => {
    return severity === "warning" || isTolerated(check, group, mesh);
  });
}

/** A cluster out of reach fails a run only if a link asks for that (unreachable: fail). */
function isTolerated({ id }: CheckResult, { kind, name }: Group, { links }: HealthMesh): boolean {
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
      // What is said of a cluster names it already.
      const about = group.kind === "link" ? `link ${group.name}: ` : "";
      return cut(wanted.map(({ sentence }) => sentence)).map((text) => about + text);
    }),
  );
}
