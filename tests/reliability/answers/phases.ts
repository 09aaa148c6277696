import type { Seen } from "../../simulation/faults.ts";
import type { Ended, FaultPlans, Mesh } from "../../simulation/mesh.ts";

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

const up = {
  operation: "up",
  asksTargets: false,
  run: (mesh: Mesh, plans: FaultPlans) => mesh.up(plans),
} as const;
const destroy = {
  operation: "destroy",
  asksTargets: false,
  run: (mesh: Mesh, plans: FaultPlans) => mesh.destroy(plans),
} as const;

const reading = { reads: true, isPart: ({ method }: Seen) => method === "GET" };
const deleting = { reads: false, isPart: ({ method }: Seen) => method === "DELETE" };
const writing = {
  reads: false,
  isPart: (request: Seen) => !reading.isPart(request) && !deleting.isPart(request),
};

/** All of them, in the order in which a stack meets them. */
export const phases = {
  "while it plans": { ...up, ...reading, asksTargets: true },
  "while it looks again before it writes": {
    ...up,
    ...reading,
    asksTargets: true,
    run: (mesh, plans) => {
      let isPlanned = false;
      const planned = () => {
        isPlanned = true;
        return Promise.resolve();
      };
      return mesh.upWith(planned, (cluster) => (request) => {
        return isPlanned ? plans(cluster)?.(request) : undefined;
      });
    },
  },
  "while it writes": { ...up, ...writing },
  "while it deletes": { ...up, ...deleting },
  "while it looks what to destroy": { ...destroy, ...reading },
  "while it destroys": { ...destroy, ...deleting },
} satisfies Readonly<Record<string, Phase>>;

export type PhaseName = keyof typeof phases;

export const allPhases = Object.entries(phases) as [PhaseName, Phase][];
