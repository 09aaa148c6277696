import { deepEqual, doesNotMatch, match } from "node:assert/strict";
import type { Service } from "../../../../engine/kubernetes/objects/objects.ts";
import { managerOf } from "../../../../engine/mirroring/model/marks.ts";
import type { Answer, Sent } from "../../../simulation/answering-dispatcher.ts";
import { fed, member } from "../../fixtures/federation.ts";
import { confirmed, confirmedBy, marked, markersOf, stack } from "../../fixtures/marks.ts";
import { MemoryCluster, type More } from "../../fixtures/memory-cluster.ts";
import { cluster, exported, http } from "../../fixtures/objects.ts";
import {
  argsFor,
  controller,
  destroy,
  exporting,
  type LivingClusters,
  localMirror,
  made,
  mirrorsIn,
  preview,
  up,
} from "../../fixtures/world.ts";

const [bb, web, api] = [member("shop/bb"), exported("shop/web"), exported("shop/api")];
const federatedBb = "shop/bb-federated";

function source(services: readonly Service[] = [], more: More = {}): MemoryCluster {
  const namespaces = ["shop", "team-a", "team-b"];
  return new MemoryCluster(cluster("east", { namespaces, services }), more);
}

function target(name: string, ...services: Service[]): MemoryCluster {
  return new MemoryCluster(exporting(name, services));
}

/** `bb@west local bb`, and the managers of the Service. */
function federation(east: MemoryCluster) {
  const { annotations } = east.get("services", federatedBb)?.metadata ?? {};
  return {
    remote: annotations?.["multicluster.linkerd.io/remote-discovery"],
    local: annotations?.["multicluster.linkerd.io/local-discovery"],
    markers: marksOf(east, federatedBb),
  };
}

/** The stacks' marks alone. */
function marksOf(east: MemoryCluster, key: string): string[] {
  const service = east.get("services", key) as Service | undefined;
  return markersOf(service).filter((name) => name.includes("/"));
}

async function run(clusters: LivingClusters, args: ReturnType<typeof argsFor>) {
  const { inputs, notes } = await preview(clusters, args);
  return { notes, failures: await made(clusters, inputs), inputs };
}

/** Behind a proxy that shortens what the API server answers. */
class Shortened extends MemoryCluster {
  protected override async answer(sent: Sent): Promise<Answer> {
    const answer = await super.answer(sent);
    if (typeof answer.body !== "string" || !answer.body.startsWith("{")) return answer;
    const body = JSON.stringify(JSON.parse(answer.body), (key, value: unknown) =>
      key === "managedFields" ? undefined : value,
    );
    return { ...answer, body };
  }
}

describe("mirrors of a link that Linkerd's controller takes over", () => {
  const clusters = () => ({
    east: source([], { deployments: [controller("west")] }),
    west: target("west", web),
    north: target("north", api),
  });

  it("lose this stack's mark in the same run, and stay when the controller is away later", async () => {
    const { east, ...targets } = clusters();
    const both = { east, ...targets };
    const before = await up(both, argsFor(["west", "north"]));
    const after = await up(both, argsFor(["north"]), before);
    deepEqual(marksOf(east, "shop/web-west"), []);
    east.delete("deployments", "linkerd-multicluster/controller-west");
    await up(both, argsFor(["north"]), after);
    deepEqual(await mirrorsIn(east), ["shop/api-north", "shop/web-west"]);
  });

  it("include the members of federated Services, the local one with them", async () => {
    for (const end of [
      (all: LivingClusters, inputs: Awaited<ReturnType<typeof up>>) =>
        up(all, { ...argsFor([]), controllerLinks: ["west"] }, inputs),
      (all: LivingClusters, inputs: Awaited<ReturnType<typeof up>>) => destroy(all, inputs),
    ]) {
      const east = source([bb], { deployments: [localMirror(), controller("west", 0)] });
      const all = { east, west: target("west", bb) };
      const before = await up(all, argsFor(["west"]));
      deepEqual(federation(east).markers, [managerOf(stack, ".local"), managerOf(stack, "west")]);
      await end(all, before);
      deepEqual(federation(east), { remote: "bb@west", local: "bb", markers: [] });
    }
  });
});

