import { bounds } from "./bounds.ts";

/** Kubernetes (metav1.Duration) and Linkerd's Helm values write durations as Go does: `3s`, `24h0m0s`, `1.5h`. */
const units = new Map(
  Object.entries({ ns: 1e-6, us: 1e-3, µs: 1e-3, μs: 1e-3, ms: 1, s: 1e3, m: 6e4, h: 3.6e6 }),
);

const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/gy;

/** Go's longest duration, `2562047h47m16.854775807s`, has 24 characters. */
const longest = 2 ** 63 / 1e6;

/** Returns milliseconds, or undefined for other texts, negative durations and those that Go can't hold. */
export function parseDuration(text: string): number | undefined {
  if (text === "" || text.length > bounds.duration.most) return undefined;
  const parts = [...text.matchAll(part)];
  if (parts.map(([all]) => all).join("") !== text) return undefined;
  const sum = parts.reduce(
    (total, [, count, unit = ""]) => total + Number(count) * (units.get(unit) ?? 0),
    0,
  );
  return sum < longest ? sum : undefined;
}

/** Formats whole seconds as Go does: `3s`, `2m0s`. */
export function formatSeconds(total: number): string {
  const [hours, minutes] = [Math.floor(total / 3600), Math.floor(total / 60) % 60];
  const seconds = total % 60;
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}

/** Formats for a sentence: `0.3 s`. */
export function inSeconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 100) / 10} s`;
}
