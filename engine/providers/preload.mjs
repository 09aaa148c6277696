// Imported by the launcher of the provider, which loads its code while the program still loads its own (index.ts).
import process from "node:process";
import { setTimeout } from "node:timers";

if (process.env.LINKERD_CLUSTERS_LOAD_ALL !== "1")
  // Pulumi's SDK comes first.
  setTimeout(async () => {
    await import("../near.mjs");
    for (const needed of ["index", "mirrors", "stateless"]) await import(`./${needed}.ts`);
    const { loadedAgent } = await import("../kubernetes/client/dispatcher.ts");
    loadedAgent();
  }, 0);
