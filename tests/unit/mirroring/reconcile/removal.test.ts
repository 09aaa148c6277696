import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { resources } from "../../../../engine/kubernetes/objects/resources.ts";
import { WantedHere } from "../../../../engine/mirroring/reconcile/wanted-here.ts";
import { edited } from "../../fixtures/edited.ts";
import { failing } from "../../fixtures/failing.ts";
import { member } from "../../fixtures/federation.ts";
import { confirmedBy, markersOf, unmarked } from "../../fixtures/marks.ts";
import { MemoryCluster } from "../../fixtures/memory-cluster.ts";
import { cluster, endpoints, headless, pods, service } from "../../fixtures/objects.ts";
import {
  args,
  editedEast,
  later,
  settled,
  unreachable,
  web,
  west,
} from "../../fixtures/settled.ts";
import {
  argsFor,
  controller,
  destroy,
  exporting,
  lookedAt,
  mirrorsIn,
} from "../../fixtures/world.ts";

async function destroyed(
  { clusters, inputs }: Awaited<ReturnType<typeof later>>,
  wanted?: WantedHere,
): Promise<{
  readonly failures: readonly string[];
  readonly lines: readonly string[];
  readonly left: readonly string[];
}> {
  const lines: string[] = [];
  const failures = await destroy(clusters, inputs, (line) => lines.push(line), wanted);
  return { failures, lines, left: await mirrorsIn(clusters.east) };
}

const nothing = { failures: [], lines: [], left: [] };

describe("the deletion of a source's mirrors", () => {
  it("takes all that its links have brought, and reads the source alone for that", async () => {
    const federated = west(web, member("shop/bb"));
    const { clusters, before } = await settled({ west: federated });
    equal((await mirrorsIn(clusters.east)).length, 3);
    const situation = await later(clusters.east, before);
    deepEqual(await destroyed(situation), nothing);
    const { endpoints, services } = await situation.clusters.east.snapshot();
    deepEqual([endpoints.size, services.size], [0, 1]);
  });

  it("takes what links have brought that had left the config before", async () => {
    const { clusters, before } = await settled();
    const inputs = { ...before, links: [], removedLinks: before.links };
    deepEqual(await destroyed(await later(clusters.east, inputs)), nothing);
  });

  it("leaves what is not of its links, by whatever name", async () => {
    const { clusters, before } = await settled();
    const own = service("shop/own");
    const snapshot = edited(await clusters.east.snapshot(), "shop/api-north", {
      service: unmarked,
    });
    const east = new MemoryCluster({
      ...snapshot,
      services: new Map([...snapshot.services, ["shop/own", own]]),
    });
    const narrower = { ...before, links: before.links.filter(({ target }) => target === "west") };
    const situation = await later(east, narrower);
    deepEqual((await destroyed(situation)).left, ["shop/api-north"]);
    const { services } = await situation.clusters.east.snapshot();
    equal(services.has("shop/own"), true);
  });

  it("takes headless mirrors before their pods' mirrors, to which they lead", async () => {
    const db = headless("shop/db");
    const target = exporting("west", [db], {
      endpoints: [endpoints("shop/db", [pods(["db-0"])])],
    });
    const pair = argsFor([{ target: "west", headless: true }]);
    const { clusters, before } = await settled({ west: new MemoryCluster(target) }, pair);
    const situation = await later(clusters.east, before);
    await destroyed(situation);
    deepEqual(
      situation.clusters.east.writes.filter((write) => write.startsWith("delete services")),
      ["delete services shop/db-west", "delete services shop/db-0-west"],
    );
  });

  it("is an error with nothing done where the context leads to another cluster", async () => {
    const { clusters, before } = await settled();
    const { clusters: there } = await later(clusters.east, before);
    await rejects(destroy(there, before), {
      message: /^context east of cluster east leads to another cluster than before/,
    });
    deepEqual(there.east.writes, []);
  });

  it("is an error that names the way out where the source is gone", async () => {
    const { before } = await settled();
    await rejects(destroy({ east: unreachable("east") }, before), {
      message:
        /^cluster east can't be reached .*; if it is gone for good, run pulumi up with linkerd-multicluster:clusters\.east\.revoked set to true$/,
    });
    await rejects(destroy({}, before), /there is no context east/);
  });

  it("names what fails once, and takes the rest", async () => {
    const { clusters, before } = await settled();
    const situation = await later(clusters.east, before);
    situation.clusters.east.refuse = (request) =>
      request === "delete services shop/web-west" ? new Error("a webhook is down") : undefined;
    deepEqual(await destroyed(situation), {
      failures: ["a webhook is down"],
      lines: [],
      left: ["shop/web-west"],
    });
  });
});

