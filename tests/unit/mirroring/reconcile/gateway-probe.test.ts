import { deepEqual, equal, match } from "node:assert/strict";
import type { Service } from "../../../../engine/kubernetes/objects/objects.ts";
import type { Liveness } from "../../../../engine/mirroring/model/gateway-probe.ts";
import { label } from "../../../../engine/mirroring/model/vocabulary.ts";
import type { ProbeTarget } from "../../../../engine/mirroring/observe/gateway-probe.ts";
import { type Before, rememberedGateways } from "../../../../engine/mirroring/model/state.ts";
import { MemoryCluster } from "../../fixtures/memory-cluster.ts";
import { cluster, endpoints, exported, headless, pods } from "../../fixtures/objects.ts";
import { alias, unreachable, viaDiscovery, web } from "../../fixtures/settled.ts";
import {
  argsFor,
  gatewayService,
  type LivingClusters,
  made,
  mirrorsIn,
  preview,
  World,
} from "../../fixtures/world.ts";

const offered = {
  "mirror.linkerd.io/probe-path": "/ready",
  "mirror.linkerd.io/probe-period": "3",
};
const probe: ProbeTarget = {
  addresses: ["192.0.2.10"],
  ...{ path: "/ready", port: 4191, period: "3s", threshold: 3 },
};

/** A process whose probes find that gateway alive, or down. */
class Probing extends World {
  readonly #down: string | undefined;
  readonly probed: ProbeTarget[] = [];

  constructor(clusters: LivingClusters, down?: string) {
    super(clusters);
    this.#down = down;
  }

  override liveness(target: ProbeTarget): Promise<Liveness> {
    this.probed.push(target);
    const down = this.#down;
    return Promise.resolve(down === undefined ? { failures: 0 } : { failures: 3, down });
  }
}

function gateway(annotations: Readonly<Record<string, string>> = offered): Service {
  const { metadata, spec, status } = gatewayService("west");
  return {
    metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } },
    spec: { ...spec, ports: [...(spec.ports ?? []), { name: "mc-probe", port: 4191 }] },
    ...(status !== undefined && { status }),
  };
}

const db = headless("shop/db");
const broken = exported("shop/broken", {}, alias);

function west(service = gateway()): MemoryCluster {
  return new MemoryCluster(
    cluster("west", {
      services: [service, web, viaDiscovery, db, broken],
      endpoints: [
        endpoints("shop/web", [pods([""])]),
        endpoints("shop/db", [pods(["db-0"])], { labels: { [label.exported]: "true" } }),
      ],
    }),
  );
}

function setting(target = west()) {
  return {
    west: target,
    east: new MemoryCluster(cluster("east", { namespaces: ["shop"] })),
  };
}

type Setting = ReturnType<typeof setting>;

const link = { target: "west", headless: true, gatewayProbe: true } as const;
const unasked = { target: "west", headless: true };
const args = argsFor([link]);

/** A whole run, in which the probes of the gateway come out so. */
async function run(clusters: Setting, down?: string, before: Before = {}, of = args) {
  const { inputs, notes, mistakes } = await preview(new Probing(clusters, down), of, before);
  deepEqual(mistakes, []);
  deepEqual(await made(new Probing(clusters, down), inputs), []);
  return { inputs, notes };
}

/** Where each mirror leads: `192.0.2.10`, or `not ready: 192.0.2.10`. */
async function leads({ east }: Setting): Promise<Record<string, string>> {
  const found = [...(await east.snapshot()).endpoints].map(([key, { subsets = [] }]) => {
    const texts = subsets.flatMap(({ addresses = [], notReadyAddresses = [] }) => [
      ...addresses.map(({ ip, hostname }) => hostname ?? ip),
      ...notReadyAddresses.map(({ ip }) => `not ready: ${ip}`),
    ]);
    return [key, texts.join(", ")] as const;
  });
  return Object.fromEntries(found.sort());
}