describe("a stack", () => {
  it("leaves federated Services alone in which it has no member", async () => {
    const others = [
      confirmed(managerOf("acme/b/prod", ".local"), fed("shop/bb", { local: "bb" })),
      marked(fed("shop/bb", { remote: "bb@west", local: "bb" })),
    ];
    for (const service of others) {
      const east = source([bb, service], { deployments: [localMirror()] });
      const link = { target: "north", namespaces: ["team-b"] };
      await run({ east, north: target("north", api) }, argsFor([link]));
      deepEqual(east.writes, []);
    }
  });

  it("leaves what a federated Service looks like to the stack of the first member, where no Link tells their age", async () => {
    const east = source();
    const ports = (port: number) => ({ ports: [{ ...http, port }] });
    const west = target("west", member("shop/bb", {}, ports(80)));
    const north = target("north", member("shop/bb", {}, ports(8080)));
    const all = { east, west, north };
    const [a, b] = [["west"], ["north"]].map((links, index) =>
      argsFor(links, { stack: ["acme/a/prod", "acme/b/prod"][index] ?? "" }),
    ) as [ReturnType<typeof argsFor>, ReturnType<typeof argsFor>];
    await run(all, a);
    await run(all, b);
    const { length } = east.writes;
    await run(all, a);
    await run(all, b);
    deepEqual(east.writes.slice(length), []);
  });

  it("takes the local member out only where it has marked it and no local service mirror is there", async () => {
    for (const [deployments, left] of [
      [[localMirror(0)], "bb"],
      [[], undefined],
    ] as const) {
      const east = source([bb], { deployments });
      const west = target("west", bb);
      const before = await up({ east, west }, argsFor(["west"]));
      east.put("services", { ...member("shop/bb"), metadata: { namespace: "shop", name: "bb" } });
      await up({ east, west }, argsFor(["west"]), before);
      deepEqual([federation(east).remote, federation(east).local], ["bb@west", left]);
    }
  });

  it("leaves another stack's mirrors of the same link alone, and names that stack where they are in its way", async () => {
    const east = source();
    const west = target("west", exported("team-a/web"), exported("team-b/web"));
    const [a, b] = ["acme/a/prod", "acme/b/prod"].map((name, index) =>
      argsFor([{ target: "west", namespaces: [["team-a"], ["team-b"]][index] ?? [] }], {
        stack: name,
      }),
    ) as [ReturnType<typeof argsFor>, ReturnType<typeof argsFor>];
    await up({ east, west }, a);
    for (const args of [b, a]) {
      const { notes } = await run({ east, west }, args);
      doesNotMatch(notes.join("\n"), /acme/);
      deepEqual(await mirrorsIn(east), ["team-a/web-west", "team-b/web-west"]);
    }
    const all = await run({ east, west }, argsFor(["west"], { stack: "acme/b/prod" }));
    match(all.notes.join("\n"), /not mirrored \(NotOurs\): .* is stack acme\/a\/prod's/);
    deepEqual(marksOf(east, "team-a/web-west"), [managerOf("acme/a/prod")]);
  });

  it("of another organization is another one", async () => {
    const east = source();
    const west = target("west", web);
    await up({ east, west }, argsFor(["west"], { stack: "corp/mesh/dev" }));
    const before = await run({ east, west }, argsFor(["west"]));
    await destroy({ east }, before.inputs);
    deepEqual(marksOf(east, "shop/web-west"), [managerOf("corp/mesh/dev")]);
  });

  it("that is renamed renews its marks, and its old name may be another's then", async () => {
    const east = source();
    const all = { east, west: target("west", web), north: target("north", api) };
    const dev = await up(all, argsFor(["west"], { stack: "acme/mesh/dev" }));
    const prod = await up(all, argsFor(["west"], { stack: "acme/mesh/prod" }), dev);
    await up(all, argsFor(["north"], { stack: "acme/mesh/dev" }));
    await up(all, argsFor(["west"], { stack: "acme/mesh/prod" }), prod);
    deepEqual(await mirrorsIn(east), ["shop/api-north", "shop/web-west"]);
    deepEqual(marksOf(east, "shop/web-west"), [managerOf("acme/mesh/prod")]);
  });

  it("deletes unmarked mirrors that nobody asks for only where its link is about them and no controller is there", async () => {
    const stale = async (more: More, link: Parameters<typeof argsFor>[0][number]) => {
      const labels = {
        "mirror.linkerd.io/mirrored-service": "true",
        "mirror.linkerd.io/cluster-name": "west",
      };
      const east = source([marked(exported("shop/old-west", { labels: { ...labels } }))], more);
      const { notes } = await run({ east, west: target("west") }, argsFor([link]));
      return [await mirrorsIn(east), notes] as const;
    };
    const command = `east <- west: 1 mirror stays, because no stack's mark is on them, so they may be somebody else's; if nobody needs them, delete them: kubectl --context east --namespace shop delete service old-west (shop/old-west)`;
    deepEqual((await stale({}, "west"))[0], []);
    deepEqual(await stale({}, { target: "west", namespaces: ["team-a"] }), [
      ["shop/old-west"],
      [command],
    ]);
    const scaledToZero = { deployments: [controller("west", 0)] };
    deepEqual(await stale(scaledToZero, "west"), [["shop/old-west"], [command]]);
  });

  it("deletes nothing where an API server keeps back who has written what", async () => {
    const east = source();
    const west = target("west", web, api);
    const before = await up({ east, west }, argsFor(["west"]));
    west.delete("services", "shop/api");
    const { inputs } = await preview({ east, west }, argsFor(["west"]), before);
    const blind = new Shortened(await east.snapshot());
    match(String(await made({ east: blind, west }, inputs)), /answers without managedFields/);
    deepEqual(await mirrorsIn(blind), ["shop/api-west", "shop/web-west"]);
  });
});

describe("what another run writes between a decision and its write", () => {
  it("keeps its member: two stacks join one federated Service at the same time", async () => {
    const east = source();
    const all = { east, west: target("west", bb), north: target("north", bb) };
    await Promise.all([
      up(all, argsFor(["west"], { stack: "acme/a/prod" })),
      up(all, argsFor(["north"], { stack: "acme/b/prod" })),
    ]);
    deepEqual(federation(east).remote?.split(",").sort(), ["bb@north", "bb@west"]);
  });

  const during = async (
    write: string,
    key: string,
    services: readonly Service[],
    edit: (live: Service) => Service,
  ) => {
    const east = source();
    const all = { east, west: target("west", ...services), north: target("north", api) };
    const before = await up(all, argsFor(["west", "north"]));
    const { inputs } = await preview(all, argsFor(["north"]), before);
    east.refuse = (request) => {
      if (request === write) {
        east.refuse = () => undefined;
        const live = east.get("services", key);
        if (live !== undefined) {
          const { resourceVersion: _, ...metadata } = live.metadata;
          east.put("services", edit({ ...live, metadata } as unknown as Service));
        }
      }
      return undefined;
    };
    deepEqual(await made(all, inputs), []);
    return east;
  };

  it("keeps a mirror that it has marked, which only loses this stack's mark", async () => {
    const east = await during("delete services shop/web-west", "shop/web-west", [web], (live) =>
      confirmedBy("acme/other/prod", live),
    );
    deepEqual(marksOf(east, "shop/web-west"), [managerOf("acme/other/prod")]);
  });

  it("keeps a federated Service that it has joined, which only loses this stack's member", async () => {
    const east = await during(`delete services ${federatedBb}`, federatedBb, [bb], (live) => {
      const annotations = { "multicluster.linkerd.io/remote-discovery": "bb@west,bb@south" };
      return confirmed(managerOf("acme/other/prod", "south"), {
        ...live,
        metadata: { ...live.metadata, annotations },
      });
    });
    deepEqual(federation(east), {
      remote: "bb@south",
      local: undefined,
      markers: [managerOf("acme/other/prod", "south")],
    });
  });
});
