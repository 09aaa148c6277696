import { deepEqual } from "node:assert/strict";
import type { Service } from "../../../engine/kubernetes/objects/objects.ts";
import { removedLinks } from "../../../engine/mirroring/decide/policies/removed-links.ts";
import type { Controller } from "../../../engine/mirroring/model/controller.ts";
import { mirrorsBefore } from "../../../engine/mirroring/model/state.ts";
import {
  argsFor,
  check,
  editing,
  expectFacts,
  having,
  run,
  type Scenario,
  settled,
  west,
} from "../fixtures/checked.ts";
import { edited } from "../fixtures/edited.ts";
import { link } from "../fixtures/link.ts";
import { listed } from "../fixtures/federation.ts";
import { exported, member } from "../fixtures/objects.ts";
import { confirmedBy, marked, markersOf, unmarked } from "../fixtures/marks.ts";

type Settled = Awaited<ReturnType<typeof settled>>;

/** The config without the link to `west`. */
const rest = argsFor(["north"]);
const links = [{ source: "east", target: "west", maxDeletions: "50%" }] as const;
const strict = argsFor([{ target: "west", maxDeletions: 0 }, "north"]);
const bb = { west: west(member("shop/bb")) };
const many = Array.from({ length: 12 }, (_, index) => `shop/web-${index}` as const);

const removed = { refused: {}, left: ["shop/api-north"] };
const kept = { left: ["shop/api-north", "shop/web-west"] };
const isStrict = { ...kept, refused: /maxDeletions \(0\) allows 0/ };

/** Removes the link after a first run with this config. */
async function removing(before: Settled, scenario: Partial<Scenario> = {}) {
  return run({ ...before, args: rest, ...scenario });
}

const theirs = (live: Service) => confirmedBy("other/prod", live);

function controllerOf(target: string, replicas = 1): Controller {
  return {
    namespace: "linkerd-multicluster",
    name: `controller-${target}`,
    target,
    replicas,
    ready: replicas,
  };
}

describe("the mirrors of a link that has left the config", () => {
  it("are deleted, which a preview shows and which needs nothing of the target", async () => {
    const before = having(await settled(), { west: "unreachable" });
    expectFacts(await removing(before), {
      ...removed,
      revision: 2,
      removedLinks: links,
      notes: ["east → west: -1 (- shop/web-west); nothing is left of shop/web"],
    });
  });

  it("are forgotten where somebody has deleted them already", async () => {
    const action = "unlist: already deleted, or no longer this stack's";
    expectFacts(await removing(editing(await settled(), () => undefined)), {
      ...removed,
      changes: { west: { "shop/web-west": { action } } },
    });
  });

  it("are found by this stack's mark where a failed run has left the state of the one before", async () => {
    const { before, ...scenario } = await settled();
    const mirrors = { north: mirrorsBefore(before, "north") };
    const failed = { ...scenario, before: { ...before, links: rest.links, mirrors } };
    expectFacts(await removing(failed), { ...removed, notes: /^east → west: -1 / });
  });

  it("are found by a former name of the stack", async () => {
    expectFacts(await removing(await settled(), { args: { ...rest, stack: "mesh/new" } }), removed);
  });

  it("include the members of federated Services", async () => {
    expectFacts(await removing(await settled(bb)), { ...removed, removedLinks: links });
  });
});

describe("maxDeletions of a link that has left the config", () => {
  it("limits the deletions until they are allowed", async () => {
    const first = await removing(await settled({}, strict));
    expectFacts(first, {
      ...isStrict,
      removedLinks: [{ source: "east", target: "west", maxDeletions: 0 }],
    });
    expectFacts(await run(first.after), isStrict);
    const allowed = { ...first.after, args: { ...rest, allowDeletions: true } };
    expectFacts(await run(allowed), removed);
  });

  it("limits them even if the link itself had allowDeletions", async () => {
    const lenient = { target: "west", maxDeletions: 0, allowDeletions: true };
    expectFacts(await removing(await settled({}, argsFor([lenient, "north"]))), isStrict);
  });

  it("does not apply where the target is revoked", async () => {
    const args = { ...rest, revokedTargets: ["west"] };
    expectFacts(await removing(await settled({}, strict), { args }), removed);
  });

  for (const [what, create] of [
    ["mirrors", exported],
    ["members of federated", member],
  ] as const)
    it(`is 50% of the ${what} where the link had none`, async () => {
      const before = await settled({ west: west(...many.map((key) => create(key))) });
      expectFacts(await removing(before), {
        refused: new RegExp(`would delete 12 of its 12 ${what} .*\\(50%\\) allows 6`),
      });
    });
});

