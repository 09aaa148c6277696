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

describe("stack config: the sources of a stack", () => {
  it("are all clusters by default", () => {
    deepEqual([...configOf({}).sources], ["west", "east"]);
  });

  it("decide which links the stack has and which clusters it reads and checks", () => {
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

  it("get a gateway for links of other stacks too", () => {
    const config = ofEast({ sources: ["north"] });
    equal(roleOf("north", config).gateway, "linkerd-gateway");
    equal(roleOf("east", config).gateway, undefined);
  });

  it("decide where the stack ends a revoked cluster's access", () => {
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

# an unknown and a repeated cluster
{ sources: [west, wset, west], trust: { external: true } }
! sources[1] is "wset"; it must be one of the configured clusters, "west", "east".
! sources[2] is "west" again, after sources[0]; each cluster must be listed once.

sources: west
! sources is "west"; it must be a list of clusters.

# generated trust although other stacks have clusters
sources: [west]
! trust leaves it to this stack to generate a trust anchor; it must say where this stack's clusters get the trust that they share with clusters of other stacks (east): as stack, as anchors and issuers, or as external: true.

# generated trust is fine if the stack has all clusters
sources: [west, east]

# generated trust is fine if the stack installs nothing
{ sources: [west], manage: links }
`);
});

describe("stack config: a trust stack", () => {
  it("is named by others with its full name", () => {
    const stack = "organization/mesh/trust";
    deepEqual(configOf({ trust: { stack } }).trust, { kind: "stack", stack });
  });

  it("has all clusters and checks no links", () => {
    const config = configOf({ manage: "trust", topology: "mesh" });
    deepEqual([...config.sources], ["west", "east"]);
    const { manage, links: checked } = healthMesh(config);
    deepEqual([manage, checked], ["all", []]);
  });

  testSentences(`
# a short name of the trust stack
trust: { stack: trust }
! trust.stack is a string of 5 characters; it must be the full name of a stack, organization/project/stack, with the word organization where Pulumi keeps state in a file or bucket.

# settings for generated trust next to trust.stack
trust: { stack: organization/mesh/trust, generation: 2 }
! trust.generation is set; it must be left out, as trust.stack is set.

# sources and trust of another stack in a trust stack
{ manage: trust, sources: [west], trust: { stack: organization/mesh/trust } }
! sources is set; it must be left out where manage is "trust", which is for all clusters.
! trust.stack is set; it must be left out where manage is "trust": this stack generates the trust, and the stacks of the clusters take it from here.
`);
});
