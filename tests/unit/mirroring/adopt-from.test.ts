import { deepEqual, equal, notEqual } from "node:assert/strict";
import { managerOf } from "../../../engine/model/marks.ts";
import { annotation } from "../../../engine/model/vocabulary.ts";
import type { ApiServer } from "../../simulation/api-server.ts";
import { serverWith } from "../../simulation/contents.ts";
import { Mesh } from "../../simulation/mesh.ts";
import { managersOf, writesTo } from "../../simulation/outcome.ts";
import { web } from "../fixtures/checked.ts";
import { cluster, exported, exporting, member, service } from "../fixtures/objects.ts";

const blog = exported("blog/site");
const both = { labels: { "mirror.linkerd.io/exported": "true" } };

const marksOf = (server: ApiServer, key: string, of: "services" | "httproutes" = "services") => {
  const live = server.get(of, key);
  return live && managersOf(live).filter((name) => name !== "linkerd-multicluster-federated");
};

const membersOf = (server: ApiServer) => {
  const { annotations = {} } = server.get("services", "shop/api-federated")?.metadata ?? {};
  return [annotations[annotation.remoteMembers], annotations[annotation.localMember]];
};

/** A stack whose links into east are to be moved, by and by, to another one. */
async function moving() {
  const own = [service("shop/web"), member("shop/api")];
  const east = serverWith(cluster("east", { namespaces: ["shop", "blog"], services: own }));
  const west = serverWith(exporting("west", [web, blog, member("shop/api", both)]));
  const north = serverWith(exporting("north", [member("shop/api")]));
  const clusters = { west: {}, north: {}, east: { failover: { "shop/web": ["local", "west"] } } };
  const former = Mesh.of([east, west, north], { clusters });
  former.stack = "acme/mesh/former";
  equal((await former.up()).failure, undefined);
  const next = Mesh.of([east, west], { clusters: { east: {}, west: {} } });
  next.stack = "acme/mesh/next";
  const adopting = (link: object = {}) => {
    next.link({ source: "east", target: "west", adoptFrom: [former.stack], ...link });
  };
  adopting();
  return { east, west, north, former, next, adopting };
}

describe("adoptFrom on a link", () => {
  it("takes over what this stack wants of that link, and nothing else", async () => {
    const { east, former, next } = await moving();
    equal((await next.up()).failure, undefined);
    const ours = managerOf(next.stack);
    deepEqual(marksOf(east, "shop/web-west"), [ours]);
    deepEqual(marksOf(east, "shop/api-federated")?.sort(), [
      managerOf(former.stack, ".local"),
      managerOf(former.stack, "north"),
      managerOf(next.stack, ".local"),
      managerOf(next.stack, "west"),
    ]);
  });

  it("takes over the HTTPRoute of a Service that fails over to its target, and no other", async () => {
    const { east, former, next } = await moving();
    const web = "shop/web-failover-80";
    const other = "shop/web-failover-81";
    const live = east.get("httproutes", web);
    const metadata = { ...live?.metadata, name: "web-failover-81", uid: "other" };
    east.put("httproutes", { ...live, metadata }, managerOf(former.stack));
    equal((await next.up()).failure, undefined);
    const theirs = [managerOf(former.stack)];
    deepEqual(
      [web, other].map((key) => marksOf(east, key, "httproutes")),
      [theirs, theirs],
    );
    const clusters = { west: {}, east: { failover: { "shop/web": ["local", "west"] } } };
    next.config = { ...next.config, clusters };
    equal((await next.up()).failure, undefined);
    deepEqual(
      [web, other].map((key) => marksOf(east, key, "httproutes")),
      [[managerOf(next.stack)], theirs],
    );
    east.journal.length = 0;
    equal((await next.up()).failure, undefined);
    deepEqual(writesTo(east), []);
  });

  for (const [what, link] of [
    ["namespaces that the link doesn't cover", { namespaces: ["shop"] }],
    ["Services that its selectors don't match", { selector: { matchLabels: { none: "such" } } }],
  ] as const)
    it(`deletes no mirror of the other stack: ${what}`, async () => {
      const { east, former, next, adopting } = await moving();
      adopting({ ...link, maxDeletions: 100 });
      const marks = marksOf(east, "blog/site-west");
      const { failure, lines } = await next.up();
      equal(failure, undefined);
      deepEqual(marksOf(east, "blog/site-west"), marks);
      if (what.startsWith("Services"))
        equal(
          lines.some((line) => line.includes(former.stack)),
          true,
        );
      equal((await next.destroy()).failure, undefined);
      deepEqual(marksOf(east, "blog/site-west"), marks);
    });

  it("removes no member that the other stack has marked, the local one included", async () => {
    const { east, next, adopting } = await moving();
    const before = [membersOf(east), marksOf(east, "shop/api-federated")];
    adopting({ federatedServiceSelector: { matchLabels: { none: "such" } } });
    await next.up();
    deepEqual([membersOf(east), marksOf(east, "shop/api-federated")], before);
  });

  it("ends if it names the stack itself, by its present or a former name", async () => {
    const { east, former } = await moving();
    const link = { source: "east", target: "west" };
    former.link({ ...link, adoptFrom: [former.stack] }, { source: "east", target: "north" });
    for (const name of [former.stack, "acme/mesh/renamed"]) {
      former.stack = name;
      await former.up();
      equal((await former.up()).failure, undefined);
      east.journal.length = 0;
      const { steps } = await former.preview();
      deepEqual([steps.map(({ changes }) => changes), writesTo(east)], [[false], []]);
      deepEqual(marksOf(east, "blog/site-west"), [managerOf(name)]);
    }
  });
});

describe("two stacks that both have a link of which one adopts from the other", () => {
  it("come to rest, and each keeps its failover", async () => {
    const { east, former, next } = await moving();
    const route = "shop/web-failover-80";
    notEqual(east.get("httproutes", route), undefined);
    for (let round = 0; round < 3; round++) {
      east.journal.length = 0;
      for (const stack of [next, former]) equal((await stack.up()).failure, undefined);
      notEqual(east.get("httproutes", route), undefined);
    }
    deepEqual(east.journal, []);
    deepEqual(membersOf(east)[0], "api@west,api@north");
  });
});
