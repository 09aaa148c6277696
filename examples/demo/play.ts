import {
  connect,
  type Kubernetes,
  processEnvironment,
} from "@linkerd-multicluster/engine/kubernetes";
import { type Bed, type Dns, startBed, until } from "../../tests/bed/bed.ts";
import { shellLines } from "../../tests/bed/pulumi.ts";
import type { Cleanup } from "./cleanup.ts";
import { kubectlOn } from "./kubectl.ts";
import { pulumiFor } from "./pulumi.ts";
import type { Scenario, Stage } from "./scenario.ts";
import type { Screen } from "./screen.ts";

/** Plays a scenario, from starting its clusters to stopping them unless the viewer wants to keep them. */
export async function play(
  scenario: Scenario,
  screen: Screen,
  cleanup: Cleanup,
  keep: boolean,
): Promise<void> {
  screen.heading(scenario.title);
  const names = scenario.clusters;
  screen.step(
    `Start the clusters ${new Intl.ListFormat("en").format(names)}`,
    `These are real Kubernetes API servers and controllers on this machine, without containers; kwok simulates the nodes.
You need neither kubectl nor dig: the demo prints an excerpt of what they would print.`,
  );
  const bed = await startBed({ clusters: names });
  cleanup.add(() => bed.stop());
  screen.output("");
  screen.table(Object.values(bed.clusters).map(({ name, server }) => [name, server]));

  const clusters = await connectAll(bed, cleanup);
  const pulumi = await pulumiFor(bed, scenario.config, screen, cleanup);
  const stage: Stage = {
    screen,
    pulumi,
    kubectl: kubectlOn(screen),
    lookUp: lookUpOn(bed, screen),
    cluster(name) {
      const cluster = clusters.get(name);
      if (cluster === undefined) throw new Error(`The scenario has no cluster "${name}".`);
      return cluster;
    },
  };
  for (const { title, why, run } of scenario.acts) {
    screen.step(title, why);
    await run(stage);
  }
  if (keep) {
    printNextSteps(screen, shellLines(bed, pulumi.settings), scenario);
    return;
  }
  screen.step(
    "Take it all down",
    "Destroying the stack deletes the mirrors and nothing else. The clusters stop when the demo ends.",
  );
  await stage.pulumi.run("destroy", "--yes", "--skip-preview");
  await stage.kubectl.getServices(stage.cluster(scenario.mirrorsIn));
}

function printNextSteps(
  screen: Screen,
  lines: readonly string[],
  { nextCommands }: Scenario,
): void {
  screen.step(
    "Now it is yours",
    "Everything keeps running until you press Ctrl-C here. Paste these lines into another shell in this folder:",
  );
  screen.output("");
  for (const line of lines) screen.output(line);
  screen.remark("Look around, if you have kubectl:");
  screen.command(...nextCommands);
  screen.remark("Change something, preview it, apply it, and undo everything:");
  screen.command("pulumi preview --diff", "pulumi up", "pulumi destroy");
}

/** Starts a cluster's DNS server on the first query. */
function lookUpOn(bed: Bed<string>, screen: Screen): Stage["lookUp"] {
  const servers = new Map<string, Promise<Dns>>();
  return async (cluster, name) => {
    const server = servers.get(cluster) ?? bed.dns(cluster);
    servers.set(cluster, server);
    const dns = await server;
    // CoreDNS learns of a new name a moment later.
    const addresses = await until(`an address of ${name}`, [], async () => {
      const found = await dns.lookup(name);
      return found.length > 0 ? found : undefined;
    });
    screen.command(`dig +short @127.0.0.1 -p ${dns.port} ${name}`);
    for (const address of addresses) screen.output(address);
  };
}

async function connectAll(
  { settings, clusters }: Bed<string>,
  cleanup: Cleanup,
): Promise<ReadonlyMap<string, Kubernetes>> {
  const connected = new Map<string, Kubernetes>();
  const environment = { ...processEnvironment(), variables: settings };
  for (const name of Object.keys(clusters)) {
    const cluster = await connect({ context: name }, name, { environment });
    cleanup.add(() => cluster.close());
    connected.set(name, cluster);
  }
  return connected;
}
