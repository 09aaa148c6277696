import { deepEqual, equal } from "node:assert/strict";
import { managerOf, marksOn, remarked, stackOf } from "../../../engine/model/marks.ts";
import { confirmedBy, marked, markersOf } from "../fixtures/marks.ts";
import { service } from "../fixtures/objects.ts";

const plain = service("shop/web-west", { labels: { app: "web" } });
const by = (...managers: string[]) =>
  managers.reduce((object, name) => confirmedBy(name, object), plain).metadata;
const [dev, prod] = ["acme/mesh/dev", "acme/mesh/prod"];
const both = by(dev, prod);
const long = `acme/${"x".repeat(100)}/${"y".repeat(100)}`;
const foreign = ["kubectl-edit", "linkerd-service-mirror", "linkerd-multicluster"].map(
  (manager) => marked(plain, manager).metadata,
);
const member = (stack: string, cluster: string) =>
  marked(plain, managerOf(stack, cluster)).metadata;

describe("the mark of a stack", () => {
  it("is a field manager with the names of stack and member, shortened to 128 characters", () => {
    equal(managerOf(dev), "linkerd-multicluster/acme/mesh/dev");
    equal(managerOf(dev, "west"), "linkerd-multicluster/acme/mesh/dev#west");
    equal(managerOf(long, "w".repeat(57)).length, 128);
    equal(managerOf(long) === managerOf(`${long}z`), false);
  });

  type Row = [rule: string, meta: typeof both, own: string[], isOurs: boolean, others: string[]];
  const rows: Row[] = [
    ["is distinguished from that of another stack", both, [dev], true, [prod]],
    [
      "is absent if only other stacks have marked the object",
      both,
      ["acme/mesh/x"],
      false,
      [dev, prod],
    ],
    [
      "is distinguished from that of the same stack name in another organization",
      both,
      ["corp/mesh/dev", prod],
      true,
      [dev],
    ],
    ["is recognized by former names", both, ["acme/mesh/new", dev], true, [prod]],
    ["is distinguished from that of a longer name", by(`${dev}-2`), [dev], false, [`${dev}-2`]],
    ["is recognized if it was shortened", by(long), [long], true, []],
    [
      "is recognized in any organization by a reader that doesn't know its own",
      both,
      ["*/mesh/dev"],
      true,
      [prod],
    ],
    ["is absent without managedFields", plain.metadata, [dev], false, []],
    [
      "is absent from an entry without a manager",
      { ...plain.metadata, managedFields: [{}] },
      ["a/b"],
      false,
      [],
    ],
    ...foreign.map((meta): Row => [
      "is distinguished from another program's",
      meta,
      [dev],
      false,
      [],
    ]),
  ];
  for (const [rule, meta, own, isOurs, others] of rows)
    it(rule, () => {
      deepEqual(marksOn(meta, own), { isOurs, others });
    });

  it("is on one member of a federated Service, or on all of them if an earlier version wrote it", () => {
    const found = [member(dev, "west"), member(prod, "west"), by("mesh/dev")].map((meta) =>
      ["west", "north"].map((cluster) => marksOn(meta, [dev, "mesh/dev"], cluster)),
    );
    const [none, ours] = [
      { isOurs: false, others: [] },
      { isOurs: true, others: [] },
    ];
    deepEqual(found, [
      [ours, none],
      [{ isOurs: false, others: [prod] }, none],
      [ours, ours],
    ]);
  });

  it("keeps its fields when it is renamed, and other marks stay", () => {
    const old = confirmedBy(prod, marked(plain, managerOf("mesh/dev")));
    const { managedFields = [] } = old.metadata;
    const renamed = remarked(managedFields, [dev, "mesh/dev"], [managerOf(dev)], () =>
      managerOf(dev),
    );
    deepEqual(markersOf({ metadata: { ...old.metadata, managedFields: renamed } }), [
      managerOf(dev),
      managerOf(prod),
    ]);
    deepEqual(renamed[0]?.fieldsV1, managedFields[0]?.fieldsV1);
  });

  it("contains the name of the stack", () => {
    const managers = [managerOf(dev), managerOf(dev, "west"), "linkerd-multicluster", undefined];
    deepEqual(
      managers.map((manager) => stackOf(manager)),
      [dev, dev, undefined, undefined],
    );
  });
});
