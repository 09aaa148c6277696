import { isDeepStrictEqual } from "node:util";
import { systemTime, type Time } from "@linkerd-multicluster/engine/kubernetes";
import { addressesOf } from "@linkerd-multicluster/engine/reading";
import type { DryRun } from "./dry-run.ts";

/** Milliseconds between two times that hostnames are resolved. */
const period = 30_000;

export interface HostnameWatch {
  /** The hostnames of gateways, with what they led to in the last dry run. */
  readonly known: () => DryRun["hostnames"];
  readonly moved: (name: string) => void;
  readonly time?: Time;
  readonly resolve?: (
    name: string,
    options: { readonly stop: AbortSignal },
  ) => Promise<readonly string[]>;
}

/**
 * Calls `moved` for each hostname that leads elsewhere, until the signal is aborted: clusters don't tell of a change
 * in DNS, and mirrors lead to addresses. Never rejects.
 */
export async function watchHostnames(
  { known, moved, time = systemTime, resolve = addressesOf }: HostnameWatch,
  stop: AbortSignal,
): Promise<void> {
  for (;;) {
    await time.sleep(period, stop);
    if (stop.aborted) return;
    const looked = Object.keys(known()).map(async (name) => {
      const found = await resolve(name, { stop }).catch(() => undefined);
      // A dry run may have been made meanwhile. A name that does not resolve may be DNS being away.
      const before = known()[name];
      if (found === undefined || before === undefined) return;
      if (!isDeepStrictEqual(new Set(found), new Set(before))) moved(name);
    });
    await Promise.all(looked);
  }
}
