import { deepEqual, doesNotMatch, equal, match } from "node:assert/strict";
import type { ObjectKey, Service } from "../../../engine/kubernetes/objects/objects.ts";
import { removedLinks } from "../../../engine/mirroring/decide/policies/removed-links.ts";
import type { Controller } from "../../../engine/model/controller.ts";
import { managerOf } from "../../../engine/model/marks.ts";
import { ownerLabels } from "../../../engine/model/owner.ts";
import {
  args,
  argsFor,
  check,
  editing,
  having,
  run,
  type Scenario,
  settled,
  west,
} from "../fixtures/checked.ts";
import { edited } from "../fixtures/edited.ts";
import { link } from "../fixtures/link.ts";
import { fed, listed } from "../fixtures/federation.ts";
import { cluster, exported, member, service } from "../fixtures/objects.ts";
import { confirmed, confirmedBy, marked, markersOf, stack, unmarked } from "../fixtures/marks.ts";

/** Compares each of these facts with a value, or matches its lines with a regular expression. */
function expectFacts(
  found: Readonly<Record<string, unknown>>,
  expected: Readonly<Record<string, unknown>>,
): void {
  for (const [name, wanted] of Object.entries(expected)) {
    const value = found[name];
    if (!(wanted instanceof RegExp)) deepEqual(value, wanted, name);
    else match(Array.isArray(value) ? value.join("\n") : JSON.stringify(value), wanted);
  }
}

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
async function removing(before: Scenario, scenario: Partial<Scenario> = {}) {
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

describe("the mirrors of a removed link", () => {
  it("are deleted without reading the target, and a preview shows it", async () => {
    const before = having(await settled(), { west: "unreachable" });
    expectFacts(await removing(before), {
      ...removed,
      revision: 2,
      removedLinks: links,
      notes: ["east → west: -1 (- shop/web-west); shop/web loses its last backend"],
    });
  });

  it("are no longer listed if somebody has deleted them already", async () => {
    const action = "unlist: already deleted, or no longer this stack's";
    expectFacts(await removing(editing(await settled(), () => undefined)), {
      ...removed,
      changes: { west: { "shop/web-west": { action } } },
    });
  });

  it("are found by the mark of the stack's former name", async () => {
    expectFacts(await removing(await settled(), { args: { ...rest, stack: "mesh/new" } }), removed);
  });

  it("include the members of federated Services", async () => {
    expectFacts(await removing(await settled(bb)), { ...removed, removedLinks: links });
  });
});

describe("maxDeletions of a removed link", () => {
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

  it("applies even if the link had allowDeletions", async () => {
    const lenient = { target: "west", maxDeletions: 0, allowDeletions: true };
    expectFacts(await removing(await settled({}, argsFor([lenient, "north"]))), isStrict);
  });

  it("doesn't apply to a revoked target", async () => {
    const args = { ...rest, revokedTargets: ["west"] };
    expectFacts(await removing(await settled({}, strict), { args }), removed);
  });

  for (const { what, create } of [
    { what: "mirrors", create: exported },
    { what: "members of federated Services", create: member },
  ])
    it(`is 50% of the ${what} by default`, async () => {
      const before = await settled({ west: west(...many.map((key) => create(key))) });
      const { left, ...facts } = await removing(before);
      expectFacts(facts, {
        refused: new RegExp(`would delete 12 of its 12 ${what} .*\\(50%\\) allows 6`),
      });
      equal(left.length, 1 + many.length);
    });
});

describe("a link that is handed over to Linkerd's controller", () => {
  const says = "Deployment east/linkerd-multicluster/controller-west";

  for (const replicas of [0, 1])
    it(`keeps its mirrors without this stack's mark if the controller has replicas: ${replicas}`, async () => {
      const found = await removing(await settled(), {
        controllers: [controllerOf("west", replicas)],
      });
      expectFacts(found, {
        ...kept,
        // The next run forgets the link, since no mark of it is left.
        removedLinks: [{ source: "east", target: "west", maxDeletions: "50%" }],
        notes: [
          "east → west: 1 no longer listed",
          `east → west: its mirrors stay, because ${says} mirrors it now`,
        ],
        changes: { west: { "shop/web-west": { action: `leave: ${says} keeps it` } } },
      });
      deepEqual(markersOf(found.source.services.get("shop/web-west")), []);
    });

  it("keeps its members of federated Services", async () => {
    expectFacts(await removing(await settled(bb), { controllers: [controllerOf("west")] }), {
      left: ["shop/api-north", "shop/bb-federated"],
    });
  });

  it("keeps its mirrors by mirroring: controller even if Deployments can't be listed", async () => {
    const args = { ...rest, controllerLinks: ["west"] };
    expectFacts(await removing(await settled(), { args, controllers: "forbidden" }), {
      ...kept,
      notes: /because Linkerd's controller \(mirroring: controller\) mirrors it now/,
    });
  });

  it("loses its mirrors if the controller is another link's", async () => {
    expectFacts(await removing(await settled(), { controllers: [controllerOf("north")] }), removed);
  });

  it("keeps its mirrors and fails the run while Deployments can't be listed", async () => {
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

describe("marks for a link that neither the config nor state knows", () => {
  /** Returns a mirror that anybody may have written, with this stack's mark. */
  const forged = (target: string, index = 0) =>
    confirmed(
      managerOf(stack),
      service(`shop/web-${index}-${target}`, { labels: ownerLabels(target) }),
    );

  for (const { what, before } of [
    { what: "state is lost", before: {} },
    { what: "the first run with the link was killed", before: { links: rest.links } },
  ])
    it(`are reported and stay if ${what}, and go once the link was back`, async () => {
      const scenario = { ...(await settled()), before };
      const found = await removing(scenario);
      expectFacts(found, {
        ...kept,
        refused: {},
        removedLinks: undefined,
        notes: /1 mark of this stack in east .*\(shop\/web-west for west\).* put the link back/m,
      });
      const back = await run({ ...found.after, args });
      expectFacts(back, { ...kept, notes: ["east → west: 1 already there"] });
      expectFacts(await removing(back.after), removed);
    });

  it("go if the cluster is revoked", async () => {
    const scenario = { ...(await settled()), before: {} };
    const revoking = { ...rest, revokedTargets: ["west"] };
    expectFacts(await removing(scenario, { args: revoking }), removed);
  });

  for (const target of ["ghost", "federated"])
    for (const before of [{}, { removedLinks: [{ source: "east", target }] }])
      it(`count for no guard and bring no advice about other objects (${target})`, async () => {
        const scenario = await settled(bb);
        const { east } = scenario.clusters;
        if (typeof east !== "object") throw new Error("the source can't be read");
        const strays = Array.from({ length: 11 }, (_, index) => forged(target, index));
        const source = cluster("east", {
          namespaces: ["shop"],
          services: [...east.services.values(), ...strays],
          endpoints: [...east.endpoints.values()],
        });
        const found = await run({
          ...having(scenario, { east: source }),
          before: { ...scenario.before, ...before },
        });
        deepEqual([found.refused, found.left.length], [{}, 2 + 11]);
        equal(found.notes.length, 1);
        match(found.notes.join(), /^east: 11 marks /);
        doesNotMatch(found.notes.join(), /bb-federated|delete service|allowDeletions/);
      });
});

describe("a link with names of its own that is handed over to Linkerd's controller", () => {
  const own = { target: "west", names: "{target}-{service}" };
  const elsewhere = { target: "west", mirrorNamespaces: { shop: "far" } };
  const says = "can't be handed over to ";

  for (const { link: renamed, mirror } of [
    { link: own, mirror: "shop/west-web" },
    { link: elsewhere, mirror: "far/web-west" },
  ]) {
    const before = () =>
      settled(
        { east: cluster("east", { namespaces: ["shop", "far"] }) },
        argsFor([renamed, "north"]),
      );

    it(`is a mistake of the config that names the mirror ${mirror}`, async () => {
      const asked = { ...rest, controllerLinks: ["west"] };
      const { mistakes } = await check({ ...(await before()), args: asked });
      equal(mistakes.length, 1);
      match(mistakes.join(), new RegExp(`link east → west \\(${mirror}\\) ${says}`));
    });

    it(`is refused if the link has left the config, and keeps ${mirror}`, async () => {
      const found = await removing(await before(), { controllers: [controllerOf("west")] });
      expectFacts(found, {
        refused: new RegExp(`\\(${mirror}\\) ${says}Deployment east/`),
        left: ["shop/api-north", mirror].sort(),
        removedLinks: links,
      });
      deepEqual(
        markersOf(found.source.services.get(mirror as ObjectKey)).includes(managerOf(stack)),
        true,
      );
    });

    it(`is possible once ${mirror} has Linkerd's name`, async () => {
      const renamedBack = await run({ ...(await before()), args });
      const { after } = await run(renamedBack.after);
      const asked = { ...rest, controllerLinks: ["west"] };
      expectFacts(await run({ ...after, args: asked }), { ...kept, refused: {}, mistakes: [] });
    });
  }
});

describe("the leftovers of a removed link", () => {
  it("are deleted if they are Endpoints without a Service", async () => {
    const before = await settled();
    const { east } = before.clusters;
    if (typeof east !== "object") throw new Error("the source can't be read");
    const alone = edited(east, "shop/web-west", { service: () => undefined });
    const { source } = await removing(having(before, { east: alone }));
    deepEqual([...source.endpoints.keys()], []);
  });

  it("include its marked member of a federated Service while Deployments can't be listed", async () => {
    const before = await settled(bb);
    const { source } = await removing(before, { controllers: "server" });
    deepEqual(listed("shop/bb", source), "bb@west");
    deepEqual(markersOf(source.services.get("shop/bb-federated")), [
      "linkerd-multicluster-federated",
      "linkerd-multicluster/acme/mesh/dev#west",
    ]);
  });
});

describe("mirrors of a removed link that others may own", () => {
  it("stay if Linkerd's controller or nobody has written them, whatever state says", async () => {
    for (const edit of [unmarked<Service>, marked<Service>])
      for (const state of [{}, { links: rest.links }, { removedLinks: links }]) {
        const scenario = editing(await settled(), edit);
        const before = { ...scenario.before, ...state };
        expectFacts(await removing({ ...scenario, before }), { ...kept, hasWrites: false });
      }
  });

  it("are reported if only some of them carry a mark", async () => {
    const before = await settled({ west: west(exported("shop/web"), exported("shop/cart")) });
    expectFacts(await removing(editing(before, unmarked)), {
      ...kept,
      notes: /^east → west: 1 mirror stays, because they carry no stack's mark/m,
    });
  });

  it("lose only this stack's mark if another stack has marked them too", async () => {
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

  it("is known from the mark of a member, whichever stack's name it carries", () => {
    const [dev, old] = ["acme/mesh/dev", "acme/mesh/old"];
    const marks = ["north", "south", "far"].map((name) =>
      managerOf(name === "far" ? "a/b/c" : dev, name),
    );
    const live = [...marks, managerOf(old, "west")].reduce(
      (each, manager) => confirmed(manager, each),
      fed("shop/bb", { remote: "bb@north,bb@west,bb@far" }),
    );
    const source = cluster("east", { services: [live, exported("shop/web")] });
    const noted = ["north", "south", "west", "far"].map((target) => link({ target }));
    const names = (before: Parameters<typeof removedLinks>[1]) =>
      removedLinks(
        { source: "east", links: [], stack: dev },
        { links: noted, ...before },
        source,
      ).map((l) => l.target);
    // A mark without a member is no link's any more, and a member without this stack's mark is another's.
    deepEqual(names({}), ["north"]);
    deepEqual(names({ formerStacks: [old] }), ["north", "west"]);
    deepEqual(names({ links: [] }), []);
  });

  it("is known from a mark of earlier versions only if a run has noted the link", () => {
    const live = confirmed(managerOf("acme/mesh/dev"), fed("shop/bb", { remote: "bb@north" }));
    const source = cluster("east", { services: [live] });
    const of = { source: "east", links: [], stack: "acme/mesh/dev" };
    deepEqual(removedLinks(of, {}, source), []);
    const noted = { links: [link({ target: "north" })] };
    deepEqual(
      removedLinks(of, noted, source).map(({ target }) => target),
      ["north"],
    );
  });

  it("is known from the previous run's links and its unfinished removals", () => {
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
