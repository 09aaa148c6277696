import { deepEqual, equal, match } from "node:assert/strict";
import { membership } from "../../../../engine/mirroring/decide/mirrors/members.ts";
import { label } from "../../../../engine/mirroring/model/vocabulary.ts";
import type { Service, ServicePort } from "../../../../engine/kubernetes/objects/objects.ts";
import { fed, member } from "../../fixtures/federation.ts";
import { link, type Situation, wanted, west } from "../../fixtures/link.ts";
import { cluster, endpoints, exported, pods, service } from "../../fixtures/objects.ts";

const labels = { [label.mirrored]: "true", [label.cluster]: "west" };
const target = west(["d", "c", "b", "a"].map((name) => exported(`shop/${name}`)));
const names = ["a", "b", "c"];
const ports = Array.from({ length: 1_000 }, (_, n) => ({ name: `p${n}`, port: n + 1 }));
const east = (...services: Service[]) => cluster("east", { namespaces: ["shop"], services });
const live = (name: string, ports?: readonly ServicePort[]) =>
  service(`shop/${name}`, { labels }, ports && { ports });
const ofPorts = (spec = {}) =>
  west(
    names.map((name) => exported(`shop/${name}`, {}, { ports, ...spec })),
    names.map((name) => endpoints(`shop/${name}`, [pods([`${name}-0`])])),
  );
const large = { annotations: { note: "x".repeat(60_000) } };
const forty = Array.from({ length: 40 }, (_, n) => `shop/a${n}` as const);

describe("as many mirrors as a link may have", () => {
  type Row = [which: string, maxMirrors: number, situation: Situation, mirrors: string[]];
  const rows: Row[] = [
    ["are the first by name", 2, { target }, ["a", "b"]],
    [
      "are those there are, and then new ones",
      3,
      { target, source: east(live("c-west"), live("d-west")) },
      ["a", "c", "d"],
    ],
    [
      "are those there are, even if more",
      1,
      { target, source: east(live("c-west"), live("d-west")) },
      ["c", "d"],
    ],
    ["are those that pods' environments have room for", 400, { target: ofPorts() }, ["a"]],
    [
      "where what is there may stay",
      400,
      { target: ofPorts(), source: east(live("c-west", ports)) },
      ["c"],
    ],
    [
      "and may not grow",
      400,
      { target: ofPorts(), source: east(live("c-west", [{ port: 80 }])) },
      ["a"],
    ],
    [
      "where headless mirrors take none, and those of pods do",
      400,
      { target: ofPorts({ clusterIP: "None" }) },
      ["a", "a-0", "b", "c"],
    ],
    [
      "in each namespace by itself",
      400,
      { target: west(names.map((name) => exported(`${name}/web`, {}, { ports }))) },
      ["web", "web", "web"],
    ],
  ];
  for (const [which, maxMirrors, situation, mirrors] of rows)
    it(which, () => {
      const found = wanted({ ...situation, link: { maxMirrors } });
      deepEqual(found.mirrors.map(({ name }) => name.slice(0, -"-west".length)).sort(), mirrors);
    });

  it("are told in one sentence for all the rest", () => {
    const { skips } = wanted({ target, link: { maxMirrors: 2 } });
    deepEqual(
      skips.map(({ mirror, reason }) => [mirror, reason]),
      ["c-west", "d-west"].map((mirror) => [mirror, "TooManyMirrors"]),
    );
    deepEqual(
      [...new Set(skips.map(({ sentence }) => sentence))],
      [
        "west exports what would be 4 mirrors on east, and maxMirrors of link east/west allows 2: see whether all of that is meant to be exported, and raise maxMirrors on the link if it is",
      ],
    );
    const { skips: crowded } = wanted({ target: ofPorts(), link: { maxMirrors: 400 } });
    match(
      crowded[0]?.sentence ?? "",
      /would be more than 262,144 characters in the environment of each pod of namespace shop on east/,
    );
  });

  it("are only as many as have room in the source's etcd: 400 of 4 KiB", () => {
    const target = west(forty.map((key) => exported(key, large)));
    const { mirrors, skips } = wanted({ target, link: { maxMirrors: 400 } });
    equal(mirrors.length, 27);
    match(skips[0]?.sentence ?? "", /would be mirrors of more than 1,638,400 characters on east/);
  });
});

describe("as many members of federated Services as a link may have", () => {
  const memberOf = (services: Service[], maxMirrors: number, ...there: Service[]) => {
    const links = [{ link: link({ maxMirrors }), target: west(services) }];
    return membership({
      source: east(...there),
      links,
      removed: [],
      stacks: [],
      controllers: { found: [] },
    });
  };
  const all = [member("shop/c"), member("shop/b"), member("shop/a")];

  it("are those that are listed, and the first by name", () => {
    const { members, skips } = memberOf(all, 2, fed("shop/c", { remote: "c@west" }));
    deepEqual([...members.keys()].sort(), ["shop/a", "shop/c"]);
    deepEqual(
      skips.map(({ origin, reason }) => [origin, reason]),
      [["shop/b", "TooManyMirrors"]],
    );
    match(skips[0]?.sentence ?? "", /would be 3 members of federated Services on east/);
  });

  it("are not those that another link's target has listed", () => {
    const { members } = memberOf(all, 1, fed("shop/c", { remote: "c@north" }));
    deepEqual([...members.keys()], ["shop/a"]);
  });
});