describe("a link that goes over to Linkerd's controller", () => {
  const says = "Deployment east/linkerd-multicluster/controller-west";

  for (const replicas of [0, 1])
    it(`leaves its mirrors without this stack's mark, with ${replicas} replicas`, async () => {
      const found = await removing(await settled(), {
        controllers: [controllerOf("west", replicas)],
      });
      expectFacts(found, {
        ...kept,
        removedLinks: undefined,
        notes: [
          "east → west: 1 no longer listed",
          `east → west: its mirrors stay, because ${says} mirrors it now`,
        ],
        changes: { west: { "shop/web-west": { action: `leave: ${says} keeps it` } } },
      });
      deepEqual(markersOf(found.source.services.get("shop/web-west")), []);
    });

  it("leaves its members of federated Services", async () => {
    expectFacts(await removing(await settled(bb), { controllers: [controllerOf("west")] }), {
      left: ["shop/api-north", "shop/bb-federated"],
    });
  });

  it("leaves its mirrors by the config alone where Deployments can't be listed", async () => {
    const args = { ...rest, controllerLinks: ["west"] };
    expectFacts(await removing(await settled(), { args, controllers: "forbidden" }), {
      ...kept,
      notes: /because Linkerd's controller \(mirroring: controller\) mirrors it now/,
    });
  });

  it("does not keep mirrors where the controller is another link's", async () => {
    expectFacts(await removing(await settled(), { controllers: [controllerOf("north")] }), removed);
  });

  it("keeps its mirrors as long as Deployments can't be listed, which is an error", async () => {
    const { after, ...facts } = await removing(await settled(), { controllers: "server" });
    expectFacts(facts, {
      ...kept,
      removedLinks: links,
      notes: /: its mirrors stay for now, because cluster east /,
      refused: /stay, because it is unknown whether Linkerd's controller mirrors it now: /,
    });
    expectFacts(await run({ ...after, controllers: [] }), removed);
  });
});

describe("what is left of a removed link", () => {
  it("is deleted where it is Endpoints without a Service", async () => {
    const before = await settled();
    const { east } = before.clusters;
    if (typeof east !== "object") throw new Error("the source can't be read");
    const alone = edited(east, "shop/web-west", { service: () => undefined });
    const { source } = await removing(having(before, { east: alone }));
    deepEqual([...source.endpoints.keys()], []);
  });

  it("stays in a federated Service, with the mark, while Deployments can't be listed", async () => {
    const before = await settled(bb);
    const { source } = await removing(before, { controllers: "server" });
    deepEqual(listed("shop/bb", source), "bb@west");
    deepEqual(markersOf(source.services.get("shop/bb-federated")), [
      "linkerd-multicluster-federated",
      "linkerd-multicluster/acme/mesh/dev#west",
    ]);
  });
});

describe("mirrors of a removed link that may be others'", () => {
  it("stay without a mark of any stack, with the command that deletes them", async () => {
    const before = await settled({ west: west(exported("shop/web"), exported("shop/cart")) });
    const found = await removing(editing(before, unmarked));
    expectFacts(found, {
      ...kept,
      notes:
        /^east → west: 1 mirror stays, because they carry no stack's mark, .*: kubectl --context east --namespace shop delete service web-west \(shop\/web-west\)$/m,
    });
  });

  it("stay where Linkerd's controller or nobody has written them, in whatever state", async () => {
    for (const edit of [unmarked<Service>, marked<Service>])
      for (const state of [{}, { links: rest.links }, { removedLinks: links }]) {
        const scenario = editing(await settled(), edit);
        const before = { ...scenario.before, ...state };
        expectFacts(await removing({ ...scenario, before }), { ...kept, hasWrites: false });
      }
  });

  it("lose this stack's mark where another stack has marked them too", async () => {
    const found = await removing(editing(await settled(), theirs));
    expectFacts(found, {
      ...kept,
      revision: 2,
      notes: [
        "east → west: 1 no longer listed",
        "east → west: 1 mirror stays, because stack other/prod keeps them (shop/web-west)",
      ],
    });
    const live = found.source.services.get("shop/web-west");
    deepEqual(markersOf(live), ["linkerd-multicluster/other/prod"]);
  });

  it("stay untouched where the other stack alone has marked them", async () => {
    const scenario = editing(await settled(), (live) => theirs(unmarked(live)));
    expectFacts(await removing(scenario), { ...kept, hasWrites: false });
  });

  it("include members of a federated Service that another stack has marked", async () => {
    const key = "shop/bb-federated";
    const { source } = await removing(editing(await settled(bb), theirs, key));
    deepEqual(listed("shop/bb", source), "bb@west");
    deepEqual(markersOf(source.services.get(key)), [
      "linkerd-multicluster-federated",
      "linkerd-multicluster/other/prod",
    ]);
  });
});

describe("a removed link", () => {
  it("is forgotten once its mirrors are deleted or left to others", async () => {
    const before = await settled();
    for (const scenario of [
      before,
      editing(before, theirs),
      { ...before, controllers: [controllerOf("west")] },
    ]) {
      const { after } = await run({ ...scenario, args: rest });
      const { inputs, hasWrites } = await check(after);
      deepEqual([inputs.removedLinks, inputs.changes, hasWrites], [undefined, undefined, false]);
    }
  });

  it("is one of the run before, or one that the run before had not finished", () => {
    const linksTo = (...targets: string[]) => targets.map((target) => link({ target }));
    const names = (before: Parameters<typeof removedLinks>[1], ...targets: string[]) =>
      removedLinks({ ...rest, links: linksTo(...targets) }, before).map((l) => l.target);
    deepEqual(names({}, "west"), []);
    deepEqual(names({ links: linksTo("west", "north") }, "west"), ["north"]);
    const before = { links: linksTo("west"), removedLinks: linksTo("south", "north") };
    deepEqual(names(before, "north"), ["south", "west"]);
    deepEqual(names(before), ["north", "south", "west"]);
  });
});
