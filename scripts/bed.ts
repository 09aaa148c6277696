/** `npm run bed -- [--seed] [cluster names]` starts a test bed to play with by hand, until Ctrl-C. */
import { join } from "node:path";
import { parseArgs } from "node:util";

import { connect } from "@linkerd-multicluster/engine/kubernetes";
import { label } from "@linkerd-multicluster/engine/mirroring";
import { makeGateway, makeNamespaces, makeService } from "../examples/demo/make.ts";
import { type Bed, startBed } from "../tests/bed/bed.ts";
import { shellLines } from "../tests/bed/pulumi.ts";
import { complain } from "./complain.ts";

const USAGE = "Usage: npm run bed -- [--seed] [cluster names, default: west east]";

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: "boolean", short: "h" }, seed: { type: "boolean" } },
  });
  if (values.help === true) console.log(USAGE);
  else await start(positionals.length > 0 ? positionals : ["west", "east"], values.seed);
} catch (error) {
  complain(error, USAGE);
}

/** Lines for a shell go to standard output, everything else to standard error. */
async function start(clusters: readonly string[], isSeeded = false): Promise<void> {
  const bed = await startBed({ clusters });
  if (isSeeded) await seed(bed, clusters);
  console.log(shellLines(bed).join("\n"));
  console.error(
    `Up. Paste the lines above into another shell; logs are in ${join(bed.folder, "clusters")}. ` +
      "Ctrl-C stops the clusters and deletes everything.",
  );
  // The bed ends with this process, whatever ends it.
  setInterval(() => undefined, 2 ** 31 - 1);
}

/** Gives the first cluster a gateway and an exported Service, and all clusters the Service's namespace. */
async function seed(bed: Bed<string>, clusters: readonly string[]): Promise<void> {
  for (const [index, name] of clusters.entries()) {
    const cluster = await connect({ context: name, kubeconfig: bed.kubeconfig }, name);
    await makeNamespaces(cluster, "shop");
    if (index === 0) {
      await makeGateway(cluster, "192.0.2.10");
      const labels = { [label.exported]: "true" };
      const ports = [{ name: "http", port: 80 }];
      await makeService(cluster, { namespace: "shop", name: "web", labels, ports });
    }
    await cluster.close();
  }
}
