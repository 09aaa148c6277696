import { deepEqual, equal } from "node:assert/strict";
import {
  healthMesh,
  ownClusters,
  ownLinks,
  revocationArgs,
  touchedClusters,
} from "../../../config/share.ts";
import { roleOf } from "../../../components/charts/values.ts";
import { configOf, type Raw, testSentences } from "./table.ts";

const four = { west: null, east: null, north: null, south: null };
const links = [
  { source: "east", target: "west" },
  { source: "north", target: "west" },
  { source: "south", target: "north" },
];
const ofEast = (more: Raw = {}) =>
  configOf({ clusters: four, links, sources: ["east"], trust: { external: true }, ...more });

describe("stack config: the clusters of one stack among many", () => {
  it("are all of them where it names none", () => {
    deepEqual([...configOf({}).sources], ["west", "east"]);
  });

  it("decide which links and clusters the stack has, reads, and checks", () => {
    const config = ofEast();
    deepEqual([...ownClusters(config).keys()], ["east"]);
    deepEqual(
      ownLinks(config).map(({ spec }) => spec.target),
      ["west"],
    );
    deepEqual([...touchedClusters(config).keys()], ["west", "east"]);
    const { clusters, links: checked } = healthMesh(config);
    deepEqual([Object.keys(clusters), checked.length], [["west", "east"], 1]);
  });

  it("have a gateway for links of other stacks too", () => {
    const config = ofEast({ sources: ["north"] });
    equal(roleOf("north", config).gateway, "linkerd-gateway");
    equal(roleOf("east", config).gateway, undefined);
  });

  it("end the access of a revoked cluster to them; its own stack does so everywhere", () => {
    const clusters = { ...four, north: { revoked: true } };
    const of = (sources: readonly string[], more: Raw) =>
      revocationArgs(ofEast({ ...more, sources }), new Map()).map(({ source, targets }) =>
        [source, ...Object.keys(targets)].join(),
      );
    deepEqual(of(["east"], { clusters }), ["north,east"]);
    deepEqual(of(["north"], { clusters }), ["north,west,east,south"]);
    const touched = touchedClusters(ofEast({ clusters, sources: ["north"] }));
    deepEqual([...touched.keys()], ["west", "east", "south"]);
    const revoked = { links: [{ source: "east", target: "west", revoked: true }] };
    deepEqual(
      ["east", "west", "north"].map((name) => of([name], revoked).length),
      [1, 1, 0],
    );
  });

  testSentences(`
sources: []
! sources is an empty list; it must name at least one cluster.

# one that there is not, and one twice
{ sources: [west, wset, west], trust: { external: true } }
! sources[1] is "wset"; it must be one of the configured clusters, "west", "east".
! sources[2] is "west" again, after sources[0]; each cluster must be listed once.

sources: west
! sources is "west"; it must be a list of clusters.

# a trust anchor of its own
sources: [west]
! trust leaves it to this stack to generate a trust anchor; it must say where the trust comes from that this stack's clusters share with those of other stacks (east): as stack, as anchors and issuers, or as external: true.

# a trust anchor of its own, where it has all clusters
sources: [west, east]

# no trust, where it installs none
{ sources: [west], manage: links }
`);
});

describe("stack config: a stack of the trust root alone, and those that follow it", () => {
  it("follow it by its full name", () => {
    const stack = "organization/mesh/trust";
    deepEqual(configOf({ trust: { stack } }).trust, { kind: "stack", stack });
  });

  it("is for all clusters, and checks no links", () => {
    const config = configOf({ manage: "trust", topology: "mesh" });
    deepEqual([...config.sources], ["west", "east"]);
    const { manage, links: checked } = healthMesh(config);
    deepEqual([manage, checked], ["all", []]);
  });

  testSentences(`
# a short name
trust: { stack: trust }
! trust.stack is a string of 5 characters; it must be the full name of a stack, organization/project/stack, with the word organization where Pulumi keeps state in a file or bucket.

# settings of trust that another stack generates
trust: { stack: organization/mesh/trust, generation: 2 }
! trust.generation is set; it must be left out, as trust.stack is set.

# trust from elsewhere, and clusters
{ manage: trust, sources: [west], trust: { stack: organization/mesh/trust } }
! sources is set; it must be left out where manage is "trust", which is for all clusters.
! trust.stack is set; it must be left out where manage is "trust": this stack generates the trust, and the stacks of the clusters take it from here.
`);
});
