/** `npm run bed -- [cluster names]` starts a test bed to play with by hand, until Ctrl-C. */
import { join } from "node:path";
import { parseArgs } from "node:util";

import { startBed } from "../tests/bed/bed.ts";
import { shellLines } from "../tests/bed/pulumi.ts";
import { complain } from "./complain.ts";

const USAGE = "Usage: npm run bed -- [cluster names, default: west east]";

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: "boolean", short: "h" } },
  });
  if (values.help === true) console.log(USAGE);
  else await start(positionals.length > 0 ? positionals : ["west", "east"]);
} catch (error) {
  complain(error, USAGE);
}

/** Lines for a shell go to standard output, everything else to standard error. */
async function start(clusters: readonly string[]): Promise<void> {
  const bed = await startBed({ clusters });
  console.log(shellLines(bed).join("\n"));
  console.error(
    `Up. Paste the lines above into another shell; logs are in ${join(bed.folder, "clusters")}. ` +
      "Ctrl-C stops the clusters and deletes everything.",
  );
  // The bed ends with this process, whatever ends it.
  setInterval(() => undefined, 2 ** 31 - 1);
}
