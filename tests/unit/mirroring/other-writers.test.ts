import { deepEqual, equal, match } from "node:assert/strict";
import { type LinkStatus } from "../../../engine/kubernetes/objects/link-resource.ts";
import type { Controller } from "../../../engine/model/controller.ts";
import { argsFor, check, type Scenario, settled } from "../fixtures/checked.ts";
import { cluster, exported, exporting, linkObject, member } from "../fixtures/objects.ts";

const controller: Controller = {
  namespace: "linkerd-multicluster",
  name: "controller-west",
  target: "west",
  replicas: 1,
  ready: 1,
};
const localMirror = { ...controller, name: "linkerd-local-service-mirror", target: undefined };

/** Returns the notes of a preview without its summaries. */
async function notesOf(scenario: Scenario): Promise<string[]> {
  const { notes, summaries } = await check(scenario);
  return notes.filter((note) => !summaries.includes(note));
}

describe("the status of a Link that another program has created", () => {
  const stale: LinkStatus = { mirrorServices: [] };
  const east = cluster("east", { namespaces: ["shop"] });
  const scenario: Scenario = {
    args: argsFor(["west"], { statusIn: "linkerd-multicluster" }),
    clusters: {
      east: { ...east, links: new Map([["linkerd-multicluster/west", linkObject("west", stale)]]) },
      west: exporting("west", [exported("shop/web")]),
    },
  };

  /** Returns the changes to the status that a preview shows. */
  async function statusIn(found: Partial<Scenario>): Promise<unknown> {
    const { inputs } = await check({ ...scenario, ...found });
    return inputs.changes?.["west"]?.["Link linkerd-multicluster/west"];
  }

  const due = { "status.mirrorServices": "1 Service mirrored, 0 not" };
  for (const { rule, found, status } of [
    { rule: "is updated", found: {}, status: due },
    {
      rule: "is updated if the API server doesn't say whether the runner may",
      found: { mayKeepStatus: "server" },
      status: due,
    },
    {
      rule: "is updated if the link's controller is scaled to zero",
      found: { controllers: [{ ...controller, replicas: 0 }] },
      status: due,
    },
    {
      rule: "is updated if only another link's controller runs",
      found: { controllers: [{ ...controller, target: "north" }] },
      status: due,
    },
    {
      rule: "is left to the link's controller if one runs",
      found: { controllers: [controller] },
      status: undefined,
    },
    {
      rule: "stays as it is if the runner may not update it",
      found: { mayKeepStatus: false },
      status: undefined,
    },
  ] as const)
    it(rule, async () => {
      deepEqual(await statusIn(found), status);
    });

  it("comes with a note on the controller that updates it, or on the missing right", async () => {
    const [beside = ""] = await notesOf({ ...scenario, controllers: [controller] });
    match(beside, /^east → west: Deployment east\/\S+\/controller-west also mirrors this link/);
    deepEqual(await notesOf({ ...scenario, mayKeepStatus: false }), [
      "east: the status of Link linkerd-multicluster/west isn't updated and may be out of date, because the runner may not patch links/status in namespace linkerd-multicluster: grant that (docs/reference/access.md), or rely on what this program prints",
    ]);
  });
});

describe("a controller of Linkerd beside a link that is in order", () => {
  for (const [is, controllers, reported] of [
    ["is named", [controller], 1],
    ["is not named if it is scaled to zero", [{ ...controller, replicas: 0 }], 0],
    ["is not named if the runner may not list Deployments", "forbidden", 0],
  ] as const)
    it(is, async () => {
      const { notes, hasWrites } = await check({ ...(await settled()), controllers });
      equal(hasWrites, false);
      equal(notes.filter((note) => note.includes("also mirrors this link")).length, reported);
    });
});

describe("Linkerd's local service mirror", () => {
  const west = exporting("west", [member("shop/web")]);
  const scenario: Scenario = {
    // The stack creates Links and credentials itself.
    args: argsFor(["west"], { observedGateways: {} }),
    clusters: { east: cluster("east", { namespaces: ["shop"] }), west },
    controllers: [localMirror],
  };

  it("is reported with the command that stops it, if this program writes federated Services", async () => {
    deepEqual(await notesOf(scenario), [
      "east: Deployment east/linkerd-multicluster/linkerd-local-service-mirror also writes federated Services (shop/web-federated), and creates them again where this program deletes them: set localServiceMirror.replicas to 0 in the values of the chart linkerd-multicluster, or run kubectl --context east -n linkerd-multicluster scale deployment linkerd-local-service-mirror --replicas 0",
    ]);
  });

  it("is reported for a member of the source, too", async () => {
    const east = cluster("east", { services: [member("shop/web")] });
    const clusters = { east, west: exporting("west", []) };
    match((await notesOf({ ...scenario, clusters })).join(), /\(shop\/web-federated\)/);
  });

  for (const { reason, found } of [
    {
      reason: "it is scaled to zero",
      found: { controllers: [{ ...localMirror, replicas: 0 }] },
    },
    {
      reason: "the runner may not list Deployments",
      found: { controllers: "forbidden" },
    },
    {
      reason: "no Service is federated",
      found: { clusters: { ...scenario.clusters, west: exporting("west", []) } },
    },
  ] as const)
    it(`is not reported if ${reason}`, async () => {
      deepEqual(await notesOf({ ...scenario, ...found }), []);
    });
});
