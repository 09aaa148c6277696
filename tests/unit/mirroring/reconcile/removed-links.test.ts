import { deepEqual, equal, match } from "node:assert/strict";
import type { Service } from "../../../../engine/kubernetes/objects/objects.ts";
import { resources } from "../../../../engine/kubernetes/objects/resources.ts";
import { removedLinks } from "../../../../engine/mirroring/decide/policies/removed-links.ts";
import { type Inputs, mirrorsBefore } from "../../../../engine/mirroring/model/state.ts";
import { failing } from "../../fixtures/failing.ts";
import { member } from "../../fixtures/federation.ts";
import { confirmedBy, marked, markersOf, unmarked } from "../../fixtures/marks.ts";
import { MemoryCluster } from "../../fixtures/memory-cluster.ts";
import { exported } from "../../fixtures/objects.ts";
import { editedEast, type Setting, settled, unreachable, west } from "../../fixtures/settled.ts";
import {
  argsFor,
  controller,
  type LivingClusters,
  lookedAt,
  made,
  mirrorsIn,
  destroy,
  preview,
  up,
} from "../../fixtures/world.ts";

/** What is left of the config once the link to `west` is gone. */
const rest = argsFor(["north"]);

/** The same source with other Deployments. */
async function eastWith(
  { clusters }: Pick<Setting, "clusters">,
  more: ConstructorParameters<typeof MemoryCluster>[1],
): Promise<MemoryCluster> {
  return new MemoryCluster(await clusters.east.snapshot(), more);
}

async function removedIn(clusters: LivingClusters, before: Inputs, of = rest) {
  return (await lookedAt(clusters, of, before)).removed;
}

describe("the links that have left the config", () => {
  const linksTo = (...targets: string[]) => targets.map((target) => ({ source: "east", target }));

  it("are those of the run before that are no more, and those not done with", () => {
    const names = (before: Parameters<typeof removedLinks>[1], ...targets: string[]) =>
      removedLinks({ source: "east", links: linksTo(...targets) }, before).map((l) => l.target);
    deepEqual(names({}, "west"), []);
    deepEqual(names({ links: linksTo("west", "north") }, "west"), ["north"]);
    const before = { links: linksTo("west"), removedLinks: linksTo("south", "north") };
    deepEqual(names(before, "north"), ["south", "west"]);
    deepEqual(names(before), ["north", "south", "west"]);
  });

  it("take along mirrors that somebody has deleted already, and a preview says so", async () => {
    const setting = await settled();
    const { clusters, before } = setting;
    await clusters.east.remove(resources.services, { namespace: "shop", name: "web-west" });
    const { inputs } = await preview(clusters, rest, before);
    deepEqual(inputs.changes, {
      west: { "shop/web-west": { action: "forget: already deleted, or no longer owned" } },
    });
  });

  it("keep the limit that they had, and no leave to exceed it", () => {
    const links = [
      { source: "east", target: "west", maxDeletions: 3, allowDeletions: true, headless: true },
    ];
    deepEqual(removedLinks({ source: "east", links: [] }, { links }), [
      { source: "east", target: "west", maxDeletions: 3 },
    ]);
  });
});

