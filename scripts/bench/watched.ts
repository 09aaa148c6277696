import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import type { WatchEvent } from "../../cli/watch/events.ts";
import { type AuditedRequest, mark, requestsOf } from "../../tests/bed/audit.ts";
import type { BedCluster } from "../../tests/bed/cluster.ts";
import { until } from "../../tests/bed/processes.ts";
import { type RunningWatch, settled, startWatch } from "../../tests/bed/running-watch.ts";
import { exportedService, type Kind } from "./mesh.ts";
import type { EngineParts } from "../../tests/bed/pulumi.ts";
import { stopLog } from "./cli-log.ts";
import type { Pair } from "./pair.ts";
import { Writer } from "./writer.ts";

/** In seconds, for one step. */
export const patience = 1_800;

/** Runs a watch that has settled while `work` continues, without the CLI's log as examples/watch do. */
export async function withWatch<T>(
  { bed, stack }: Pick<Pair, "stack"> & { readonly bed: EngineParts },
  work: (watch: RunningWatch) => Promise<T>,
  isReady = (watch: RunningWatch): Promise<unknown> => settled(watch, patience),
): Promise<T> {
  await stopLog(join(bed.folder, "pulumi-home"));
  const watch = startWatch(bed, stack);
  try {
    await isReady(watch);
    return await work(watch);
  } finally {
    if (!watch.isEnded()) process.kill(watch.pid, "SIGTERM");
    await watch.ended;
  }
}

/** Counts events of this kind since `from`. */
export function countOf(
  watch: RunningWatch,
  from: number,
  isCounted: (event: WatchEvent) => boolean,
) {
  return watch.events.slice(from).filter(isCounted).length;
}

export function isUp(event: WatchEvent): boolean {
  return event.event === "runEnded" && event.command === "up";
}

interface Exporting {
  readonly target: BedCluster;
  readonly source: BedCluster;
  readonly kind: Kind;
  /** All exports together take this many seconds. */
  readonly over?: number;
}

/** Exports Services, and returns when the first was exported, the last one was, and the last mirror was there (Unix time in ms). */
export async function exportAndWait(
  names: readonly string[],
  { target, source, kind, over = 0 }: Exporting,
  mirrors: Pick<RunningWatch, "problem">,
): Promise<{ readonly begun: number; readonly exported: number; readonly mirrored: number }> {
  const writer = new Writer(target);
  const before = await mark(source);
  const services = names.map((name) => exportedService(name, kind));
  const begun = Date.now();
  if (over === 0) await writer.create({ services });
  else
    for (const [index, service] of services.entries()) {
      await writer.create({ services: [service] });
      const due = begun + (1000 * over * (index + 1)) / services.length;
      await sleep(Math.max(0, due - Date.now()));
    }
  const exported = Date.now();
  await writer.close();
  const created = async () =>
    (await requestsOf(before)).filter(
      (request) => isMirror(request) && names.some((name) => request.name === `${name}-west`),
    );
  const all = await until(
    `${names.length} mirrors`,
    [mirrors],
    async () => {
      const found = await created();
      await sleep(found.length < names.length ? 200 : 0);
      return found.length < names.length ? undefined : found;
    },
    patience,
  );
  return { begun, exported, mirrored: Math.max(...all.map(({ answered }) => answered)) };
}

export function isMirror({ verb, resource, code }: AuditedRequest): boolean {
  return verb === "create" && resource === "services" && code === 201;
}
