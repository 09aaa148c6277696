import { deepEqual, equal, match } from "node:assert/strict";
import {
  type InstalledArgs,
  installedParts,
  judgeRemoval,
  type Memory,
  refusedRemoval,
  remembered,
  rememberInstalled,
} from "../../../engine/credentials/installed.ts";

const namespaces = { linkerdNamespace: "linkerd", multiclusterNamespace: "linkerd-multicluster" };
const both = ["west", "east"];
const links = [
  { source: "east", target: "west" },
  { source: "west", target: "east" },
];
const withLinkerd = (names: readonly string[]) => new Map(names.map((name) => [name, true]));
const all = installedParts({ ...namespaces, linkerd: withLinkerd(both), links });
const onlyLinks = installedParts({ ...namespaces, linkerd: new Map(), links });
const everything: Memory = { installed: all, kept: {}, keys: [1] };

const args = (change: Partial<InstalledArgs> = {}): InstalledArgs => ({
  wanted: all,
  keys: [1],
  areKeysExported: false,
  leaving: {},
  clusters: both,
  revoked: [],
  links: ["east → west", "west → east"],
  live: both,
  ...change,
});
const toLinks = { wanted: onlyLinks, keys: [], areKeysExported: true };
const toMirrors = { ...toLinks, wanted: {}, live: [] };
const goingAfter = (change: Partial<InstalledArgs>, before: Memory = everything) =>
  Object.keys(judgeRemoval(before, args(change)).going).toSorted();

