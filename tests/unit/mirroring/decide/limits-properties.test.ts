import { ok } from "node:assert/strict";
import fc from "fast-check";
import { itemsOf } from "../../../../engine/kubernetes/client/answers.ts";
import { bounds } from "../../../../engine/kubernetes/objects/bounds.ts";
import { objectKey, type Service } from "../../../../engine/kubernetes/objects/objects.ts";
import { resources } from "../../../../engine/kubernetes/objects/resources.ts";
import { SharedValues } from "../../../../engine/kubernetes/objects/shared-values.ts";
import { decide } from "../../../../engine/mirroring/decide/decide.ts";
import { noRoutes } from "../../../../engine/model/route.ts";
import type { ClusterSnapshot } from "../../../../engine/model/snapshot.ts";
import { label } from "../../../../engine/model/vocabulary.ts";
import { applied } from "../../fixtures/applied.ts";
import { known, link } from "../../fixtures/link.ts";
import { stack } from "../../fixtures/marks.ts";
import { cluster, endpoints, exported, later, pods, service } from "../../fixtures/objects.ts";

/** The sizes of several equal Services; most sizes are at a limit, or just beyond it. */
const kinds = fc.record({
  kind: fc.constantFrom("gateway", "headless", "federated"),
  count: fc.constantFrom(1, 20, 230),
  labels: fc.constantFrom(0, 3, 100, 128, 129),
  annotations: fc.constantFrom(0, 2, 100, 127, 129),
  /** Characters of a key; its prefix may have 253. */
  key: fc.constantFrom(5, 250),
  value: fc.constantFrom(0, 63),
  note: fc.constantFrom(0, 20_000, 60_000),
  ports: fc.constantFrom(1, 100, 101),
  pods: fc.constantFrom(1, 50, 1_000),
  namespaces: fc.constantFrom(1, 40),
  /** Whether all of them have the same labels. */
  isAlike: fc.boolean(),
});

type Sizes = typeof kinds extends fc.Arbitrary<infer T> ? T : never;

const targets = ["west", "north", "south"] as const;
const namespaces = Array.from({ length: 40 }, (_, n) => `n${n}`);
const history = fc.array(fc.tuple(...targets.map(() => fc.array(kinds, { maxLength: 2 }))), {
  minLength: 1,
  maxLength: 3,
});

/** Exports Services of a target. Each round uses the same names, so mirrors grow and shrink. */
function exportsOf(target: string, all: readonly Sizes[], round: number): ClusterSnapshot {
  const made = all.flatMap((sizes) =>
    // A cluster with more of the largest Services could not be read.
    Array.from({ length: sizes.pods === 1_000 ? 10 : sizes.count }, (_, n) => {
      const mine = sizes.isAlike ? "" : `${target}${round}.${n}.`;
      const keys = (count: number) =>
        Array.from({ length: count }, (_, at) => `${mine}${at}.${"k".repeat(sizes.key)}`);
      const labelled = keys(sizes.labels).map((key) => [cut(key), "v".repeat(sizes.value)]);
      const annotated = keys(sizes.annotations).map((key) => [cut(key), ""]);
      const ports = Array.from({ length: sizes.ports }, (_, at) => ({
        name: `port-${at}`,
        protocol: "TCP",
        port: 60_000 + at,
      }));
      const key = objectKey(namespaces[n % sizes.namespaces] ?? "n0", `${sizes.kind[0]}${n}`);
      const meta = {
        labels: Object.fromEntries(labelled) as Record<string, string>,
        annotations: {
          ...(Object.fromEntries(annotated) as Record<string, string>),
          note: "x".repeat(sizes.note),
        },
      };
      const member = { ...meta, labels: { ...meta.labels, [label.federated]: "member" } };
      if (sizes.kind === "federated") return [service(key, member, { ports }), []] as const;
      if (sizes.kind === "gateway") return [exported(key, meta, { ports }), []] as const;
      const hostnames = Array.from({ length: sizes.pods }, (_, at) => `h${n}-${at}`);
      const named = [endpoints(key, [pods(hostnames, [], ports)])];
      return [exported(key, meta, { clusterIP: "None", ports }), named] as const;
    }),
  );
  return cluster(target, {
    services: made.map(([service]) => service),
    endpoints: made.flatMap(([, named]) => named),
  });
}

/** Shortens a key to the longest that is allowed, with a group of its own. */
function cut(key: string): string {
  return `${key.slice(0, 253).replace(/\.$/, "")}/k`;
}

/** Returns the bytes that the kubelet adds to the environment of pods, by namespace. */
function environments(services: readonly Service[]): number[] {
  const all = Map.groupBy(services, ({ metadata }) => metadata.namespace);
  return [...all.values()].map((some) =>
    some.reduce((sum, { metadata, spec: { clusterIP = "", ports = [] } }) => {
      const [first] = ports;
      if (clusterIP === "None" || first === undefined) return sum;
      const name = metadata.name.toUpperCase().replaceAll("-", "_");
      const variables: Record<string, string> = {
        [`${name}_SERVICE_HOST`]: clusterIP,
        [`${name}_SERVICE_PORT`]: String(first.port),
        [`${name}_PORT`]: `tcp://${clusterIP}:${first.port}`,
      };
      for (const { name: port = "", port: number } of ports) {
        variables[`${name}_SERVICE_PORT_${port.toUpperCase().replaceAll("-", "_")}`] = `${number}`;
        const prefix = `${name}_PORT_${number}_TCP`;
        variables[prefix] = `tcp://${clusterIP}:${number}`;
        variables[`${prefix}_PROTO`] = "tcp";
        variables[`${prefix}_PORT`] = String(number);
        variables[`${prefix}_ADDR`] = clusterIP;
      }
      const texts = Object.entries(variables).map((entry) => `${entry.join("=")}\0`);
      return sum + texts.join("").length;
    }, 0),
  );
}

describe("any exports within the limits, one after the other", () => {
  it("leave the source readable, and pods start beside the mirrors", async function () {
    this.timeout("5m");
    const args = { source: "east", stack, clusters: {}, links: [], allowDeletions: true };
    await fc.assert(
      fc.asyncProperty(history, async (times) => {
        let source = cluster("east", { namespaces });
        for (const [round, all] of times.entries()) {
          const links = targets.map((target, at) => ({
            link: link({ target, allowDeletions: true }),
            target: {
              value: {
                snapshot: exportsOf(target, all[at] ?? [], round),
                gateway: known(),
                gatewayPending: false,
                statefulSets: [],
              },
            },
          }));
          const { decisions } = decide({
            args,
            source,
            links,
            removed: [],
            now: later,
            stacks: [stack],
            controllers: { value: [] },
            routes: { value: noRoutes },
            memory: {},
          });
          source = await applied(decisions, source);
          const keep = new SharedValues();
          itemsOf(resources.services, [...source.services.values()], keep);
          itemsOf(resources.endpoints, [...source.endpoints.values()], keep);
          ok(keep.bytes <= bounds.mirrorBytes.most, `${keep.bytes} bytes`);
          for (const bytes of environments([...source.services.values()]))
            ok(bytes <= bounds.environment.most, `${bytes} bytes of environment`);
          for (const { link } of links) {
            const own = [...source.services.values()].filter(
              ({ metadata }) => metadata.labels?.[label.cluster] === link.target,
            );
            ok(own.length <= link.maxMirrors, `${own.length} mirrors`);
          }
        }
      }),
      { numRuns: 6 },
    );
  });
});
