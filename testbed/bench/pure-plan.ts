import { linkDefaults } from "@linkerd-multicluster/engine/mirroring";
import { decide, type SourceObservation } from "@linkerd-multicluster/engine/plan";

import type { Figure } from "./figure.ts";
import { exportedServices } from "./mesh.ts";
import { namespaceOf } from "./writer.ts";

type Snapshot = SourceObservation["source"];

/** Planning by itself, and half as much of it: that it grows no faster than what is planned. */
export function measurePurePlan(services: number, times: number): Figure[] {
  const value = processorSeconds(services, times);
  const half = { what: `${services / 2} Services`, value: processorSeconds(services / 2, times) };
  return [
    { row: "plan", what: `pure plan of ${services} Services`, value, unit: "s", against: half },
  ];
}

/** The least processor time of several plans: a plan waits for nobody. */
function processorSeconds(services: number, times: number): number {
  const observation = observationOf(services);
  const took = Array.from({ length: times }, () => {
    const started = process.cpuUsage();
    decide(observation);
    const { user, system } = process.cpuUsage(started);
    return (user + system) / 1e6;
  });
  return Math.min(...took);
}

/** An observation in which all that is exported is yet to be mirrored. */
function observationOf(count: number): SourceObservation {
  const services: Snapshot["services"] = new Map(
    exportedServices(count).map(({ metadata, spec }) => {
      const namespace = namespaceOf(metadata.name);
      const own = {
        metadata: { ...metadata, namespace },
        spec: { clusterIP: "10.0.0.1", ...spec },
      };
      return [`${namespace}/${metadata.name}`, own];
    }),
  );
  const namespaces: Snapshot["namespaces"] = new Map(
    [...services.values()].map(({ metadata: { namespace } }) => [
      namespace,
      { metadata: { name: namespace } },
    ]),
  );
  const snapshot = (cluster: string, own: Snapshot["services"]): Snapshot => ({
    ...{ cluster, identity: cluster, namespaces, services: own, endpoints: new Map() },
  });
  const access = { west: { context: "west" }, east: { context: "east" } };
  const ends = { source: "east", target: "west" };
  const link = { ...linkDefaults, ...ends, gateway: false as const, maxMirrors: count };
  const target: NonNullable<SourceObservation["links"][number]["target"]> = {
    snapshot: snapshot("west", services),
    gateway: { known: false, why: "" },
    awaited: false,
    statefulSets: [],
  };
  return {
    args: { source: "east", stack: "bench/bench", clusters: access, links: [] },
    source: snapshot("east", new Map()),
    links: [{ link, target }],
    removed: [],
    now: new Date(),
    stacks: ["bench/bench"],
    controllers: { found: [] },
  };
}
