import { deepEqual, match } from "node:assert/strict";
import type { Service } from "../../../../engine/kubernetes/objects/objects.ts";
import { WantedHere } from "../../../../engine/mirroring/reconcile/wanted-here.ts";
import { withAnnotations } from "../../fixtures/edited.ts";
import { member } from "../../fixtures/federation.ts";
import { confirmedBy, markersOf } from "../../fixtures/marks.ts";
import { MemoryCluster } from "../../fixtures/memory-cluster.ts";
import { cluster, endpoints, headless, pods, service } from "../../fixtures/objects.ts";
import {
  type Change,
  destruction,
  expectFacts,
  fresh,
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
  type LivingClusters,
} from "../../fixtures/world.ts";

const list = "multicluster.linkerd.io/remote-discovery";
const key = "shop/bb-federated";
const bb = { west: west(member("shop/bb")) };
const withBb = { west: west(web, member("shop/bb")) };
const nothing = { failures: [], notes: [], left: [] };
const noDeployments: Change["refuse"] = (request) =>
  request === "list deployments" ? "forbidden" : undefined;
const unknown = { failures: /^Error: cluster east refuses to list deployments/, writes: [] };
const theirs = (live: Service) => confirmedBy("other/prod", live);

const rows: [rule: string, change: Change, expected: Readonly<Record<string, unknown>>][] = [
  ["takes all that its links have brought", { first: withBb }, nothing],
  [
    "takes what links have brought that had left the config before",
    { before: ({ links }) => ({ links: [], removedLinks: links }) },
    nothing,
  ],
  [
    "names what fails once, and takes the rest",
    { refuse: (request) => (request === "delete services shop/web-west" ? "invalid" : undefined) },
    {
      failures: /^cluster east rejects .* Service shop\/web-west[^;]*; [^;]*$/,
      left: ["shop/web-west"],
    },
  ],
  [
    "leaves what a controller of Linkerd's mirrors now",
    { more: { deployments: [controller("west", 1)] } },
    {
      ...{ failures: [], left: ["shop/web-west"] },
      notes: [
        "east <- west: its mirrors stay, because Deployment east/linkerd-multicluster/controller-west mirrors it now",
      ],
    },
  ],
  ["leaves everything where that is not known", { refuse: noDeployments }, unknown],
  [
    "leaves everything, too, where federated Services alone have members of its links",
    { first: bb, of: argsFor(["west"]), refuse: noDeployments },
    unknown,
  ],
  [
    "asks for no controllers of links that have nothing left",
    {
      clusters: { east: new MemoryCluster(cluster("east", { namespaces: ["shop"] })) },
      refuse: noDeployments,
    },
    nothing,
  ],
  [
    "leaves what another stack keeps",
    { edit: theirs },
    {
      ...{ failures: [], left: ["shop/web-west"] },
      notes: ["east <- west: 1 mirror stays, because stack other/prod keeps them (shop/web-west)"],
    },
  ],
  [
    "leaves a federated Service that another stack keeps",
    { first: bb, edit: theirs, key },
    { left: [key], failures: [] },
  ],
];

describe("the deletion of a source's mirrors", () => {
  for (const [rule, change, expected] of rows)
    it(rule, async () => {
      expectFacts(await destruction(change), expected);
    });

  it("reads the source alone, and leaves all else there", async () => {
    const { clusters, before } = await settled();
    clusters.east.put("services", service("shop/own"));
    deepEqual(await destroy({ east: clusters.east }, before), []);
    deepEqual([...clusters.east.all("services").keys()], ["default/kubernetes", "shop/own"]);
    deepEqual([...clusters.east.all("endpoints").keys()], []);
  });

  it("takes headless mirrors before their pods' mirrors, to which they lead", async () => {
    const target = exporting("west", [headless("shop/db")], {
      endpoints: [endpoints("shop/db", [pods(["db-0"])])],
    });
    const { writes } = await destruction({
      first: { west: new MemoryCluster(target) },
      of: argsFor([{ target: "west", headless: true }]),
    });
    deepEqual(
      writes.filter((write) => write.startsWith("delete services")),
      ["delete services shop/db-west", "delete services shop/db-0-west"],
    );
  });

  for (const [where, there, why] of [
    [
      "the context leads to another cluster",
      new MemoryCluster({ ...cluster("east"), identity: "another" }),
      /^Error: context east of cluster east leads to another cluster than before/,
    ],
    [
      "the source is gone",
      unreachable("east"),
      /^Error: cluster east can't be reached .*; if it is gone for good, run pulumi up with linkerd-multicluster:clusters\.east\.revoked set to true$/,
    ],
    ["the source has no context", undefined, /there is no context east/],
  ] as const)
    it(`is an error with nothing done where ${where}`, async () => {
      const { before } = await settled();
      const clusters: LivingClusters = { east: there };
      match(await destroy(clusters, before).then(String, String), why);
      deepEqual(there?.writes ?? [], []);
    });

  it("takes this stack's mark off what stays", async () => {
    const { clusters } = await destruction({ edit: theirs });
    const { services } = await clusters.east.snapshot();
    deepEqual(markersOf(services.get("shop/web-west")), ["linkerd-multicluster/other/prod"]);
  });

  it("leaves the members of clusters that are not its own", async () => {
    const edit = withAnnotations({ [list]: "bb@west,bb@south" });
    const { clusters, left } = await destruction({ first: bb, edit, key });
    deepEqual(left, [key]);
    deepEqual(clusters.east.get("services", key)?.metadata.annotations?.[list], "bb@south");
  });

  it("waits while another source of the run can't be read, which may be the same cluster", async () => {
    const wanted = new WantedHere();
    wanted.addUnread(undefined);
    expectFacts(await destruction({}, wanted), {
      failures: /may be the same cluster under another name/,
      writes: [],
    });
    const elsewhere = new WantedHere();
    elsewhere.addUnread("the identity of another cluster");
    expectFacts(await destruction({}, elsewhere), nothing);
  });

  it("leaves what this very run wants under another name of the resource", async () => {
    const wanted = new WantedHere();
    wanted.add(await lookedAt(fresh(withBb), argsFor(["west"])));
    expectFacts(await destruction({ first: withBb }, wanted), {
      failures: [],
      left: [key, "shop/web-west"],
      notes: [
        "east <- west: 1 mirror left, because this run has the same cluster under another name",
      ],
    });
  });
});
