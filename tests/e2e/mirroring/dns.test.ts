import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";

import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { type Dns, until } from "../../bed/bed.ts";
import { exported, kinds, member, nameOf, service, statefulSet, unexport } from "./objects.ts";
import { bedWithGateway, create, relabel, type SharedBed } from "./shared-bed.ts";
import { Stack } from "./stack.ts";

const namespace = "default";
const set = `${namespace}/nginx-set` as const;
const headless = `${namespace}/nginx-svc` as const;

/** These clusters mirror from west, each with a domain of its own. */
const domains = { east: "cluster.local", north: "north.example" } as const;
type Source = keyof typeof domains;
const sources = Object.keys(domains) as Source[];

/** The Services whose ClusterIPs a name resolves to. */
type Names = Readonly<Record<string, readonly string[]>>;

const ordinary: Names = { "web-west": ["web-west"], "bb-federated": ["bb-federated"] };

/** The names of the headless mirror and of each pod behind it. */
function ofPods(count: number): Names {
  const hosts = Array.from({ length: count }, (_, index) => `nginx-set-${String(index)}`);
  return {
    "nginx-svc-west": hosts.map((host) => `${host}-west`),
    ...Object.fromEntries(
      hosts.flatMap((host) => [
        [`${host}.nginx-svc-west`, [`${host}-west`]],
        [`${host}-west`, [`${host}-west`]],
      ]),
    ),
  };
}

/** Every lookup asks for all of these, also for those that must be gone. */
const all = Object.keys({ ...ordinary, ...ofPods(5) });

describe("names of mirrors in each source's own CoreDNS", function () {
  this.timeout("20m");

  let shared: SharedBed;
  let stack: Stack;
  let dns: Readonly<Record<Source, Dns>>;

  before(async () => {
    shared = await bedWithGateway();
    const { west } = shared.kube;
    const selector = { app: "nginx-set" };
    await create(west, [
      service(headless, { labels: exported }, { clusterIP: "None", selector }),
      statefulSet(set, "nginx-svc", { replicas: 3, podManagementPolicy: "Parallel" }),
      service(`${namespace}/web`, { labels: exported }),
      service(`${namespace}/bb`, { labels: member }),
    ]);
    const [east, north] = await Promise.all([
      shared.bed.dns("east", domains.east),
      shared.bed.dns("north", domains.north),
      podsAreThere(3),
    ]);
    dns = { east, north };
    stack = await Stack.create(shared, "dns", {
      clusters: {
        west: { clusterDomain: "west.example" },
        ...Object.fromEntries(
          sources.map((name) => [name, { clusterDomain: domains[name] }] as const),
        ),
      },
      links: sources.map((source) => ({ source, target: "west", headless: true })),
    });
  });

  it("resolve to mirrors: gateway, federated, headless, and each pod behind a headless one", async () => {
    await stack.up();
    await assertNames({ ...ordinary, ...ofPods(3) });
  });

  it("exist only in the source's own domain", async () => {
    for (const domain of [domains.east, "west.example"])
      await assert.rejects(dns.north.lookup(`web-west.${namespace}.svc.${domain}`), {
        code: "EREFUSED",
      });
  });

  it("appear with new pods, and resolve to the same addresses while another pod restarts", async () => {
    const pod = { namespace, name: "nginx-set-1" };
    const before = await addresses();
    await scale(5);
    await shared.kube.west.remove(resources.pods, pod);
    await stack.up();
    await assertNames({ ...ordinary, ...ofPods(5) });
    const after = await addresses();
    for (const source of sources) {
      const mirror = `${source} nginx-set-1-west`;
      assert.deepEqual(after[mirror], before[mirror]);
    }
  });

  it("disappear with their pods, and with the labels that export their Services", async () => {
    await scale(1);
    await relabel(shared.kube.west, `${namespace}/web`, unexport);
    await relabel(shared.kube.west, `${namespace}/bb`, { "mirror.linkerd.io/federated": null });
    await stack.up();
    await assertNames(ofPods(1));
  });

  async function scale(replicas: number): Promise<void> {
    await shared.kube.west.patch(kinds.StatefulSet, nameOf(set), { spec: { replicas } });
    await podsAreThere(replicas);
  }

  async function podsAreThere(count: number): Promise<void> {
    await until(`${String(count)} pods in the Endpoints`, [], async () => {
      const { subsets = [] } = await shared.kube.west.get(resources.endpoints, nameOf(headless));
      const ready = subsets.flatMap((subset) => subset.addresses ?? []);
      return ready.length === count || undefined;
    });
  }

  /** Returns the addresses by source and name. */
  async function addresses(): Promise<Record<string, readonly string[]>> {
    const found = sources.flatMap((source) =>
      all.map(async (name) => {
        const full = `${name}.${namespace}.svc.${domains[source]}`;
        return [`${source} ${name}`, await dns[source].lookup(full)] as const;
      }),
    );
    return Object.fromEntries(await Promise.all(found));
  }

  /** Waits a moment, since CoreDNS learns of changes later. */
  async function assertNames(names: Names): Promise<void> {
    const expected: Record<string, readonly string[]> = {};
    for (const source of sources) {
      const services = await shared.kube[source].list(resources.services, { namespace });
      const ips = new Map(services.map(({ metadata, spec }) => [metadata.name, spec.clusterIP]));
      for (const name of all)
        expected[`${source} ${name}`] = (names[name] ?? [])
          .map((mirror) => ips.get(mirror) ?? `the ClusterIP of ${mirror}`)
          .sort();
    }
    let found = {};
    await until(
      "the names",
      [],
      async () => {
        found = await addresses();
        return isDeepStrictEqual(found, expected) || undefined;
      },
      10,
    ).catch(() => {
      assert.deepEqual(found, expected);
    });
  }
});
