import { deepEqual, equal, match, ok } from "node:assert/strict";
import { bounds } from "../../../../engine/kubernetes/objects/bounds.ts";
import {
  keyOf,
  type Service,
  type ServicePort,
} from "../../../../engine/kubernetes/objects/objects.ts";
import { compareAll } from "../../../../engine/mirroring/decide/compare.ts";
import { isWanted } from "../../../../engine/model/decision.ts";
import { membership } from "../../../../engine/mirroring/decide/mirrors/members.ts";
import { bytesOfMirrors } from "../../../../engine/mirroring/decide/policies/mirror-sizes.ts";
import { withinLimits } from "../../../../engine/mirroring/decide/policies/most-mirrors.ts";
import { liveMirrors } from "../../../../engine/model/live-mirrors.ts";
import { mirrorKey } from "../../../../engine/model/mirror.ts";
import { anyMirror } from "../../../../engine/model/owner.ts";
import { reasons } from "../../../../engine/model/reasons.ts";
import type { ClusterSnapshot } from "../../../../engine/model/snapshot.ts";
import { label } from "../../../../engine/model/vocabulary.ts";
import { fed, undrained } from "../../fixtures/federation.ts";
import {
  cluster,
  endpoints,
  exported,
  headless,
  member,
  namespace,
  pods,
  service,
} from "../../fixtures/objects.ts";
import { link, type LinkScenario, wanted, west } from "../../fixtures/link.ts";
import { partOf, planned, reconciled } from "../../fixtures/reconcile.ts";

const labels = { [label.mirrored]: "true", [label.cluster]: "west" };
const target = west(["d", "c", "b", "a"].map((name) => exported(`shop/${name}`)));
const ports = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ name: `port-${n}`, port: n + 60_000 }));
const east = (...services: Service[]) => cluster("east", { namespaces: ["shop"], services });
const live = (name: string, ports?: readonly ServicePort[]) =>
  service(`shop/${name}`, { labels }, ports && { ports });
const times = <T>(count: number, make: (n: number) => T) =>
  Array.from({ length: count }, (_, n) => make(n));
const letters = "a b c d e f g h i j k l m n o p q r s t u v w x y z".split(" ");
const long = (letter: string) => letter.repeat(55);
/** With long names and 100 ports, the variables of 18 of these fit into the environment of pods. */
const ofPorts = (spec = {}) =>
  west(
    letters.map((name) => exported(`shop/${long(name)}`, {}, { ports: ports(100), ...spec })),
    letters.map((name) => endpoints(`shop/${long(name)}`, [pods([`${long(name)}-0`])])),
  );

/** Nearly as many bytes of labels and annotations as a mirror may have; in memory, six times as many. */
const large = {
  labels: Object.fromEntries(
    times(120, (n) => [`${"x".repeat(200)}.${n}/${"x".repeat(60)}`, "x".repeat(60)]),
  ),
  annotations: { note: "x".repeat(20_000) },
};

