import type { AuditedRequest } from "../../tests/bed/audit.ts";

export interface Figure {
  readonly what: string;
  readonly value: number;
  readonly unit: "MB" | "ms" | "requests" | "runs" | "s" | "times" | "writes";
  /** A minimal program did the same work in the same run. */
  readonly against?: { readonly what: string; readonly value: number };
}

export function cellsOf({ what, value, unit, against }: Figure): string[] {
  const shown = (number: number): string =>
    `${["s", "MB", "times"].includes(unit) ? number.toFixed(2) : String(Math.round(number))} ${unit}`;
  const ratio = value / (against?.value ?? 0);
  const compared =
    against === undefined
      ? ["", ""]
      : [
          `${against.what}: ${shown(against.value)}`,
          Number.isFinite(ratio) ? `${ratio.toFixed(2)}x` : "",
        ];
  return [what, shown(value), ...compared];
}

export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

/** Returns the least of several times, because other work of the machine only adds to it. */
export async function leastSeconds(times: number, work: () => Promise<unknown>): Promise<number> {
  let least = Infinity;
  for (let time = 0; time < times; time++) least = Math.min(least, await seconds(work));
  return least;
}

/** Returns the value below which that share of all lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

/** Returns the seconds from the first request to the last answer. */
export function spanOf(requests: readonly AuditedRequest[]): number {
  const received = requests.map((each) => each.received);
  const answered = requests.map((each) => each.answered);
  return (Math.max(...answered) - Math.min(...received)) / 1000;
}
