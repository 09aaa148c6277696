import { readdir, readFile } from "node:fs/promises";

/** What a process holds. */
export interface Held {
  /** Resident, in MB. */
  readonly memory: number;
  /** Files, pipes and connections that are open. */
  readonly open: number;
}

export async function heldBy(pid: number): Promise<Held> {
  const [status, open] = await Promise.all([
    readFile(`/proc/${pid}/status`, "utf8"),
    readdir(`/proc/${pid}/fd`),
  ]);
  return { memory: Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024, open: open.length };
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
