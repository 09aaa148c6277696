import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

import type { BedCluster } from "../../tests/bed/cluster.ts";
import { writeKubeconfig } from "../../tests/bed/kubeconfig.ts";
import { until } from "../../tests/bed/processes.ts";
import type { RunningWatch } from "../../tests/bed/running-watch.ts";
import { newStack } from "../../tests/bed/stack.ts";
import { type Figure, seconds } from "./figure.ts";
import { exportedServices, startExporting } from "./mesh.ts";
import { exportAndWait, patience, withWatch } from "./watched.ts";

const exportsOfEach = 20;

/** Measures a source of so many clusters: two don't answer, and one context leads to another cluster than before. */
export async function measureAway(clusters: number): Promise<Figure[]> {
  const targets = ["west", "gone", "lost", "liar"].concat(
    Array.from({ length: clusters - 5 }, (_, index) => `c${index}`),
  );
  const services = exportedServices(exportsOfEach, "flat");
  const bed = await startExporting(["east", ...targets], (name) => ({
    services: name === "east" ? [] : services,
  }));
  const of = (name: string): BedCluster => {
    const found = bed.clusters[name];
    if (found === undefined) throw new TypeError(`there is no cluster ${name}`);
    return found;
  };
  // It takes connections and says nothing, so each is tried until its time is over.
  const silent = createServer().listen(0, "127.0.0.1");
  await once(silent, "listening");
  const server = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  try {
    const stack = await newStack(bed, "bench", {
      manage: "mirrors",
      clusters: Object.fromEntries(["east", ...targets].map((name) => [name, {}])),
      links: targets.map((target) => ({ source: "east", target })),
      linkDefaults: { gateway: false },
    });
    await stack.pulumi("up", "--yes", "--skip-preview");
    const all = await seconds(() => stack.pulumi("preview", "--expect-no-changes"));
    const exporting = { target: of("west"), source: of("east"), kind: "flat" } as const;
    const measured = async (name: string) =>
      withWatch(
        { bed, stack },
        async (watch) => {
          const { begun, mirrored } = await exportAndWait([name], exporting, watch);
          return (mirrored - begun) / 1000;
        },
        rested,
      );
    const before = await measured("before");
    await writeKubeconfig(
      bed.kubeconfig,
      ["east", ...targets].map((name) => {
        const { access } = of(name === "liar" ? "west" : name);
        const isGone = name === "gone" || name === "lost";
        return { name, access: isGone ? { ...access, server } : access };
      }),
    );
    const some = await seconds(() => stack.run(["preview"]));
    const what = `${clusters} clusters, two away and one lies`;
    const against = (value: number) => ({ what: "all there", value });
    return [
      { what: `${what}: preview`, value: some, unit: "s", against: against(all) },
      {
        what: `${what}: watch, from an export to its mirror`,
        value: await measured("after"),
        unit: "s",
        against: against(before),
      },
    ];
  } finally {
    silent.close();
    await bed.stop();
  }
}

/** A watch of clusters that are away doesn't settle, but it comes to rest. */
function rested(watch: RunningWatch): Promise<true> {
  const isRested = () => {
    const last = watch.events.findLast(({ event }) => event === "state");
    return last?.event === "state" && !["starting", "running"].includes(last.state);
  };
  return until(
    "the watch to rest",
    [watch],
    () => Promise.resolve(isRested() || undefined),
    patience,
  );
}
