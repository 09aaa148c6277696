import type { Seen } from "../../simulation/faults.ts";
import type { Ended, Mesh, FaultPlans } from "../../simulation/mesh.ts";

/** A part of an operation in which answers can be disturbed. */
export interface Phase {
  /** Which state of the clusters it leads to. */
  readonly operation: "up" | "destroy";
  readonly isPart: (request: Seen) => boolean;
  /** Whether it is made of reads. */
  readonly reads: boolean;
  /** Whether the targets are asked in it too, or the sources alone. */
  readonly asksTargets: boolean;
  /** @param plans what happens to the requests of this part */
  readonly run: (mesh: Mesh, plans: FaultPlans) => Promise<Ended>;
}

const isRead = ({ method }: Seen) => method === "GET";
const isDeletion = ({ method }: Seen) => method === "DELETE";

export const phases = {
  "while it plans": {
    operation: "up",
    isPart: isRead,
    reads: true,
    asksTargets: true,
    run: (mesh, plans) => mesh.up(plans),
  },
  "while it looks again before it writes": {
    operation: "up",
    isPart: isRead,
    reads: true,
    asksTargets: true,
    run: (mesh, plans) => {
      let isPlanned = false;
      const later: FaultPlans = (cluster) => {
        const plan = plans(cluster);
        return plan && ((request) => (isPlanned ? plan(request) : undefined));
      };
      const planned = () => {
        isPlanned = true;
        return Promise.resolve();
      };
      return mesh.upWith(planned, later);
    },
  },
  "while it writes": {
    operation: "up",
    isPart: (request) => !isRead(request) && !isDeletion(request),
    reads: false,
    asksTargets: false,
    run: (mesh, plans) => mesh.up(plans),
  },
  "while it deletes": {
    operation: "up",
    isPart: isDeletion,
    reads: false,
    asksTargets: false,
    run: (mesh, plans) => mesh.up(plans),
  },
  "while it looks what to destroy": {
    operation: "destroy",
    isPart: isRead,
    reads: true,
    asksTargets: false,
    run: (mesh, plans) => mesh.destroy(plans),
  },
  "while it destroys": {
    operation: "destroy",
    isPart: isDeletion,
    reads: false,
    asksTargets: false,
    run: (mesh, plans) => mesh.destroy(plans),
  },
} as const satisfies Readonly<Record<string, Phase>>;

export type PhaseName = keyof typeof phases;

/** All of them, in the order in which a stack meets them. */
export const allPhases = Object.entries(phases) as readonly (readonly [PhaseName, Phase])[];
