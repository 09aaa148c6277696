/** What some work costs, and how that grows with what it is given. */

export interface Door {
  readonly name: string;
  /** The worst that may come in, of about so many bytes. */
  readonly worst: (bytes: number) => unknown;
  readonly enter: (input: never) => unknown;
}

/** A door, with the type of what comes in by it checked. */
export function door<T>(name: string, worst: (bytes: number) => T, enter: (input: T) => unknown) {
  return { name, worst, enter } satisfies Door;
}

/** Bytes: what this machine is busy with otherwise is lost in the time that the larger one takes. */
export const [small, large] = [25_000, 200_000];

/** Milliseconds of processor time, the least of some attempts: others use this machine, too. */
export async function processorTime(work: () => unknown, attempts = 3): Promise<number> {
  let least = Infinity;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const start = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(start);
    least = Math.min(least, (user + system) / 1000);
    // A slow one says enough.
    if (least > 500) break;
  }
  return least;
}