describe("the mirrors within the limits of a link", () => {
  type Row = [which: string, maxMirrors: number, scenario: LinkScenario, mirrors: string[]];
  const rows: Row[] = [
    ["are the first by name", 2, { target }, ["a", "b"]],
    [
      "are existing ones, then new ones",
      3,
      { target, source: east(live("c-west"), live("d-west")) },
      ["a", "c", "d"],
    ],
    [
      "include all existing ones",
      1,
      { target, source: east(live("c-west"), live("d-west")) },
      ["c", "d"],
    ],
    [
      "include existing ones that stay although their Service can't be mirrored",
      2,
      {
        target: west([exported("shop/a"), exported("shop/c", {}, { ports: ports(101) })]),
        source: east(live("c-west"), live("d-west")),
      },
      ["a"],
    ],
    [
      "are those whose variables fit into the environment of pods",
      400,
      { target: ofPorts() },
      letters.slice(0, 18),
    ],
    [
      "leave room for all other Services of the namespace that add variables",
      400,
      {
        target: ofPorts(),
        source: east(
          ...times(3, (n) => service(`shop/${long("a")}${n}`, {}, { ports: ports(100) })),
          ...times(9, (n) =>
            service(`shop/${long("b")}${n}`, {}, { ports: ports(100), clusterIP: "None" }),
          ),
          ...times(9, (n) =>
            service(`shop/${long("c")}${n}`, {}, { ports: ports(100), type: "ExternalName" }),
          ),
        ),
      },
      letters.slice(0, 15),
    ],
    [
      "include existing ones whose variables fit",
      400,
      { target: ofPorts(), source: east(live(`${long("z")}-west`, ports(100))) },
      [...letters.slice(0, 17), "z"],
    ],
    [
      "exclude existing ones that would need too many variables",
      400,
      { target: ofPorts(), source: east(live(`${long("z")}-west`, [{ port: 80 }])) },
      letters.slice(0, 18),
    ],
    [
      "include headless mirrors, which need no variables",
      400,
      { target: ofPorts({ clusterIP: "None" }) },
      [...letters, ...letters.slice(0, 18).map((name) => `${name}-0`)].sort(),
    ],
    [
      "are judged by namespace",
      400,
      { target: west(letters.map((name) => exported(`${name}/web`, {}, { ports: ports(100) }))) },
      letters.map(() => "web"),
    ],
  ];
  for (const [which, maxMirrors, scenario, mirrors] of rows)
    it(which, () => {
      const found = planned({ ...scenario, link: { maxMirrors } });
      const shortened = found.wanted.map(({ name }) => name.replace(/^(.)\1{9,}|-west$/g, "$1"));
      deepEqual(shortened.sort(), mirrors);
    });

  it("need no more namespaces than a run may have created for the link, whatever became of their mirrors", () => {
    const { most } = bounds.namespaces;
    const names = times(most + 3, (n) => `new-${1_000 + n}`);
    const scenario = {
      target: west(names.map((name) => exported(`${name}/web`))),
      link: { createNamespaces: true },
    };
    const created = (count: number, by: string) =>
      times(count, (n) =>
        namespace(`old-${by}-${n}`, { labels: { ...labels, [label.cluster]: by } }),
      );
    for (const [before, left] of [
      [[], most],
      [created(most - 2, "west"), 2],
      [created(most + 2, "west"), 0],
      [created(most, "north"), most],
    ] as const) {
      const source = cluster("east", { namespaces: [...before] });
      const { namespaces, skips } = planned({ ...scenario, source });
      deepEqual(namespaces, names.slice(0, left));
      deepEqual([...new Set(skips.map(({ reason }) => reason))], ["TooManyMirrors"]);
      match(skips[0]?.sentence ?? "", /createNamespaces creates at most 500 for link east → west/);
      deepEqual(skips[0]?.fix, { cluster: "east", kubectl: `create namespace ${names[left]}` });
    }
    const source = cluster("east", { namespaces: names });
    equal(planned({ ...scenario, source }).wanted.length, names.length);
  });

  it("leave out Services with one sentence for all of them", () => {
    const { skips } = planned({ target, link: { maxMirrors: 2 } });
    deepEqual(
      skips.map(({ mirror, reason, fix }) => [mirror, reason, fix]),
      ["c-west", "d-west"].map((mirror) => [mirror, "TooManyMirrors", "maxMirrors: 4"]),
    );
    deepEqual(
      [...new Set(skips.map(({ sentence }) => sentence))],
      [
        "west exports what would be 4 mirrors on east, and maxMirrors of link east → west allows 2: check that all of it should be exported, then raise maxMirrors on the link",
      ],
    );
    match(
      planned({ target: ofPorts() }).skips[0]?.sentence ?? "",
      /^the Services in namespace shop on east would add more than 1,048,576 bytes to the environment/,
    );
  });

  it("are a StatefulSet of 1,000 pods, and 1,900 Services in a namespace", () => {
    const name = "db".padEnd(35, "x");
    const replicas = times(1_000, (n) => `${name}-${n}`);
    const database = west(
      [headless(`shop/${name}`, {}, [{ name: "https", port: 65_535 }])],
      [endpoints(`shop/${name}`, [pods(replicas)])],
    );
    equal(planned({ target: database }).wanted.length, 1_001);
    const exports = times(1_900, (n) =>
      exported(
        `shop/service-of-a-team-${n + 1_000}`,
        {},
        { ports: [{ name: "http", port: 8080 }] },
      ),
    );
    const source = east(service("default/kubernetes", {}, { clusterIP: "10.96.0.1" }));
    const { wanted, skips } = planned({ target: west(exports), source });
    deepEqual([wanted.length, skips], [1_900, []]);
  });

  it("keep their places if more Services come, in any order, or the rest has no room", async () => {
    const scenario = { target: ofPorts(), source: east() };
    const before = planned(scenario).wanted.map(({ name }) => name);
    const more = letters.map((name) => exported(`shop/0${long(name)}`, {}, { ports: ports(100) }));
    const services = [...more, ...ofPorts().services.values()].reverse();
    const source = await reconciled(scenario);
    const local = service("shop/local", {}, { ports: ports(100) });
    const crowded = { ...source, services: new Map([...source.services, [keyOf(local), local]]) };
    for (const then of [source, crowded]) {
      const { changes, wanted } = planned({ target: west(services), source: then });
      deepEqual([changes, wanted.map(({ name }) => name)], [[], before]);
    }
  });

  it("count no fewer bytes than what they become", async () => {
    const names = times(200, (n) => `db-${n}`);
    const target = west([headless("shop/db")], [endpoints("shop/db", [pods(names)])]);
    const source = await reconciled({ target });
    const size = bytesOfMirrors();
    for (const mirror of wanted({ target }).mirrors) {
      const of = liveMirrors(source, anyMirror).get(mirrorKey(mirror)) ?? {};
      ok(size.wanted(mirror) >= size.live(of), mirror.name);
    }
  });

  it("are as many as a source can read", () => {
    const target = west(times(250, (n) => exported(`shop/a${n}`, large)));
    const { wanted, skips } = planned({ target });
    equal(wanted.length, 242);
    match(
      skips[0]?.sentence ?? "",
      /^west exports what would be mirrors of more than 83,886,080 bytes on east: export fewer/,
    );
  });
});

