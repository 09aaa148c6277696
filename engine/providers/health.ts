/** The dynamic resource that checks the mesh at the end of a run (index.ts). */

import type { HealthArgs, HealthMesh } from "../health/mesh.ts";
import { type HealthReport, summary } from "../health/report.ts";
import { checkMesh, findingsOf, type HealthPolling } from "../health/run.ts";
import { cancellation, unlessCancelled } from "./cancellation.ts";
import { differing, statelessMethods } from "./contract.ts";
import { clusters } from "./process.ts";

const unasked = { failures: [] };

export const health = healthResource((mesh, wait) => checkMesh(mesh, polling(mesh, wait)));

/** Pulumi shows each line that is said as a message of the stack. */
export function healthResource(
  look: (mesh: HealthMesh, wait: number | undefined) => Promise<HealthReport>,
  say: (line: string) => void = console.log,
  process: { readonly isCancelled: boolean } = clusters,
) {
  async function run(inputs: HealthArgs, id: string, before?: HealthMesh): Promise<void> {
    const leaving = linksRemoved(before, inputs.mesh);
    const report = await unlessCancelled(process, () =>
      look({ ...inputs.mesh, leaving }, inputs.wait),
    );
    const { stopping, warnings } = findingsOf(report, inputs.mesh);
    for (const line of warnings) say(`health: warning: ${line}`);
    if (stopping.length > 0) throw new Unhealthy(id, inputs, stopping);
    say(`health: ${summary(report.counts)}; npm run check shows them all`);
  }

  return {
    /** Reads nothing: in a preview there is nothing to check yet. */
    check(_olds: Partial<HealthArgs>, inputs: HealthArgs) {
      return Promise.resolve({ inputs, ...unasked });
    },

    /** A run that changed nothing needs no check; one that was unhealthy is checked again anyway. */
    diff: differing<HealthArgs>(({ mesh, triggers }) => ({ mesh, triggers })),

    ...statelessMethods(),

    async create(inputs: HealthArgs) {
      const id = "health";
      await run(inputs, id);
      return { id, outs: inputs };
    },

    async update(id: string, olds: HealthArgs, inputs: HealthArgs) {
      await run(inputs, id, olds.mesh);
      return { outs: inputs };
    },
  };
}

function linksRemoved(before: HealthMesh | undefined, mesh: HealthMesh) {
  const nameOf = ({ source, target }: { readonly source: string; readonly target: string }) =>
    `${source}/${target}`;
  const names = new Set(mesh.links.map(({ link }) => nameOf(link)));
  const links = before?.links.map(({ link: { source, target } }) => ({ source, target })) ?? [];
  return links.filter((link) => !names.has(nameOf(link)));
}

/** An error that Pulumi records with the state, so that the next run checks again. */
class Unhealthy extends Error {
  readonly id: string;
  readonly properties: HealthArgs;
  readonly reasons: readonly string[];

  constructor(id: string, inputs: HealthArgs, reasons: readonly string[]) {
    super("the mesh is not healthy; npm run check shows all checks");
    this.id = id;
    // All inputs, since among them is the provider's own code.
    this.properties = inputs;
    this.reasons = reasons;
  }
}

function polling(mesh: HealthMesh, wait = 30): HealthPolling {
  return {
    enough: (report) => findingsOf(report, mesh).stopping.length === 0,
    within: wait * 1000,
    every: 2_000,
    cancellation,
  };
}