describe("a link that has left the config", () => {
  it("takes its mirrors along, which a preview shows, and is forgotten then", async () => {
    const { clusters, before } = await settled();
    const { inputs, notes } = await preview(clusters, rest, before);
    deepEqual(inputs.mirrors, { north: mirrorsBefore(before, "north") });
    deepEqual(
      [inputs.removedLinks, inputs.revision, notes],
      [
        [{ source: "east", target: "west" }],
        2,
        ["east <- west: -1 (- shop/web-west); nothing is left of shop/web"],
      ],
    );
    deepEqual(await made(clusters, inputs), []);
    deepEqual(await mirrorsIn(clusters.east), ["shop/api-north"]);
    const after = await preview(clusters, rest, inputs);
    const { removedLinks: left, changes, revision } = after.inputs;
    deepEqual([left, changes, revision], [undefined, undefined, inputs.revision]);
  });

  it("needs nothing of its target for that", async () => {
    const { clusters, before } = await settled();
    const gone = { ...clusters, west: unreachable("west") };
    await up(gone, rest, before);
    deepEqual(await mirrorsIn(clusters.east), ["shop/api-north"]);
  });

  it("is known by its mirrors' mark where no run has noted it, as one that has failed", async () => {
    const { clusters, before } = await settled();
    // The engine keeps the inputs of the run before the one that has failed.
    const noted = {
      ...before,
      links: rest.links,
      mirrors: { north: mirrorsBefore(before, "north") },
    };
    const { inputs, notes } = await preview(clusters, rest, noted);
    match(notes.join(), /^east <- west: -1 \(- shop\/web-west\)/);
    deepEqual(await made(clusters, inputs), []);
    deepEqual(await mirrorsIn(clusters.east), ["shop/api-north"]);
  });

  it("is left alone where no run has noted it and another's it may be", async () => {
    const setting = await settled();
    const noted = { ...setting.before, links: rest.links };
    const taken = await eastWith(setting, { deployments: [controller("west", 1)] });
    for (const east of [await editedEast(setting, (live) => unmarked(live)), taken]) {
      const clusters = { ...setting.clusters, east };
      deepEqual(await removedIn(clusters, noted), []);
    }
  });

  it("has nothing left where all is gone, and its members of federated Services count", async () => {
    const { clusters, before } = await settled();
    const east = await editedEast({ clusters, before, args: rest }, () => undefined);
    const endpointsToo = new MemoryCluster({ ...(await east.snapshot()), endpoints: new Map() });
    deepEqual(await removedIn({ ...clusters, east: endpointsToo }, before), []);

    const federation = await settled({ west: west(member("shop/bb")) });
    const removed = await removedIn(federation.clusters, federation.before);
    deepEqual(
      removed.map(({ link, disposition }) => [link.target, disposition]),
      [["west", "delete"]],
    );
    await up(federation.clusters, rest, federation.before);
    deepEqual(await mirrorsIn(federation.clusters.east), ["shop/api-north"]);
  });

  it("is held to the limit that it had, unless linkDefaults allows more", async () => {
    const strict = argsFor([{ target: "west", maxDeletions: 0 }, "north"]);
    const { clusters, before } = await settled({}, strict);
    const { inputs } = await preview(clusters, rest, before);
    match(
      inputs.refused?.["west"] ?? "",
      /^link east\/west is no longer in the config, and the run would delete 1 of its 1 mirror on east, and maxDeletions \(0\) allows 0/,
    );
    const allowed = await preview(clusters, { ...rest, allowDeletions: true }, before);
    deepEqual(allowed.inputs.refused, undefined);
    const own = argsFor([{ target: "west", maxDeletions: 0, allowDeletions: true }, "north"]);
    const after = await preview(clusters, rest, { ...before, links: own.links });
    deepEqual(Object.keys(after.inputs.refused ?? {}), ["west"]);
    // It is remembered for as long as it is refused.
    const again = await preview(clusters, rest, after.inputs);
    deepEqual(Object.keys(again.inputs.refused ?? {}), ["west"]);
  });

  it("is held to no limit where its target is revoked", async () => {
    const strict = argsFor([{ target: "west", maxDeletions: 0 }, "north"]);
    const { clusters, before } = await settled({}, strict);
    await up(clusters, { ...rest, revokedTargets: ["west"] }, before);
    deepEqual(await mirrorsIn(clusters.east), ["shop/api-north"]);
  });

  it("leaves of its mirrors those without this stack's mark, and says so", async () => {
    const setting = await settled({ west: west(exported("shop/web"), exported("shop/cart")) });
    const east = await editedEast(setting, unmarked);
    const { inputs, notes } = await preview({ ...setting.clusters, east }, rest, setting.before);
    match(
      notes.join("\n"),
      /^east <- west: 1 mirror stays, because they do not carry the mark of this stack/m,
    );
    deepEqual(await made({ ...setting.clusters, east }, inputs), []);
    deepEqual(await mirrorsIn(east), ["shop/api-north", "shop/web-west"]);
  });

  it("is held to the default limit where it had none", async () => {
    const many = Array.from({ length: 12 }, (_, index) => exported(`shop/web-${index}`));
    const { clusters, before } = await settled({ west: west(...many) });
    const { inputs } = await preview(clusters, rest, before);
    match(
      inputs.refused?.["west"] ?? "",
      /would delete 12 of its 12 mirrors .* maxDeletions \(50%\) allows 6/,
    );
  });

  it("is held to that for the members of federated Services too", async () => {
    const many = Array.from({ length: 12 }, (_, index) => member(`shop/s${index}`));
    const { clusters, before } = await settled({ west: west(...many) });
    const { inputs } = await preview(clusters, rest, before);
    match(inputs.refused?.["west"] ?? "", /would delete 12 of its 12 members of federated/);
  });
});