describe("targets that share the limits of a source", () => {
  /** Returns how many mirrors each target may have. */
  const shared = (targets: Readonly<Record<string, Service[]>>, source = east()) => {
    const links = Object.keys(targets).map((name) => link({ target: name }));
    const parts = links.map((spec) => {
      const target = cluster(spec.target, { services: targets[spec.target] ?? [] });
      return { part: spec.target, ...wanted({ target, link: spec, source }) };
    });
    const all = Object.keys(targets);
    const decisions = withinLimits(parts, links, source, (some) =>
      compareAll(some, source, all, () => false),
    );
    return all.map((name) => partOf(decisions.filter(isWanted), name, source).wanted.length);
  };
  const many = (count: number, most: number) =>
    times(count, (n) => exported(`shop/${long("a")}${n}`, {}, { ports: ports(most) }));

  it("get equal shares, unless one needs less", () => {
    deepEqual(shared({ west: many(25, 100), north: many(25, 100) }), [9, 9]);
    deepEqual(shared({ west: many(25, 100), north: many(10, 1) }), [18, 10]);
  });

  it("get less if others have mirrors", () => {
    const labels = { [label.mirrored]: "true", [label.cluster]: "unreachable" };
    const theirs = letters
      .slice(0, 16)
      .map((name) => service(`shop/${long(name)}-away`, { labels }, { ports: ports(100) }));
    deepEqual(shared({ west: many(25, 100), north: many(25, 100) }, east(...theirs)), [1, 1]);
  });

  it("are planned in a few rounds, even if each refused name frees another one", () => {
    // Pod h1 of h0 has the name of Service h1, pod h2 of h1 that of h2, and so on.
    const chained = cluster("west", {
      services: times(100, (n) => headless(`shop/h${n}`)),
      endpoints: times(100, (n) => endpoints(`shop/h${n}`, [pods([`h${n + 1}`])])),
    });
    const honest = cluster("north", { services: [exported("shop/a"), exported("shop/b")] });
    const source = east(live("h50-west"), live("kept-west"));
    const after = (target: ClusterSnapshot) => {
      const targets = [target, honest];
      const links = targets.map((each) => link({ target: each.cluster, maxMirrors: 2 }));
      const parts = links.map((spec, nth) => {
        const target = targets[nth] ?? honest;
        return { part: spec.target, ...wanted({ target, link: spec, source }) };
      });
      let rounds = 0;
      const decisions = withinLimits(parts, links, source, (some) => {
        rounds += 1;
        return compareAll(some, source, ["west", "north"], () => false);
      });
      return {
        rounds,
        west: partOf(decisions, "west", source),
        north: partOf(decisions, "north", source),
      };
    };
    const found = after(chained);
    ok(found.rounds <= 12, `${found.rounds} rounds`);
    deepEqual(found.west.changes, []);
    ok(found.west.skips.every(({ reason }) => reasons[reason].keeps));
    deepEqual(found.north, after(west()).north);
  });

  it("keep their mirrors, and those with least get new ones first", () => {
    const source = east(...times(3, (n) => live(`${long("a")}${n}-west`, ports(100))));
    deepEqual(shared({ west: many(25, 100), north: many(25, 50) }, source), [9, 18]);
  });
});

describe("the limit of a link's members in federated Services", () => {
  const memberOf = (services: Service[], maxMirrors: number, ...there: Service[]) => {
    const links = [{ link: link({ maxMirrors }), target: west(services) }];
    return membership({
      ...undrained,
      source: east(...there),
      links,
      removed: [],
      stacks: [],
      controllers: { value: [] },
    });
  };
  const all = [member("shop/c"), member("shop/b"), member("shop/a")];

  it("admits listed members, then the first by name", () => {
    const { members, skips } = memberOf(all, 2, fed("shop/c", { remote: "c@west" }));
    deepEqual([...members.keys()].sort(), ["shop/a", "shop/c"]);
    deepEqual(
      skips.map(({ origin, reason }) => [origin, reason]),
      [["shop/b", "TooManyMirrors"]],
    );
    match(skips[0]?.sentence ?? "", /would be 3 members of federated Services on east/);
  });

  it("excludes members of another link's target", () => {
    const { members } = memberOf(all, 1, fed("shop/c", { remote: "c@north" }));
    deepEqual([...members.keys()], ["shop/a"]);
  });

  it("is what a source can read", () => {
    const services = times(500, (n) => member(`shop/a${n}`, large));
    const { members, skips } = memberOf(services, bounds.mirrors.most);
    equal(members.size, 457);
    match(skips[0]?.sentence ?? "", /would be members of federated Services of more than 83,886/);
  });
});
