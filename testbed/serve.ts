/** The process that holds the bed started by hand: `serve.ts <cluster>...`, started by cli.ts, which hears how it went. */
import { type Bed, startBed } from "./bed.ts";
import { type Running, listen } from "./by-hand.ts";
import { BedError } from "./errors.ts";

export type Outcome = { readonly running: Running } | { readonly problem: string };

// Whoever started this was interrupted: nobody would know of the bed.
process.once("disconnect", () => process.exit(1));

try {
  const starting = startBed({ clusters: process.argv.slice(2) });
  starting.catch(() => undefined);
  await listen(async (question) => {
    const bed = await starting;
    const running = await describe(bed);
    if (question === "stop") {
      await bed.stop();
      // After the answer has left.
      setImmediate(() => setImmediate(() => process.exit(0)));
    }
    return running;
  });
  tell({ running: await describe(await starting) });
} catch (error) {
  tell({ problem: error instanceof BedError ? error.message : String(error) });
  process.exitCode = 1;
}
process.removeAllListeners("disconnect");
process.disconnect();
if (process.exitCode !== undefined) process.exit();

function tell(outcome: Outcome): void {
  process.send?.(outcome);
}

async function describe(bed: Bed<string>): Promise<Running> {
  const clusters = Object.values(bed.clusters).map(async (cluster) => {
    const answer = await cluster.request("GET", "/readyz").catch(() => undefined);
    return { name: cluster.name, server: cluster.server, ready: answer?.code === 200 };
  });
  const { folder, path, settings } = bed;
  return { clusters: await Promise.all(clusters), folder, path, settings };
}
