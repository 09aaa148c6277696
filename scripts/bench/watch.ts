import { setTimeout as sleep } from "node:timers/promises";

import { UserError } from "@linkerd-multicluster/engine/base";
import { isWriteRequest, mark, requestsOf } from "../../tests/bed/audit.ts";
import type { BedCluster } from "../../tests/bed/cluster.ts";
import { until } from "../../tests/bed/processes.ts";
import { settled } from "../../tests/bed/running-watch.ts";
import { type Figure, percentile, seconds } from "./figure.ts";
import { exportedService, type Kind } from "./mesh.ts";
import { withPair } from "./pair.ts";
import { peakOf } from "./process-tree.ts";
import { countOf, exportAndWait, isUp, patience, withWatch } from "./watched.ts";
import { namespaceOf, Writer } from "./writer.ts";

/** Watches a cluster that mirrors from another one, and measures how soon an export has its mirror. */
export function measureWatch(mirrors: number, rounds: number, kind: Kind): Promise<Figure[]> {
  return withPair(mirrors, kind, (pair) =>
    withWatch(pair, async (watch) => {
      const { east, west } = pair.bed.clusters;
      const what = `${mirrors} ${kind} mirrors`;
      const writer = new Writer(west);
      const took: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const name = `new-${round}`;
        const path = `/api/v1/namespaces/${namespaceOf(name)}/services/${name}-west`;
        const isThere = async () => (await east.request("GET", path)).code === 200 || undefined;
        // The watch acts at once only after a second without a change.
        await sleep(1_500);
        await writer.create({ services: [exportedService(name, kind)] });
        took.push(await seconds(() => until(name, [watch], isThere, patience)));
        await settled(watch, patience);
      }
      await writer.close();
      const from = watch.events.length;
      for (let change = 0; change < podChanges; change += 1) {
        await putPods(west, "service-0", change % 2 === 0 ? ["pod-0"] : ["pod-0", "pod-1"]);
        await sleep(1_500);
      }
      const dryRuns = countOf(watch, from, ({ event }) => event === "dryRun");
      const changes = { what: "changes", value: podChanges };
      return [
        ...[0.5, 0.95].map((share): Figure => ({
          what: `${what}: from an export to its mirror, p${share * 100} of ${rounds}`,
          value: percentile(took, share),
          unit: "s",
        })),
        {
          what: `${what}: dry runs for changes of an exported Service's pods`,
          value: dryRuns,
          unit: "runs",
          against: changes,
        },
        {
          what: `${what}: the watch's memory`,
          value: await peakOf("cli/linkerd-clusters.mjs", pair.bed.folder),
          unit: "MB",
        },
      ];
    }),
  );
}

const podChanges = 8;

/** Measures how far a watch of 1,000 mirrors is behind when so many exports arrive within ten seconds. */
export function measureBurst(exports: number, _times: number, kind: Kind): Promise<Figure[]> {
  return withPair(1_000, kind, (pair) =>
    withWatch(pair, async (watch) => {
      const { east, west } = pair.bed.clusters;
      const from = watch.events.length;
      const names = Array.from({ length: exports }, (_, index) => `burst-${index}`);
      const exporting = { target: west, source: east, kind, over: 10 };
      const { exported, mirrored } = await exportAndWait(names, exporting, watch);
      await settled(watch, patience);
      const what = `${exports} ${kind} exports in 10 s`;
      const behind = (mirrored - exported) / 1000;
      return [
        { what: `${what}: from the last export to the last mirror`, value: behind, unit: "s" },
        { what: `${what}: runs of up`, value: countOf(watch, from, isUp), unit: "runs" },
      ];
    }),
  );
}

/** Measures what the rolling restart of a StatefulSet costs whose pods are mirrored one by one. */
export function measureRestart(pods: number): Promise<Figure[]> {
  const names = Array.from({ length: pods }, (_, index) => `set-${index}`);
  const links = { headless: true };
  return withPair(
    1,
    "gateway",
    async (pair) => {
      const { east, west } = pair.bed.clusters;
      const writer = new Writer(west);
      const set = exportedService("set", "gateway");
      await writer.create({
        services: [
          { ...set, spec: { ...set.spec, clusterIP: "None", ports: set.spec?.ports ?? [] } },
        ],
      });
      await writer.close();
      await addStatefulSet(west, pods);
      await putPods(west, "set", names);
      await pair.stack.pulumi("up", "--yes", "--skip-preview");
      return withWatch(pair, async (watch) => {
        const before = await mark(east);
        const from = watch.events.length;
        const took = await seconds(async () => {
          // The controller restarts the last pod first.
          for (const name of names.toReversed()) {
            await putPods(
              west,
              "set",
              names.filter((each) => each !== name),
            );
            await sleep(200);
            await putPods(west, "set", names);
            await sleep(200);
          }
          await settled(watch, patience);
        });
        const writes = (await requestsOf(before)).filter(isWriteRequest);
        const what = `restart of ${pods} mirrored pods in ${took.toFixed(0)} s`;
        return [
          {
            what: `${what}: requests that write to the source`,
            value: writes.length,
            unit: "writes",
          },
          {
            what: `${what}: dry runs`,
            value: countOf(watch, from, ({ event }) => event === "dryRun"),
            unit: "runs",
          },
          { what: `${what}: runs of up`, value: countOf(watch, from, isUp), unit: "runs" },
        ];
      });
    },
    links,
  );
}

async function addStatefulSet(cluster: BedCluster, replicas: number): Promise<void> {
  const labels = { app: "set" };
  const path = `/apis/apps/v1/namespaces/${namespaceOf("set")}/statefulsets`;
  const containers = [{ name: "app", image: "app" }];
  await create(cluster, path, {
    metadata: { name: "set" },
    spec: {
      serviceName: "set",
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  });
}

/** Writes the Endpoints of a Service as Kubernetes does, with a name for each pod. */
async function putPods(
  cluster: BedCluster,
  service: string,
  pods: readonly string[],
): Promise<void> {
  const collection = `/api/v1/namespaces/${namespaceOf(service)}/endpoints`;
  const addresses = pods.map((hostname, index) => ({ hostname, ip: `10.1.0.${index + 1}` }));
  const subsets = [{ addresses, ports: [{ name: "http", port: 8080 }] }];
  const object = { metadata: { name: service }, subsets };
  // The API server creates Endpoints that aren't there.
  const { code, body } = await cluster.request("PUT", `${collection}/${service}`, object);
  if (code > 201) throw new UserError(`${collection}: ${JSON.stringify(body)}`);
}

async function create(cluster: BedCluster, path: string, object: object) {
  const { code, body } = await cluster.request("POST", path, object);
  if (code !== 201) throw new UserError(`${path}: ${JSON.stringify(body)}`);
}
