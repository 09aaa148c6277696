import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { ensureTools, startBed } from "../testbed/bed.ts";
import { ask } from "../testbed/by-hand.ts";
import { BedError } from "../testbed/errors.ts";
import type { Cleanup } from "./cleanup.ts";
import { DemoError } from "./errors.ts";

/** The clusters and the engine that the demo runs on. */
export interface DemoBed {
  readonly folder: string;
  /** `pulumi` and `kubectl` find them with these variables, and with these folders first on PATH. */
  readonly settings: Readonly<Record<string, string>>;
  readonly path: readonly string[];
  readonly clusters: readonly { readonly name: string; readonly server: string }[];
  /** Makes a cluster unreachable until what it returns is called; not where the bed outlives the demo. */
  readonly cut?: (name: string) => Promise<() => Promise<void>>;
  /** Lets it outlive the demo, if it can. */
  readonly leave?: () => void;
}

/** Makes a bed, after its programs, of whose building it tells on the standard error stream. */
export type RaiseBed = (names: readonly string[], cleanup: Cleanup) => Promise<DemoBed>;

/** A bed that goes with this process. */
export const raiseBed: RaiseBed = async (clusters, cleanup) => {
  const bed = await startBed({ clusters });
  cleanup.add(() => bed.stop());
  return {
    ...bed,
    clusters: Object.values(bed.clusters),
    async cut(name) {
      const cluster = bed.clusters[name];
      if (cluster === undefined) throw new DemoError(`The scenario has no cluster "${name}".`);
      await cluster.cut();
      return () => cluster.restore();
    },
  };
};

/** The bed of `npm run bed -- up`, which `npm run bed -- down` removes. */
export const raiseBedToKeep: RaiseBed = async (names, cleanup) => {
  const present = await ask("status");
  if (present !== undefined) {
    const running = present.clusters.map(({ name }) => name).join(", ");
    throw new DemoError(
      `A test bed is running already, with ${running}, and only one can be kept: "npm run bed -- down" stops it.`,
    );
  }
  // Before the command, of whose progress nothing would be seen.
  await (
    await ensureTools()
  ).coredns;
  const cli = join(import.meta.dirname, "..", "bin", "bed.ts");
  const starting = spawn(process.execPath, [cli, "up", ...names], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(starting, "exit");
  const leave = cleanup.add(async () => {
    // A bed that is still starting ends with the process that started it.
    starting.kill();
    await ended;
    await ask("stop").catch(unlessGoingDown);
  });
  const said = await text(starting.stderr);
  await ended;
  const running = await ask("status");
  if (running === undefined) throw new DemoError(said.trim());
  return { ...running, leave };
};

function unlessGoingDown(error: unknown): undefined {
  if (!(error instanceof BedError)) throw error;
}
