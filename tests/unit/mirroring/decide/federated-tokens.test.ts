import { deepEqual, equal } from "node:assert/strict";
import type { Service } from "../../../../engine/kubernetes/objects/objects.ts";
import {
  fed,
  federated,
  type Federation,
  federationOf,
  listed,
} from "../../fixtures/federation.ts";
import { cluster, member, service } from "../../fixtures/objects.ts";
import { localMember, managerOf } from "../../../../engine/model/marks.ts";
import { confirmed, stack } from "../../fixtures/marks.ts";

const bb = member("demo/bb");
const [east, north, south] = ["east", "north", "south"].map((name) =>
  cluster(name, { services: [bb] }),
);
const none = cluster("none");
const west = (...services: Service[]) => cluster("west", { namespaces: ["demo"], services });
const annotations = { "multicluster.linkerd.io/remote-discovery": "bb@elsewhere" };
const leaky = cluster("east", { services: [member("demo/bb", { annotations })] });

/** `before`: the list of remote members, or the whole source. */
type Row = [
  rule: string,
  before: string | ReturnType<typeof cluster>,
  targets: Federation["targets"],
  after: string | undefined,
  retired?: string[],
];

const stays = (lists: Parameters<typeof fed>[1], ...members: string[]) =>
  members.reduce((one, name) => confirmed(managerOf(stack, name), one), fed("demo/bb", lists));

const rows: Row[] = [
  ["new members follow in the order of the links", west(), { north, east }, "bb@north,bb@east"],
  [
    "members keep the places they have",
    "bb@north,bb@east",
    { east, north, south },
    "bb@north,bb@east,bb@south",
  ],
  [
    "members that this stack does not manage stay, wherever they stand",
    "bb@other,bb@east,bb@another",
    { east: none, north },
    "bb@other,bb@another,bb@north",
  ],
  [
    "members of a cluster out of reach stay",
    "bb@east,bb@north",
    { east: undefined, north: none },
    "bb@east",
  ],
  [
    "a cluster out of reach that is not listed does not join",
    "bb@north",
    { east: undefined, north },
    "bb@north",
  ],
  [
    "members of a cluster whose link is gone leave",
    west(stays({ remote: "bb@east,bb@north" }, "east", "north")),
    { east },
    "bb@east",
    ["north"],
  ],
  [
    "members of a cluster whose link is gone stay without this stack's mark",
    west(stays({ remote: "bb@east,bb@north" }, "east")),
    { east },
    "bb@east,bb@north",
    ["north"],
  ],
  [
    "members of a cluster that this stack never had a link to stay, whoever has marked them",
    west(stays({ remote: "bb@old,bb@north" }, "old", "north")),
    {},
    "bb@old",
    ["north"],
  ],
  [
    "with all links gone all members leave",
    west(stays({ remote: "bb@east,bb@north" }, "east", "north")),
    {},
    undefined,
    ["east", "north"],
  ],
  [
    "the local member leaves with the last link, and members of others stay",
    west(stays({ remote: "bb@other,bb@east", local: "bb" }, "east", localMember), bb),
    {},
    "bb@other",
    ["east"],
  ],
  [
    "what Linkerd's readers cannot read is put right: blanks, empty tokens, repetitions",
    " bb@east,,bb@north ,bb@east",
    { east, north },
    "bb@east,bb@north",
  ],
  [
    "a member of one of our clusters under another name is none",
    "bc@east,bb@east",
    { east },
    "bb@east",
  ],
  [
    "a cluster's name may be the beginning of another's",
    "bb@east,bb@east-2",
    { east: none },
    "bb@east-2",
  ],
  [
    "a local member leaves with its label",
    west(fed("demo/bb", { remote: "bb@other", local: "bb" }), service("demo/bb")),
    { east: none },
    "bb@other",
  ],
  [
    "a list is never empty, as Linkerd leaves it behind (4.5)",
    west(fed("demo/bb", { remote: "", local: "bb" }), bb),
    { east: none },
    "local bb",
  ],
  [
    "a target's own federated Service is not copied (a leak of Linkerd, 4.6)",
    west(),
    { east: leaky },
    "bb@east",
  ],
];

describe("an unmarked member that this stack doesn't want", () => {
  const excluding = { excludedNamespaces: ["demo"] };
  const ofLinkerd = (target: string | undefined) => ({
    value: [{ namespace: "l5d", name: "c", target, replicas: 0, ready: 0 }],
  });
  const remote = { source: west(fed("demo/bb", { remote: "bb@other,bb@east" })) };
  const local = {
    source: west(fed("demo/bb", { remote: "bb@other", local: "bb" }), service("demo/bb")),
  };
  const stayed = ["bb@other,bb@east", "bb@other local bb"];
  const left = ["bb@other", "bb@other"];
  const rows: [when: string, rest: Partial<Federation>, after: string[]][] = [
    ["leaves", {}, left],
    [
      "stays while Linkerd's controllers are installed, even scaled to zero",
      { controllers: { value: [...ofLinkerd("east").value, ...ofLinkerd(undefined).value] } },
      stayed,
    ],
    [
      "leaves while only other controllers are installed",
      { controllers: ofLinkerd("north") },
      left,
    ],
    [
      "stays while nobody knows the controllers",
      { controllers: { why: "forbidden", cause: "refused" } },
      stayed,
    ],
    [
      "stays in a namespace that every link leaves out",
      { links: { east: excluding, north: excluding } },
      stayed,
    ],
    [
      "leaves if its link, or any for the local one, covers it",
      { links: { north: excluding } },
      left,
    ],
  ];
  for (const [when, rest, after] of rows)
    it(when, () => {
      const targets = { east: none, north: none };
      const found = [remote, local].map((each) => federated({ targets, ...each, ...rest }));
      deepEqual(
        found.map((source) => listed("demo/bb", source)),
        after,
      );
    });

  it("isn't claimed if only other stacks, or nobody, have marked it", () => {
    const source = west(fed("demo/bb", { remote: "bb@other" }));
    const { claims, mirrors } = federationOf({ source, targets: { north: none } });
    deepEqual([claims.size, mirrors], [0, []]);
  });
});

describe("the list of remote members", () => {
  for (const [rule, before, targets, after, retired = []] of rows)
    it(rule, () => {
      const source = typeof before === "string" ? west(fed("demo/bb", { remote: before })) : before;
      equal(listed("demo/bb", federated({ source, targets, retired })), after);
    });
});
