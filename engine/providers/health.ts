/** The dynamic resource that checks the mesh at the end of a run (index.ts). */

import type { HealthArgs, HealthMesh } from "../health/mesh.ts";
import { type HealthReport, summary } from "../health/report.ts";
import { checkMesh, findingsOf, type HealthPolling } from "../health/run.ts";
import { accepted, statelessResource, PartialFailure } from "./contract.ts";
import { cancellation, clusters, unlessCancelled } from "./process.ts";

export const health = healthResource((mesh, wait) => checkMesh(mesh, polling(mesh, wait)));

/** @param say Pulumi shows each line as a message of the stack */
export function healthResource(
  look: (mesh: HealthMesh, wait: number | undefined) => Promise<HealthReport>,
  say: (line: string) => void = console.log,
  process: { readonly isCancelled: boolean } = clusters,
) {
  return statelessResource<HealthArgs, HealthArgs>({
    idOf: () => "health",
    check: accepted,
    /** A run that changed nothing needs no check. The engine repeats one that failed. */
    subject: ({ mesh, triggers, refused }) => ({ mesh, triggers, refused }),

    async make(inputs, { mesh: before }) {
      const leaving = linksRemoved(before, inputs.mesh);
      const { refused = [] } = inputs;
      // Waiting does not help a cluster that is refused.
      const wait = refused.length > 0 ? 0 : inputs.wait;
      const report = await unlessCancelled(process, () => look({ ...inputs.mesh, leaving }, wait));
      const { stopping, warnings } = findingsOf(report, inputs.mesh);
      for (const line of warnings) say(`health: warning: ${line}`);
      if (refused.length + stopping.length > 0)
        throw new PartialFailure("health", inputs, [...refused, ...stopping]);
      say(`health: ${summary(report.counts)}; linkerd-clusters check shows them all`);
      return inputs;
    },
  });
}

function linksRemoved(before: HealthMesh | undefined, mesh: HealthMesh) {
  const nameOf = ({ source, target }: { readonly source: string; readonly target: string }) =>
    `${source}/${target}`;
  const names = new Set(mesh.links.map(({ link }) => nameOf(link)));
  const links = before?.links.map(({ link: { source, target } }) => ({ source, target })) ?? [];
  return links.filter((link) => !names.has(nameOf(link)));
}

function polling(mesh: HealthMesh, wait = 30): HealthPolling {
  return {
    enough: (report) => findingsOf(report, mesh).stopping.length === 0,
    within: wait * 1000,
    every: 2_000,
    cancellation,
  };
}