describe("what a stack has installed", () => {
  it("may not go because a word of the config changes, or a cluster is missing from it", () => {
    const east = installedParts({ ...namespaces, linkerd: withLinkerd(["east"]), links: [] });
    const without = { clusters: ["east"], live: ["east"], links: [] };
    for (const [change, expected] of [
      [{}, []],
      [toLinks, both],
      [toMirrors, both],
      [{ ...toLinks, wanted: {} }, both],
      [{ ...without, wanted: east }, both],
      // Another stack has west now, which is still a target.
      [{ wanted: { ...all, west: (onlyLinks["west"] ?? []).slice(0, 1) } }, ["west"]],
      [
        {
          wanted: installedParts({
            ...namespaces,
            linkerd: new Map([
              ["west", false],
              ["east", true],
            ]),
            links,
          }),
        },
        ["west"],
      ],
      [
        {
          wanted: installedParts({
            ...namespaces,
            linkerdNamespace: "mesh",
            linkerd: withLinkerd(both),
            links,
          }),
        },
        both,
      ],
    ] as const)
      deepEqual(goingAfter(change), [...expected].sort(), JSON.stringify(change));
    const before = { ...everything, installed: onlyLinks };
    deepEqual(goingAfter(toMirrors, before), ["east", "west"]);
  });

  it("may go with its link, or if its cluster is revoked", () => {
    const wanted = installedParts({
      ...namespaces,
      linkerd: withLinkerd(both),
      links: links.slice(1),
    });
    deepEqual(goingAfter({ wanted, links: ["west → east"] }), []);
    const east = installedParts({ ...namespaces, linkerd: withLinkerd(["east"]), links: [] });
    deepEqual(
      goingAfter({
        wanted: east,
        links: [],
        clusters: ["east"],
        live: ["east"],
        revoked: ["west"],
      }),
      [],
    );
  });

  it("may go from clusters for which the config says so, and is then forgotten", () => {
    const east = installedParts({ ...namespaces, linkerd: withLinkerd(["east"]), links: [] });
    const without = { wanted: east, clusters: ["east"], live: ["east"], links: [] };
    for (const how of ["keep", "delete"] as const) {
      const judged = judgeRemoval(everything, args({ ...without, leaving: { west: how } }));
      deepEqual([judged.going, judged.installed], [{}, east]);
      deepEqual(judged.kept, how === "keep" ? { west: all["west"] } : {});
    }
    deepEqual(goingAfter({ ...toLinks, leaving: { west: "keep" } }), ["east"]);
  });

  it("is known as kept until it is installed again", () => {
    const leaving = { west: "keep", east: "keep" } as const;
    const first = rememberInstalled({ memory: everything }, args({ ...toMirrors, leaving }));
    deepEqual(Object.keys(first.memory?.kept ?? {}).toSorted(), ["east", "west"]);
    const second = rememberInstalled(first, args({ ...toMirrors, leaving }));
    deepEqual(second.memory?.kept, first.memory?.kept);
    // A run that died may have left some of it in the state.
    deepEqual(rememberInstalled(second, args(toMirrors)).memory?.kept, first.memory?.kept);
    deepEqual(rememberInstalled(second, args()).memory?.kept, {});
  });

  it("can't be kept where the run puts something else in its place", () => {
    const wanted = installedParts({
      ...namespaces,
      linkerdNamespace: "mesh",
      linkerd: withLinkerd(both),
      links,
    });
    const judged = judgeRemoval(
      everything,
      args({ wanted, leaving: { west: "keep", east: "keep" } }),
    );
    deepEqual(judged.remedies, { west: "delete", east: "delete" });
  });

  it("stays remembered after a refusal", () => {
    const inputs = rememberInstalled({ memory: everything }, args(toMirrors));
    deepEqual(goingAfter(toMirrors, remembered(inputs, args())), ["east", "west"]);
    const leaving = { west: "keep", east: "keep" } as const;
    const change = { ...toMirrors, leaving, areKeysExported: false };
    const { memory } = rememberInstalled({ memory: everything }, args(change));
    deepEqual(memory, everything);
    const renamed = installedParts({
      ...namespaces,
      linkerdNamespace: "mesh",
      linkerd: withLinkerd(both),
      links,
    });
    deepEqual(
      rememberInstalled({ memory: everything }, args({ wanted: renamed })).memory,
      everything,
    );
  });

  it("includes keys that only the state has, but for those before the last", () => {
    const lost = (before: readonly number[], keys: readonly number[], areKeysExported = false) =>
      judgeRemoval({ ...everything, keys: before }, args({ keys, areKeysExported })).lostKeys;
    deepEqual(lost([1], []), [1]);
    deepEqual(lost([1], [], true), []);
    deepEqual(lost([1], [2, 1]), []);
    deepEqual(lost([2, 1], [3, 2]), []);
    deepEqual(lost([1], [3, 2]), [1]);
    deepEqual(lost([2, 1], [1]), [2]);
  });

  it("takes no room in the state of a stack that has installed nothing", () => {
    const nothing = { ...toMirrors, areKeysExported: false };
    deepEqual(rememberInstalled({}, args(nothing)), {});
    deepEqual(rememberInstalled({}, args({ ...nothing, leaving: { west: "keep" } })), {
      leaving: { west: "keep" },
    });
  });

  it("is known from what earlier versions remembered", () => {
    const mesh = JSON.stringify({
      manage: "all",
      ...namespaces,
      links: links.map((link) => ({ link })),
    });
    const triggers = {
      west: [1, 1, 1, "issuer"],
      east: [1, 1, 1, "issuer"],
      "east/west/credentials": [],
    };
    deepEqual(remembered({ mesh, triggers }, args()), everything);
    deepEqual(remembered({ publication: {} }, args({ keys: [] })).keys, [1]);
    deepEqual(remembered({}, args()), { installed: {}, kept: {}, keys: [] });
  });

  it("is named in the refusal, with what allows it", () => {
    const text =
      refusedRemoval(judgeRemoval(everything, args({ ...toLinks, areKeysExported: false }))) ?? "";
    match(
      text,
      /^ {2}cluster west: Linkerd with its CRDs in linkerd; the namespace and the issuer of linkerd; /m,
    );
    match(
      text,
      /^ {2}Fix: pulumi config set linkerd-multicluster:leaving '\{"west":"keep","east":"keep"\}'$/m,
    );
    match(
      text,
      /^ {2}Fix: pulumi stack export --show-secrets --file \S+ && pulumi config set linkerd-multicluster:trustKeysExported true$/m,
    );
    equal(refusedRemoval(judgeRemoval(everything, args())), undefined);
  });
});
