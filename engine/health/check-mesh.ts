import type { HealthMesh } from "./mesh.ts";
import { observe, type Views } from "./observe/observe.ts";
import { type Report, reportOn } from "./report/report.ts";

/** How long a mesh is given to become healthy, and how often it is looked at; in milliseconds. */
export interface Patience {
  readonly within: number;
  readonly every: number;
  readonly sleep: (milliseconds: number) => Promise<unknown>;
  readonly now: () => number;
  /** Whether there is nothing to wait for; without it that is health. */
  readonly enough?: (report: Report) => boolean;
}

/** Looks at the mesh until it is well enough or patience ends, and reports on the last look. */
export async function checkMesh(
  mesh: HealthMesh,
  { within, every, sleep, now, enough = ({ healthy }) => healthy }: Patience,
  look: (mesh: HealthMesh, now: Date) => Promise<Views> = observe,
): Promise<Report> {
  const start = now();
  for (;;) {
    const report = reportOn(await look(mesh, new Date(now())));
    if (enough(report) || now() - start + every > within) return report;
    await sleep(every);
  }
}