describe("mirrors of a link that Linkerd's controller has taken over", () => {
  const says = "Deployment east/linkerd-multicluster/controller-west";

  for (const replicas of [undefined, 1, 2])
    it(`stay where its Deployment has ${replicas ?? "no number of"} replicas, ready or not`, async () => {
      const setting = await settled();
      const east = await eastWith(setting, { deployments: [controller("west", replicas)] });
      const clusters = { ...setting.clusters, east };
      const { inputs, notes } = await preview(clusters, rest, setting.before);
      deepEqual(notes, [`east <- west: its mirrors stay, because ${says} mirrors it now`]);
      deepEqual(inputs.changes, {
        west: { "shop/web-west": { action: `leave: ${says} mirrors it now` } },
      });
      deepEqual([inputs.removedLinks, Object.keys(inputs.mirrors)], [undefined, ["north"]]);
      deepEqual(await made(clusters, inputs), []);
      deepEqual(await mirrorsIn(east), ["shop/api-north", "shop/web-west"]);
      equal((await preview(clusters, rest, inputs)).inputs.changes, undefined);
    });

  it("stay members of federated Services", async () => {
    const setting = await settled({ west: west(member("shop/bb")) });
    const east = await eastWith(setting, { deployments: [controller("west", 1)] });
    const { decided } = await lookedAt({ ...setting.clusters, east }, rest, setting.before);
    const [bb] = decided.judged.get("federated") ?? [];
    deepEqual([bb?.key, bb?.verdict], ["shop/bb-federated", "handOver"]);
  });

  it("go where its Deployment is scaled to nothing, or is another link's", async () => {
    for (const deployment of [controller("west", 0), controller("north", 1)]) {
      const setting = await settled();
      const east = await eastWith(setting, { deployments: [deployment] });
      const [removed] = await removedIn({ ...setting.clusters, east }, setting.before);
      equal(removed?.disposition, "delete");
    }
  });

  it("stay where the config says so, without asking for Deployments", async () => {
    const { clusters, before } = await settled();
    clusters.east.refuse = (request) =>
      request === "list deployments" ? failing("forbidden", "east") : undefined;
    const of = { ...rest, controllerLinks: ["west"] };
    deepEqual(await removedIn(clusters, before, of), [
      {
        link: { source: "east", target: "west" },
        disposition: "handOver",
        controller: "Linkerd's controller (mirroring: controller)",
      },
    ]);
  });

  for (const kind of ["forbidden", "server"] as const)
    it(`stay as long as Deployments cannot be listed (${kind}), and the run says so`, async () => {
      const { clusters, before } = await settled();
      const error = failing(kind, "east", "list", resources.deployments);
      clusters.east.refuse = (request) => (request === "list deployments" ? error : undefined);
      const { inputs, notes, mistakes } = await preview(clusters, rest, before);
      deepEqual(mistakes, []);
      deepEqual(notes, [`east <- west: its mirrors stay for now, because ${error.message}`]);
      deepEqual(inputs.refused, {
        east: `the mirrors of the removed link east/west stay, because it is not known whether a controller of Linkerd's mirrors it now: ${error.message}`,
      });
      deepEqual(inputs.mirrors, before.mirrors);
      deepEqual(inputs.removedLinks, [{ source: "east", target: "west" }]);
      deepEqual(await made(clusters, inputs), [inputs.refused["east"]]);
      deepEqual(await mirrorsIn(clusters.east), ["shop/api-north", "shop/web-west"]);
      // As soon as it is known, the mirrors go.
      clusters.east.refuse = () => undefined;
      await up(clusters, rest, inputs);
      deepEqual(await mirrorsIn(clusters.east), ["shop/api-north"]);
    });
});