describe("what the deletion of a source's mirrors leaves", () => {
  it("is what a controller of Linkerd's mirrors now", async () => {
    const { clusters, before } = await settled();
    const situation = await later(clusters.east, before, { deployments: [controller("west", 1)] });
    deepEqual(await destroyed(situation), {
      failures: [],
      lines: [
        "east <- west: its mirrors stay, because Deployment east/linkerd-multicluster/controller-west mirrors it now",
      ],
      left: ["shop/web-west"],
    });
  });

  it("is everything where that is not known", async () => {
    const { clusters, before } = await settled();
    const error = failing("forbidden", "east", "list", resources.deployments);
    const situation = await later(clusters.east, before);
    situation.clusters.east.refuse = (request) =>
      request === "list deployments" ? error : undefined;
    await rejects(destroyed(situation), { message: error.message });
    deepEqual(situation.clusters.east.writes, []);
  });

  it("is everything too where federated Services alone have members of its links", async () => {
    const only = argsFor(["west"]);
    const { clusters, before } = await settled({ west: west(member("shop/bb")) }, only);
    const error = failing("forbidden", "east", "list", resources.deployments);
    const situation = await later(clusters.east, before);
    situation.clusters.east.refuse = (request) =>
      request === "list deployments" ? error : undefined;
    await rejects(destroyed(situation), { message: error.message });
  });

  it("does not matter to links that have nothing left", async () => {
    const { clusters, before } = await settled();
    const empty = new MemoryCluster(cluster("east", { namespaces: ["shop"] }));
    const situation = await later(empty, before);
    situation.clusters.east.refuse = (request) =>
      request === "list deployments" ? failing("forbidden", "east") : undefined;
    deepEqual(await destroyed(situation), nothing);
    equal((await mirrorsIn(clusters.east)).length, 2);
  });

  it("is what another stack keeps, without this stack's mark from then on", async () => {
    const setting = await settled();
    const east = await editedEast(setting, (live) => confirmedBy("other/prod", live));
    const situation = await later(east, setting.before);
    deepEqual(await destroyed(situation), {
      failures: [],
      lines: [
        "east <- west: 1 mirror stays, because another stack keeps them (other/prod): destroy it as well, or, if it no longer exists, delete them with kubectl",
      ],
      left: ["shop/web-west"],
    });
    const { services } = await situation.clusters.east.snapshot();
    deepEqual(markersOf(services.get("shop/web-west")), ["linkerd-multicluster/other/prod"]);
  });

  it("is not what this stack has marked under a former name", async () => {
    const setting = await settled();
    const east = await editedEast(setting, (live) => confirmedBy("mesh/old", unmarked(live)));
    const inputs = { ...setting.before, formerStacks: ["mesh/old"] };
    deepEqual(await destroyed(await later(east, inputs)), nothing);
  });

  it("is a federated Service that another stack keeps", async () => {
    const { clusters, before } = await settled({ west: west(member("shop/bb")) });
    const east = await editedEast(
      { clusters, before, args },
      (live) => confirmedBy("other/prod", live),
      "shop/bb-federated",
    );
    const { left, lines } = await destroyed(await later(east, before));
    deepEqual(left, ["shop/bb-federated"]);
    match(lines.join(), /^east: 1 mirror stays, because another stack keeps them \(other\/prod\)/);
  });

  it("is the members of clusters that are not its own", async () => {
    const { clusters, before } = await settled({ west: west(member("shop/bb")) });
    const list = "multicluster.linkerd.io/remote-discovery";
    const east = await editedEast(
      { clusters, before, args },
      (live) => ({
        ...live,
        metadata: { ...live.metadata, annotations: { [list]: "bb@west,bb@south" } },
      }),
      "shop/bb-federated",
    );
    const situation = await later(east, before);
    deepEqual((await destroyed(situation)).left, ["shop/bb-federated"]);
    const { services } = await situation.clusters.east.snapshot();
    equal(services.get("shop/bb-federated")?.metadata.annotations?.[list], "bb@south");
  });

  it("waits while another source of the run can't be read, which may be the same cluster", async () => {
    const { clusters, before } = await settled();
    const situation = await later(clusters.east, before);
    const wanted = new WantedHere();
    wanted.addUnread(undefined);
    await rejects(destroyed(situation, wanted), /may be the same cluster under another name/);
    deepEqual(await mirrorsIn(situation.clusters.east), ["shop/api-north", "shop/web-west"]);
    const elsewhere = new WantedHere();
    elsewhere.addUnread("the identity of another cluster");
    deepEqual(await destroyed(situation, elsewhere), nothing);
  });

  it("is what this very run wants under another name of the resource", async () => {
    const { clusters, before } = await settled({ west: west(web, member("shop/bb")) });
    const situation = await later(clusters.east, before);
    const all = { ...clusters, east: situation.clusters.east };
    const wanted = new WantedHere();
    wanted.add(await lookedAt(all, argsFor(["west"]), situation.inputs));
    const { lines, left } = await destroyed(situation, wanted);
    deepEqual(left, ["shop/bb-federated", "shop/web-west"]);
    deepEqual(lines, [
      "east <- west: 1 mirror left, because this run has the same cluster under another name",
    ]);
  });
});