const serving = {
  "shop/db-0-west": "192.0.2.10",
  "shop/db-west": "db-0",
  "shop/web-west": "192.0.2.10",
};
const out = {
  "shop/db-0-west": "not ready: 192.0.2.10",
  "shop/db-west": "db-0",
  "shop/web-west": "not ready: 192.0.2.10",
};
const every = ["shop/api-west", "shop/db-0-west", "shop/db-west", "shop/web-west"];
const down = "HTTP status 503";
const sentence =
  "east <- west: its gateway 192.0.2.10:4191 fails its probe /ready (HTTP status 503): 2 mirrors lead nowhere until it answers";

describe("a gateway that is down", () => {
  it("takes the addresses of its mirrors out, which is shown, and puts them back", async () => {
    const clusters = setting();
    const first = await run(clusters);
    deepEqual(await leads(clusters), serving);
    equal(first.notes.filter((note) => note.includes("gateway")).length, 0);
    const { inputs, notes } = await run(clusters, down, first.inputs);
    deepEqual(await leads(clusters), out);
    deepEqual(await mirrorsIn(clusters.east), every);
    deepEqual(
      notes.filter((note) => note.includes("its gateway")),
      [sentence],
    );
    deepEqual(inputs.changes?.["west"]?.["shop/web-west"], {
      endpoints: "192.0.2.10 (http 4143/TCP) → 192.0.2.10 (http 4143/TCP) not ready",
    });
    await run(clusters, undefined, inputs);
    deepEqual(await leads(clusters), serving);
  });

  it("is no reason for another run while it stays so, whatever the failure", async () => {
    const clusters = setting();
    const { inputs } = await run(clusters, down);
    // Mirrors are made all the same, ready for when it is back.
    deepEqual(await leads(clusters), out);
    const again = await preview(new Probing(clusters, "no answer within 1.5 s"), args, inputs);
    equal(again.inputs.revision, inputs.revision);
    match(again.notes.join(), /fails its probe \/ready \(no answer within 1.5 s\)/);
  });

  it("adds nothing to a mirror that is empty for another reason, with readiness: follow", async () => {
    const notReady = endpoints("shop/web", [pods([], [""])]);
    const target = cluster("west", { services: [gateway(), web], endpoints: [notReady] });
    const clusters = setting(new MemoryCluster(target));
    const { notes } = await run(clusters, down, {}, argsFor([{ ...link, readiness: "follow" }]));
    deepEqual(await leads(clusters), { "shop/web-west": "" });
    match(notes.join(), /: 0 mirrors lead nowhere/);
  });

  it("is not looked for where its Service offers no probe, which is told", async () => {
    const clusters = setting(west(gateway({})));
    const { notes } = await run(clusters, down);
    deepEqual(await leads(clusters), serving);
    match(notes.join(), /its gateway is not probed and taken to be alive: the gateway Service/);
  });
});

describe("the probe of a gateway", () => {
  for (const [rule, of, isAway, expected] of [
    ["is sent where the link asks for it", args, false, [probe]],
    ["is not sent while the target can't be read", args, true, []],
    ["is not sent for a link that does not ask", argsFor([unasked]), false, []],
  ] as const)
    it(rule, async () => {
      const clusters = setting();
      const before = (await run(clusters)).inputs;
      const west = isAway ? unreachable("west") : clusters.west;
      const world = new Probing({ ...clusters, west }, down);
      await preview(world, of, before);
      deepEqual(world.probed, expected);
    });
});

describe("what a run remembers of gateways", () => {
  it("says how to probe them between runs, and what mirrors go by", async () => {
    const { inputs } = await run(setting(), down);
    const { addresses, ...how } = probe;
    const known = { addresses, port: 4143, identity: "gateway.west", probe: how };
    deepEqual(rememberedGateways(inputs, args), [{ target: "west", gateway: known, alive: false }]);
    deepEqual(rememberedGateways(inputs, argsFor([unasked])), []);
  });
});