describe("mirrors of a removed link that another stack keeps", () => {
  it("stay, and lose this stack's mark, so that the other can delete them one day", async () => {
    const setting = await settled();
    const east = await editedEast(setting, (live) => confirmedBy("other/prod", live));
    const clusters = { ...setting.clusters, east };
    const { inputs, notes } = await preview(clusters, rest, setting.before);
    deepEqual(notes, [
      "east <- west: 1 forgotten",
      "east <- west: 1 mirror stays, because another stack keeps them (other/prod): destroy it as well, or, if it no longer exists, delete them with kubectl",
    ]);
    equal(inputs.revision, 2);
    const again = await preview(clusters, rest, inputs);
    equal(again.inputs.revision, 3, "the mark is still there");
    deepEqual(await made(clusters, inputs), []);
    deepEqual(await mirrorsIn(east), ["shop/api-north", "shop/web-west"]);
    const { services } = await east.snapshot();
    deepEqual(markersOf(services.get("shop/web-west")), ["linkerd-multicluster/other/prod"]);
    deepEqual(await removedIn(clusters, inputs), []);
  });

  it("stay members of a federated Service that the other stack keeps", async () => {
    const setting = await settled({ west: west(member("shop/bb")) });
    const key = "shop/bb-federated";
    const east = await editedEast(setting, (live) => confirmedBy("other/prod", live), key);
    const clusters = { ...setting.clusters, east };
    const inputs = await up(clusters, rest, setting.before);
    const { services } = await east.snapshot();
    const list = "multicluster.linkerd.io/remote-discovery";
    equal(services.get(key)?.metadata.annotations?.[list], "bb@west");
    deepEqual(markersOf(services.get(key)), ["linkerd-multicluster/other/prod"]);
    deepEqual(await removedIn(clusters, inputs), []);
    equal((await preview(clusters, rest, inputs)).inputs.revision, inputs.revision);
  });

  it("are none of this stack's business where it has no mark on them", async () => {
    const setting = await settled();
    const east = await editedEast(setting, (live) => confirmedBy("other/prod", unmarked(live)));
    deepEqual(await removedIn({ ...setting.clusters, east }, setting.before), []);
  });

  it("do not count as such by a mark of this stack under a former name", async () => {
    const { clusters, before } = await settled();
    const renamed = { ...rest, stack: "mesh/new" };
    const [removed] = await removedIn(clusters, before, renamed);
    deepEqual(removed?.disposition === "delete" && [...removed.retained], []);
    await up(clusters, renamed, before);
    deepEqual(await mirrorsIn(clusters.east), ["shop/api-north"]);
  });

  it("are not deleted where nothing says that they are this stack's, in whatever state", async () => {
    const setting = await settled();
    for (const edit of [unmarked<Service>, marked<Service>]) {
      const east = await editedEast(setting, (live) => edit(live));
      const clusters = { ...setting.clusters, east };
      const old = { ...setting.before, removedLinks: [{ source: "east", target: "west" }] };
      for (const before of [setting.before, old]) {
        const { inputs } = await preview(clusters, rest, before);
        deepEqual(await made(clusters, inputs), []);
        deepEqual(await destroy(clusters, before), []);
        deepEqual((await mirrorsIn(east)).includes("shop/web-west"), true);
      }
    }
  });
});
