import assert from "node:assert/strict";
import type { Service } from "../../../../engine/kubernetes/objects/objects.ts";
import { fed, federated, listed, member, type Federation } from "../../fixtures/federation.ts";
import { cluster, service } from "../../fixtures/objects.ts";

const bb = member("demo/bb");
const [east, north, south] = ["east", "north", "south"].map((name) =>
  cluster(name, { services: [bb] }),
);
const none = (name: string) => cluster(name);
const withList = (remote: string, local?: string) =>
  cluster("west", {
    services: [fed("demo/bb", { remote, ...(local !== undefined && { local }) })],
  });

interface Row {
  readonly rule: string;
  readonly before?: string;
  readonly federation: Federation;
  readonly after: string | undefined;
}

const rows: Row[] = [
  {
    rule: "new members follow in the order of the links",
    federation: { targets: { north, east } },
    after: "bb@north,bb@east",
  },
  {
    rule: "members keep the places they have",
    before: "bb@north,bb@east",
    federation: { targets: { east, north, south } },
    after: "bb@north,bb@east,bb@south",
  },
  {
    rule: "a member that loses its label leaves",
    before: "bb@east,bb@north",
    federation: { targets: { east, north: none("north") } },
    after: "bb@east",
  },
  {
    rule: "members that this stack does not manage stay, wherever they stand",
    before: "bb@other,bb@east,bb@another",
    federation: { targets: { east: none("east"), north } },
    after: "bb@other,bb@another,bb@north",
  },
  {
    rule: "they keep a federated Service alive on their own",
    before: "bb@other,bb@east",
    federation: { targets: { east: none("east") } },
    after: "bb@other",
  },
  {
    rule: "members of a cluster out of reach stay",
    before: "bb@east,bb@north",
    federation: { targets: { east: undefined, north: none("north") } },
    after: "bb@east",
  },
  {
    rule: "they keep a federated Service alive too",
    before: "bb@east",
    federation: { targets: { east: undefined } },
    after: "bb@east",
  },
  {
    rule: "a cluster out of reach that is not listed does not join",
    before: "bb@north",
    federation: { targets: { east: undefined, north } },
    after: "bb@north",
  },
  {
    rule: "members of a cluster whose link is gone leave",
    before: "bb@east,bb@north",
    federation: { targets: { east }, retired: ["north"] },
    after: "bb@east",
  },
  {
    rule: "with all links gone all members leave",
    before: "bb@east,bb@north",
    federation: { targets: {}, retired: ["east", "north"] },
    after: undefined,
  },
  {
    rule: "of all links gone, members of others stay",
    before: "bb@other,bb@east",
    federation: { targets: {}, retired: ["east"] },
    after: "bb@other",
  },
  {
    rule: "what Linkerd's readers cannot read is put right: blanks, empty tokens, repetitions",
    before: " bb@east,,bb@north ,bb@east",
    federation: { targets: { east, north } },
    after: "bb@east,bb@north",
  },
  {
    rule: "a member of one of our clusters under another name is none",
    before: "bc@east,bb@east",
    federation: { targets: { east } },
    after: "bb@east",
  },
  {
    rule: "a cluster's name may be the beginning of another's",
    before: "bb@east,bb@east-2",
    federation: { targets: { east: none("east") } },
    after: "bb@east-2",
  },
];

describe("the list of remote members", () => {
  for (const { rule, before, federation, after } of rows)
    it(rule, () => {
      const source = before === undefined ? undefined : withList(before);
      const result = federated({ ...federation, ...(source !== undefined && { source }) });
      assert.equal(listed("demo/bb", result), after);
    });

  const locally: [what: string, live: string | undefined, local: Service[], after: string][] = [
    ["begins with a local member alone", undefined, [bb], "local bb"],
    ["is joined by the local member", "bb@other", [bb], "bb@other local bb"],
    ["is left by the local member", "bb@other", [service("demo/bb")], "bb@other"],
    ["is never empty, as Linkerd leaves it behind (4.5)", "", [bb], "local bb"],
  ];
  for (const [what, live, local, after] of locally)
    it(what, () => {
      const before = live === undefined ? [] : withList(live, "bb").services.values();
      const source = cluster("west", { namespaces: ["demo"], services: [...before, ...local] });
      assert.equal(
        listed("demo/bb", federated({ source, targets: { east: none("east") } })),
        after,
      );
    });

  it("takes its Service along where an empty one is all that Linkerd has left of it", () => {
    const { services } = federated({ source: withList(""), targets: { east: none("east") } });
    assert.equal(services.size, 0);
  });

  it("does without that of a target's own federated Service (a leak of Linkerd, 4.6)", () => {
    const annotations = { "multicluster.linkerd.io/remote-discovery": "bb@elsewhere" };
    const leaky = cluster("east", { services: [member("demo/bb", { annotations })] });
    assert.equal(listed("demo/bb", federated({ targets: { east: leaky } })), "bb@east");
  });

  it("loses the local member with the last link, and keeps members of others", () => {
    const source = withList("bb@other,bb@east", "bb");
    const services = new Map([...source.services, ["demo/bb", bb] as const]);
    const result = federated({ source: { ...source, services }, targets: {}, retired: ["east"] });
    assert.equal(listed("demo/bb", result), "bb@other");
  });
});
