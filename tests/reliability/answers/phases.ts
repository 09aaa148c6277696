import type { Seen } from "../../simulation/faults.ts";
import type { Ended, FaultPlans, Mesh } from "../../simulation/mesh.ts";

export interface Phase {
  /** The operation whose result it leads to. */
  readonly operation: "up" | "destroy";
  readonly isPart: (request: Seen) => boolean;
  readonly reads: boolean;
  /** It sends requests to targets too, not only to sources. */
  readonly asksTargets: boolean;
  /** @param plans disturb the requests of this phase */
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

/** A stack goes through them in this order. */
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

/** Returns the clusters whose answers can be disturbed in a phase: the source east, and the target west. */
export function disturbedIn(phase: PhaseName): readonly ("east" | "west")[] {
  return phases[phase].asksTargets ? ["east", "west"] : ["east"];
}
