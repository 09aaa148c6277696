import {
  connect,
  type Kubernetes,
  processEnvironment,
} from "@linkerd-multicluster/engine/kubernetes";
import { type DemoBed, raiseBed, raiseBedToKeep } from "./bed.ts";
import type { Cleanup } from "./cleanup.ts";
import { DemoError } from "./errors.ts";
import { farewell } from "./keep.ts";
import { kubectlOn } from "./kubernetes/kubectl.ts";
import { namesOn } from "./kubernetes/names.ts";
import { pulumiFor } from "./pulumi.ts";
import type { Scenario, Stage } from "./scenario.ts";
import type { Screen } from "./screen.ts";
import { watchOn } from "./watch.ts";

/** Tells a scenario's story from the start of its clusters to their end, or leaves them to the viewer. */
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
    `Real Kubernetes API servers and controllers on this machine, without containers: kwok stands in for the machines.
"kubectl" and "dig" are not needed either: the demo prints what they would, in short.`,
  );
  const bed = await (keep ? raiseBedToKeep : raiseBed)(names, cleanup);
  screen.output("");
  screen.table(bed.clusters.map(({ name, server }) => [name, server]));

  const clusters = await connectAll(bed, cleanup);
  const pulumi = await pulumiFor(bed, scenario.config, screen, cleanup);
  const stage: Stage = {
    screen,
    pulumi,
    cut: bed.cut,
    kubectl: kubectlOn(screen),
    names: namesOn(bed, screen, cleanup),
    watch: watchOn(bed, pulumi, screen, cleanup),
    cluster: (name: string) => {
      const cluster = clusters.get(name);
      if (cluster === undefined) throw new DemoError(`The scenario has no cluster "${name}".`);
      return cluster;
    },
  };
  for (const { title, why, run } of scenario.acts) {
    screen.step(title, why);
    await run(stage);
  }
  if (bed.leave !== undefined) {
    farewell(screen, bed, stage.pulumi, scenario);
    bed.leave();
    return;
  }
  screen.step(
    "Take it all down",
    "Destroying the stack deletes the mirrors and nothing else; the clusters stop when the demo ends.",
  );
  await stage.pulumi.run("destroy", "--yes", "--skip-preview");
  await stage.kubectl.getServices(stage.cluster(scenario.mirrorsIn));
}

async function connectAll(
  { settings, clusters }: DemoBed,
  cleanup: Cleanup,
): Promise<ReadonlyMap<string, Kubernetes>> {
  const connected = new Map<string, Kubernetes>();
  const environment = { ...processEnvironment(), variables: settings };
  for (const { name } of clusters) {
    const cluster = await connect({ context: name }, name, { environment });
    cleanup.add(() => cluster.close());
    connected.set(name, cluster);
  }
  return connected;
}
