import { deepEqual } from "node:assert/strict";
import type {
  LinkResource,
  LinkStatus,
} from "../../../../engine/kubernetes/objects/link-resource.ts";
import { MemoryCluster, type More } from "../../fixtures/memory-cluster.ts";
import { cluster, exported, service } from "../../fixtures/objects.ts";
import { expectFacts } from "../../fixtures/settled.ts";
import {
  argsFor,
  controller,
  destroy,
  exporting,
  linkObject,
  localMirror,
  made,
  preview,
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
function world(more: More = {}, labels = {}, refuse: MemoryCluster["refuse"] = () => undefined) {
  const links = [linkObject("west", stale)];
  const east = new MemoryCluster(cluster("east", { namespaces: ["shop"] }), { links, ...more });
  east.refuse = refuse;
  return { east, west: new MemoryCluster(exporting("west", [exported("shop/web", { labels })])) };
}

/** What a preview says without the lines that count what comes and goes, and the Link's status after the run. */
async function run(clusters: ReturnType<typeof world>, of = args, before = {}) {
  const { inputs, notes } = await preview(clusters, of, before);
  const failures = await made(clusters, inputs);
  return {
    ...{ inputs, failures, status: statusOf(clusters.east) },
    notes: notes.filter((line) => !/: (federated Services )?[+~-]\d/.test(line)),
  };
}

function statusOf(east: MemoryCluster): string[] {
  const found: unknown = east.get("links", `${namespace}/west`);
  const { status } = (found ?? {}) as Partial<LinkResource>;
  return [...(status?.mirrorServices ?? []), ...(status?.federatedServices ?? [])].map(
    ({ remoteRef, conditions = [] }) => `${remoteRef.name} ${conditions[0]?.reason ?? ""}`,
  );
}

const kept = { failures: [], notes: [], status: ["web Mirrored"] };

describe("the status of a Link that is not this stack's", () => {
  for (const [rule, clusters, expected] of [
    ["is kept: what its controller has said last goes", world(), kept],
    [
      "is written where nobody says whether the runner may",
      world({}, {}, (line) => (line.startsWith("create selfsubject") ? "invalid" : undefined)),
      kept,
    ],
    [
      "is kept where its controller is stopped",
      world({ deployments: [controller("west", 0)] }),
      kept,
    ],
    ["is kept beside another link's", world({ deployments: [controller("north")] }), kept],
    [
      "is left to a controller that runs, which is told",
      world({ deployments: [controller("west")] }),
      {
        status: ["gone Error"],
        notes: /^east <- west: Deployment east\/\S+\/controller-west also mirrors this.*$/,
      },
    ],
  ] as const)
    it(rule, async () => {
      expectFacts(await run(clusters), expected);
    });

  it("leaves nothing to do once it is kept", async () => {
    const clusters = world();
    const { inputs } = await run(clusters);
    const again = await run(clusters, args, inputs);
    deepEqual([again.inputs.revision, again.notes], [inputs.revision, []]);
  });

  it("stays where the runner may not write it, which is said in one line and is no difference", async () => {
    const clusters = world();
    const asked: unknown[] = [];
    clusters.east.allows = (question) => {
      asked.push(question);
      return false;
    };
    const notes = [
      "east: the status of Link linkerd-multicluster/west is not kept and may be out of date, because the runner may not patch links/status in namespace linkerd-multicluster: grant that (docs/reference/access.md), or go by what this program says",
    ];
    const first = await run(clusters);
    const question = {
      ...{ group: "multicluster.linkerd.io", resource: "links", subresource: "status" },
      ...{ verb: "patch", namespace },
    };
    deepEqual(asked[0], question);
    expectFacts(first, { failures: [], notes, status: ["gone Error"] });
    const again = await run(clusters, args, first.inputs);
    deepEqual([again.inputs.revision, again.notes], [first.inputs.revision, notes]);
  });

  for (const [rule, leave, of, status] of [
    ["is emptied when the link leaves the config", up, args, []],
    ["is emptied when the stack is destroyed", undefined, args, []],
    [
      "is not emptied where the Link goes with its link",
      undefined,
      { ...args, observedGateways: {} },
      ["web Mirrored"],
    ],
  ] as const)
    it(rule, async () => {
      const clusters = world();
      const inputs = await up(clusters, of);
      await (leave?.(clusters, { ...of, links: [] }, inputs) ?? destroy(clusters, inputs));
      deepEqual(statusOf(clusters.east), status);
    });
});

describe("Linkerd's local service mirror", () => {
  const own = service("shop/web", { labels: member });
  const localToo = {
    ...world(),
    east: new MemoryCluster(cluster("east", { services: [own] }), { deployments: [localMirror()] }),
  };
  for (const [rule, clusters, notes] of [
    [
      "is told of where this program writes federated Services, with the command that stops it",
      world({ deployments: [localMirror()] }, member),
      [
        "east: Deployment east/linkerd-multicluster/linkerd-local-service-mirror also writes federated Services (shop/web-federated), and creates them again where this program deletes them: set localServiceMirror.replicas to 0 in the values of the chart linkerd-multicluster, or run kubectl --context east -n linkerd-multicluster scale deployment linkerd-local-service-mirror --replicas 0",
      ],
    ],
    ["is told of a local Service that is a member, too", localToo, /\(shop\/web-federated\)/],
    [
      "is no matter where it is scaled to zero",
      world({ deployments: [localMirror(0)] }, member),
      [],
    ],
    ["is no matter where there are none", world({ deployments: [localMirror()] }), []],
    [
      "is no matter where nobody may look",
      world({ deployments: [localMirror()] }, member, (line) =>
        line === "list deployments" ? "forbidden" : undefined,
      ),
      [],
    ],
  ] as const)
    it(rule, async () => {
      expectFacts(await run(clusters, argsFor(["west"])), { notes });
    });

  it("is looked for only where there is something to federate", async () => {
    const lists: string[] = [];
    const refuse = (line: string) => void lists.push(line);
    await preview(world({ links: [] }, {}, refuse), argsFor(["west"]));
    deepEqual(
      lists.filter((line) => line === "list deployments"),
      [],
    );
  });
});
