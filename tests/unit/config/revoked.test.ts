import { deepEqual } from "node:assert/strict";
import { revocationArgs } from "../../../config/share.ts";
import { configOf, type Raw, testSentences } from "./table.ts";

const revoked = { revoked: true };
const link = { source: "east", target: "west" };

describe("stack config: revocation", () => {
  function removes(
    what: string,
    raw: Raw,
    left: { readonly clusters: string[]; readonly links: string },
    gone: { readonly clusters: string[]; readonly links: object[] },
  ) {
    it(`removes ${what}`, () => {
      const { clusters, links, revoked: found } = configOf(raw);
      const pairs = links.map(({ spec: { source, target } }) => `${source}/${target}`);
      deepEqual({ clusters: [...clusters.keys()], links: pairs.join(" ") }, left);
      deepEqual({ clusters: [...found.clusters.keys()], links: found.links }, gone);
    });
  }
  removes(
    "a cluster with its links, listed or by topology",
    { clusters: { west: null, north: null, east: revoked }, topology: "mesh", links: [link] },
    { clusters: ["west", "north"], links: "west/north north/west" },
    { clusters: ["east"], links: [] },
  );
  removes(
    "a link, also of the topology",
    { topology: "mesh", links: [{ ...link, ...revoked }] },
    { clusters: ["west", "east"], links: "west/east" },
    { clusters: [], links: [link] },
  );
  removes(
    "a cluster whose successor has the same context",
    { clusters: { west: { context: "same", ...revoked }, west2: { context: "same" } } },
    { clusters: ["west2"], links: "" },
    { clusters: ["west"], links: [] },
  );

  it("ends a cluster's access to all others, and a link's access to its target", () => {
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
# every cluster is revoked
clusters: { west: { context: k3d-west, revoked: true } }
! clusters names only revoked clusters; at least one cluster must not be revoked, because access is revoked in the others.

# a link is revoked with manage: mirrors, which gave no access
manage: mirrors
link: { revoked: true }
! links[0].revoked is true; it must be left out where manage is "mirrors", which gives no access: remove the link, and delete the source's account where it was made.
`);
});
