import { deepEqual, equal, match } from "node:assert/strict";
import type { LinkStatus } from "../../../../engine/kubernetes/objects/link-resource.ts";
import { resources } from "../../../../engine/kubernetes/objects/resources.ts";
import { MemoryCluster } from "../../fixtures/memory-cluster.ts";
import { cluster, exported, service } from "../../fixtures/objects.ts";
import type { MirrorsArgs } from "../../../../engine/mirroring/model/state.ts";
import {
  argsFor,
  controller,
  destroy,
  exporting,
  linkObject,
  localMirror,
  made,
  type LivingClusters,
  preview as shown,
  up,
} from "../../fixtures/world.ts";

const namespace = "linkerd-multicluster";
const args = argsFor(["west"], { statusIn: namespace });
const member = { "mirror.linkerd.io/federated": "member" };
const stale: LinkStatus = {
  mirrorServices: [
    {
      controllerName: "linkerd.io/service-mirror",
      remoteRef: { group: "", kind: "Service", name: "gone", namespace: "shop" },
      conditions: [
        {
          ...{ type: "Mirrored", status: "False", reason: "Error", message: "last words" },
          lastTransitionTime: "2026-01-01T00:00:00Z",
        },
      ],
    },
  ],
};

/** A source with a Link that somebody else has made, and a target with an exported Service. */
function world(more: ConstructorParameters<typeof MemoryCluster>[1] = {}, labels = {}) {
  return {
    east: new MemoryCluster(cluster("east", { namespaces: ["shop"] }), {
      links: [linkObject("west", stale)],
      ...more,
    }),
    west: new MemoryCluster(exporting("west", [exported("shop/web", { labels })])),
  };
}

/** A preview without the lines that count what comes and goes. */
async function preview(clusters: LivingClusters, args: MirrorsArgs, before = {}) {
  const { inputs, notes } = await shown(clusters, args, before);
  return { inputs, notes: notes.filter((line) => !/: (federated Services )?[+~-]\d/.test(line)) };
}

async function statusOf(east: MemoryCluster): Promise<string[]> {
  const { status } = await east.get(resources.links, { namespace, name: "west" });
  return [...(status?.mirrorServices ?? []), ...(status?.federatedServices ?? [])].map(
    ({ remoteRef, conditions = [] }) => `${remoteRef.name} ${conditions[0]?.reason ?? ""}`,
  );
}

describe("the status of a Link that is not this stack's", () => {
  it("is kept: what its controller has said last goes, and nothing is left to do", async () => {
    const clusters = world();
    const inputs = await up(clusters, args);
    deepEqual(await statusOf(clusters.east), ["web Mirrored"]);
    const again = await preview(clusters, args, inputs);
    deepEqual([again.inputs.revision, again.notes], [inputs.revision, []]);
  });

  it("stays where the runner may not write it, which is said in one line and is no difference", async () => {
    const clusters = world();
    const asked: unknown[] = [];
    clusters.east.allows = (question) => {
      asked.push(question);
      return false;
    };
    const { inputs, notes } = await preview(clusters, args);
    deepEqual(asked, [
      {
        ...{ group: "multicluster.linkerd.io", resource: "links", subresource: "status" },
        ...{ verb: "patch", namespace },
      },
    ]);
    deepEqual(notes, [
      "east: the status of Link linkerd-multicluster/west is not kept and may be out of date, because the runner may not patch links/status in namespace linkerd-multicluster: grant that (docs/reference/access.md), or go by what this program says",
    ]);
    deepEqual(await made(clusters, inputs), []);
    deepEqual(await statusOf(clusters.east), ["gone Error"]);
    const again = await preview(clusters, args, inputs);
    deepEqual([again.inputs.revision, again.notes], [inputs.revision, notes]);
    equal(again.inputs.changes, undefined);
  });

  it("is written where nobody says whether the runner may, and what comes of that is told", async () => {
    const clusters = world();
    clusters.east.refuse = (line) =>
      line.startsWith("create selfsubject") ? new Error("no answer") : undefined;
    await up(clusters, args);
    deepEqual(await statusOf(clusters.east), ["web Mirrored"]);
  });

  it("is left to a controller that runs, which is told, and not to one that is stopped", async () => {
    const running = world({ deployments: [controller("west")] });
    const { inputs, notes } = await preview(running, args);
    equal(notes.length, 1);
    match(notes[0] ?? "", /^east <- west: Deployment east\/\S+\/controller-west also mirrors this/);
    await made(running, inputs);
    deepEqual(await statusOf(running.east), ["gone Error"]);
    for (const deployments of [[controller("west", 0)], [controller("north")]]) {
      const stopped = world({ deployments });
      await up(stopped, args);
      deepEqual(await statusOf(stopped.east), ["web Mirrored"]);
    }
  });

  it("is emptied when the link leaves the config, and when the stack is destroyed", async () => {
    for (const leave of ["remove", "destroy"]) {
      const clusters = world();
      const inputs = await up(clusters, args);
      if (leave === "destroy") await destroy(clusters, inputs);
      else await up(clusters, { ...args, links: [] }, inputs);
      deepEqual([leave, await statusOf(clusters.east)], [leave, []]);
    }
  });

  it("is not emptied where the Link goes with its link", async () => {
    const clusters = world();
    const own = { ...args, observedGateways: {} };
    const inputs = await up(clusters, own);
    await destroy(clusters, inputs);
    deepEqual(await statusOf(clusters.east), ["web Mirrored"]);
  });
});

describe("Linkerd's local service mirror", () => {
  const of = argsFor(["west"]);

  it("is told of where this program writes federated Services, with the command that stops it", async () => {
    const { notes } = await preview(world({ deployments: [localMirror()] }, member), of);
    deepEqual(notes, [
      "east: Deployment east/linkerd-multicluster/linkerd-local-service-mirror also writes federated Services (shop/web-federated), and creates them again where this program deletes them: set localServiceMirror.replicas to 0 in the values of the chart linkerd-multicluster, or run kubectl --context east -n linkerd-multicluster scale deployment linkerd-local-service-mirror --replicas 0",
    ]);
  });

  it("is no matter where it is scaled to zero, where there are none, or where nobody may look", async () => {
    const quiet = [
      world({ deployments: [localMirror(0)] }, member),
      world({ deployments: [localMirror()] }),
    ];
    const blind = world({ deployments: [localMirror()] }, member);
    blind.east.refuse = (line) =>
      line === "list deployments" ? new Error("forbidden") : undefined;
    for (const clusters of [...quiet, blind]) deepEqual((await preview(clusters, of)).notes, []);
  });

  it("is looked for only where there is something to federate", async () => {
    const lists: string[] = [];
    const clusters = world({ links: [] });
    clusters.east.refuse = (line) => {
      lists.push(line);
      return undefined;
    };
    await preview(clusters, of);
    equal(lists.includes("list deployments"), false);
  });

  it("is told of a local Service that is a member, too", async () => {
    const own = service("shop/web", { labels: member });
    const clusters = {
      ...world(),
      east: new MemoryCluster(cluster("east", { services: [own] }), {
        deployments: [localMirror()],
      }),
    };
    const { notes } = await preview(clusters, of);
    equal(
      notes.some((note) => note.includes("(shop/web-federated)")),
      true,
    );
  });
});
