import { deepEqual } from "node:assert/strict";
import { revocationArgs } from "../../../config/share.ts";
import { configOf, type Raw, testSentences } from "./table.ts";

const revoked = { revoked: true };
const link = { source: "east", target: "west" };

describe("config: what is revoked", () => {
  for (const [name, raw, clusters, gone, links] of [
    [
      "a cluster with all its links, those of the topology too",
      { clusters: { west: null, north: null, east: revoked }, topology: "mesh" },
      ["west", "north"],
      { clusters: ["east"], links: [] },
      ["west/north", "north/west"],
    ],
    [
      "a link, also one of the topology",
      { topology: "mesh", links: [{ ...link, ...revoked }] },
      ["west", "east"],
      { clusters: [], links: [link] },
      ["west/east"],
    ],
    [
      "a cluster whose successor has its context",
      { clusters: { west: { context: "same", ...revoked }, west2: { context: "same" } } },
      ["west2"],
      { clusters: ["west"], links: [] },
      [],
    ],
  ] as readonly (readonly [string, Raw, string[], Raw, string[]])[])
    it(name, () => {
      const config = configOf(raw);
      deepEqual([...config.clusters.keys()], clusters);
      const { revoked: found } = config;
      deepEqual({ clusters: [...found.clusters.keys()], links: found.links }, gone);
      deepEqual(
        config.links.map(({ spec: { source, target } }) => `${source}/${target}`),
        links,
      );
    });

  it("ends access where it was given, to all that remain or over one link", () => {
    const clusters = { west: null, north: { kubeconfig: "/n" }, east: { revoked: true } };
    const links = [{ source: "north", target: "west", revoked: true }];
    const uids = new Map([["west", "uid-of-west"]]);
    const args = (manage: string) => revocationArgs(configOf({ manage, clusters, links }), uids);
    const namespace = "linkerd-multicluster";
    const west = { context: "west", uid: "uid-of-west" };
    const north = { context: "north", kubeconfig: "/n" };
    deepEqual(args("links"), [
      { source: "east", isolated: true, namespace, targets: { west, north } },
      { source: "north", isolated: false, namespace, targets: { west } },
    ]);
    const ofMirrors = revocationArgs(configOf({ manage: "mirrors", clusters }), uids);
    deepEqual(ofMirrors, [{ source: "east", isolated: true, namespace, targets: {} }]);
  });

  testSentences(`
# not every cluster
clusters: { west: { context: k3d-west, revoked: true } }
! clusters names only revoked clusters; at least one must not be, as access is revoked in the clusters that remain.

# no link where no access was given
manage: mirrors
link: { revoked: true }
! links[0].revoked is true; it must be left out where manage is "mirrors", which gives no access: remove the link, and delete the source's account where it was made.
`);
});
