import { deepEqual } from "node:assert/strict";
import { removedLinks } from "../../../engine/mirroring/decide/policies/removed-links.ts";
import { managerOf } from "../../../engine/model/marks.ts";
import { argsFor } from "../fixtures/checked.ts";
import { fed } from "../fixtures/federation.ts";
import { link } from "../fixtures/link.ts";
import { confirmed } from "../fixtures/marks.ts";
import { cluster, exported } from "../fixtures/objects.ts";
import { testScenarios } from "../fixtures/scenario.ts";

const both = `west: shop/web; north: shop/api(flat)
+ gateway shop/web-west, discovery shop/api-north`;
const member = `west: shop/bb(member)
+ federated shop/bb-federated`;
const strict = both.replace("\n", "; link west: { maxDeletions: 0 }\n");
const goes = "- gateway shop/web-west";
const leaves = "- federated shop/bb-federated";
const isStrict =
  "? west: link east → west is no longer in the config, and the run would delete 1 of its 1 mirror on east, and maxDeletions (0) allows 0";
const twelve = (words: string) =>
  Array.from({ length: 12 }, (_, n) => `shop/web-${n}${words}`).join(" ");
const created = (kind: string, suffix: string) =>
  Array.from({ length: 12 }, (_, n) => `+ ${kind} shop/web-${n}-${suffix}`).join("\n");

describe("the mirrors of a removed link", () => {
  testScenarios(`
# are deleted without reading the target, and a preview shows it
${both}
west: unreachable; unlink west
${goes}
* removed link to west: 50%
again
none
* nothing
# are no longer listed if somebody has deleted them already
${both}
edit shop/web-west: gone
unlink west
none
* shop/web-west: unlist: already deleted, or no longer this stack's
# are found by the mark of the stack's former name
${both}
unlink west; config: { stack: mesh/new }
${goes}
✓ discovery shop/api-north
# include the members of federated Services
${member}
unlink west
${leaves}
# that are Endpoints without a Service are deleted
${both}
edit shop/web-west: without Service
unlink west
${goes}
`);
});

describe("maxDeletions of a removed link", () => {
  testScenarios(`
# limits the deletions until they are allowed
${strict}
unlink west
${isStrict}
again
${isStrict}
config: { allowDeletions: true }
${goes}
# applies even if the link had allowDeletions
${strict.replace("maxDeletions: 0", "maxDeletions: 0, allowDeletions: true")}
unlink west
${isStrict}
# doesn't apply to a revoked target
${strict}
unlink west; config: { revokedTargets: [west] }
${goes}
# is 50% of the mirrors by default
west: ${twelve("")}
${created("gateway", "west")}
unlink west
? west: link east → west is no longer in the config, and the run would delete 12 of its 12 mirrors on east, and maxDeletions (50%) allows 6
# is 50% of the members of federated Services by default
west: ${twelve("(member)")}
${created("federated", "federated")}
unlink west
? west: link east → west is no longer in the config, and the run would delete 12 of its 12 members of federated Services on east, and maxDeletions (50%) allows 6
`);
});

describe("a link that is handed over to Linkerd's controller", () => {
  const says = "Deployment east/linkerd-multicluster/controller-west";
  for (const replicas of [0, 1])
    testScenarios(`
# keeps its mirrors without this stack's mark if the controller has replicas: ${replicas}
${both}
unlink west; controllers: west ${replicas}
/ gateway shop/web-west: ${says}, released
> east → west: its mirrors stay, because ${says} mirrors it now
controllers: none
none
* nothing
`);

  testScenarios(`
# keeps its members of federated Services
${member}
unlink west; controllers: west
/ federated shop/bb-federated: nobody, released
# keeps its mirrors by mirroring: controller even if Deployments can't be listed
${both}
unlink west; config: { controllerLinks: [west] }; controllers: forbidden
/ gateway shop/web-west: Linkerd's controller (mirroring: controller), released
> east → west: its mirrors stay, because Linkerd's controller (mirroring: controller) mirrors it now
# loses its mirrors if the controller is another link's
${both}
unlink west; controllers: north
${goes}
# keeps its mirrors and fails the run while Deployments can't be listed
${both}
unlink west; controllers: server
? east: the mirrors of the removed link east → west stay, because it is unknown whether Linkerd's controller mirrors it now
> east → west: its mirrors stay for now, because cluster east failed to list services (status 500)
controllers: none
${goes}
# keeps its marked member of a federated Service while Deployments can't be listed
${member}
unlink west; controllers: server
? east: the mirrors of the removed link east → west stay, because it is unknown whether Linkerd's controller mirrors it now
controllers: none
${leaves}
`);
});

describe("marks for a link that neither config nor state knows", () => {
  const renamed =
    "> east: if the cluster was renamed, what is already there stays, although Pulumi deletes the resource Mirrors of its former name\n";
  for (const [what, before, notes] of [
    ["state is lost", "null", renamed],
    ["the first run with the link was killed", "{ links: [{ source: east, target: north }] }", ""],
  ] as const)
    testScenarios(`
# are reported and stay if ${what}, and go once the link was back
${both}
before: ${before}
unlink west
none
> east: 1 mark of this stack in east is for a cluster to which neither its config nor its state has a link (shop/web-west for west), so the object stays, because anybody can write such a mark: to have what a failed run left deleted, put the link back for one run and then remove it, or set revoked: true on the cluster
${notes}link west: {}
none
unlink west
${goes}
`);

  testScenarios(`
# go if the cluster is revoked
${both}
before: null
unlink west; config: { revokedTargets: [west] }
${goes}
`);

  testScenarios(`
# are counted on members of federated Services, unless an earlier version has set them
west: shop/web; east: shop/everywhere(plain mirror.linkerd.io/mirrored-service=true @multicluster.linkerd.io/remote-discovery=x@ghost by=acme/mesh/dev#ghost) shop/db-ghost(of=ghost by=acme/mesh/dev) shop/api(fed=api@ghost by=acme/mesh/dev#ghost) shop/cart(fed=cart@ghost by=acme/mesh/dev)
+ gateway shop/web-west
> east: 2 marks of this stack in east are for a cluster to which neither its config nor its state has a link (shop/db-ghost for ghost, shop/api-federated for ghost)
/ federated shop/api-federated: nobody
/ federated shop/cart-federated: nobody
`);

  for (const target of ["ghost", "federated"])
    for (const before of ["{}", `{ removedLinks: [{ source: east, target: ${target} }] }`])
      testScenarios(`
# count for no guard and bring no advice about other objects (${target}, ${before})
west: shop/web shop/bb(member)
+ gateway shop/web-west, federated shop/bb-federated
before: ${before}
east: ${Array.from({ length: 11 }, (_, n) => `shop/web-${n}-${target}(of=${target} by=acme/mesh/dev)`).join(" ")}
none
> east: 11 marks of this stack in east are for a cluster to which neither its config nor its state has a link
`);
});

describe("a link with names of its own that is handed over to Linkerd's controller", () => {
  const says = "can't be handed over to ";
  for (const [mirror, renamed] of [
    ["shop/west-web", 'names: "{target}-{service}"'],
    ["far/web-west", "mirrorNamespaces: { shop: far }"],
  ] as const) {
    const first = `west: shop/web; link west: { ${renamed} }; east: shop/ far/
+ gateway ${mirror}`;
    testScenarios(`
# is a mistake of the config that names the mirror ${mirror}
${first}
unlink west; config: { controllerLinks: [west] }
none
x 1 mirror of link east → west (${mirror}) ${says}Linkerd's controller
# is refused if the link has left the config, and keeps ${mirror}
${first}
unlink west; controllers: west
? west: 1 mirror of link east → west (${mirror}) ${says}Deployment east/linkerd-multicluster/controller-west
controllers: none
- gateway ${mirror}
# is possible once ${mirror} has Linkerd's name
${first}
link west: {}
+ gateway shop/web-west
again
- gateway ${mirror}
unlink west; config: { controllerLinks: [west] }
/ gateway shop/web-west: Linkerd's controller (mirroring: controller), released
`);
  }
});

describe("mirrors of a removed link that others may own", () => {
  const state = ["{}", "{ links: [] }", "{ removedLinks: [{ source: east, target: west }] }"];
  for (const edit of ["unmarked", "foreign"])
    for (const before of state)
      testScenarios(`
# stay if Linkerd's controller or nobody has written them: ${edit}, whatever state says: ${before}
${both}
edit shop/web-west: ${edit}
before: ${before}
unlink west
none
`);

  testScenarios(`
# are reported if only some of them carry a mark
west: shop/web shop/cart
+ gateway shop/web-west, gateway shop/cart-west
edit shop/web-west: unmarked
unlink west
- gateway shop/cart-west
/ gateway shop/web-west: nobody
> east → west: 1 mirror stays, because they carry no stack's mark, so they may belong to somebody else
# lose only this stack's mark if another stack has marked them too
${both}
edit shop/web-west: by other/prod
unlink west
/ gateway shop/web-west: stack other/prod, released
> east → west: 1 mirror stays, because stack other/prod keeps it (shop/web-west)
again
none
* nothing
# include members of a federated Service that another stack has marked
${member}
edit shop/bb-federated: by other/prod#west
unlink west
/ federated shop/bb-federated: nobody, released
again
/ federated shop/bb-federated: nobody
`);
});

describe("a removed link", () => {
  it("is known from the mark of a member, whichever stack's name it carries", () => {
    const [dev, old] = ["acme/mesh/dev", "acme/mesh/old"];
    const marks = ["north", "south", "far"].map((name) =>
      managerOf(name === "far" ? "a/b/c" : dev, name),
    );
    const live = [...marks, managerOf(old, "west")].reduce(
      (each, manager) => confirmed(manager, each),
      fed("shop/bb", { remote: "bb@north,bb@west,bb@far" }),
    );
    const source = cluster("east", { services: [live, exported("shop/web")] });
    const noted = ["north", "south", "west", "far"].map((target) => link({ target }));
    const names = (before: Parameters<typeof removedLinks>[1]) =>
      removedLinks(
        { source: "east", links: [], stack: dev },
        { links: noted, ...before },
        source,
      ).map((l) => l.target);
    // A mark without a member is no link's any more, and a member without this stack's mark is another's.
    deepEqual(names({}), ["north"]);
    deepEqual(names({ formerStacks: [old] }), ["north", "west"]);
    deepEqual(names({ links: [] }), []);
  });

  it("is known from a mark of earlier versions only if a run has noted the link", () => {
    const live = confirmed(managerOf("acme/mesh/dev"), fed("shop/bb", { remote: "bb@north" }));
    const source = cluster("east", { services: [live] });
    const of = { source: "east", links: [], stack: "acme/mesh/dev" };
    deepEqual(removedLinks(of, {}, source), []);
    const noted = { links: [link({ target: "north" })] };
    deepEqual(
      removedLinks(of, noted, source).map(({ target }) => target),
      ["north"],
    );
  });

  it("is known from the previous run's links and its unfinished removals", () => {
    const linksTo = (...targets: string[]) => targets.map((target) => link({ target }));
    const names = (before: Parameters<typeof removedLinks>[1], ...targets: string[]) =>
      removedLinks({ ...argsFor([]), links: linksTo(...targets) }, before).map((l) => l.target);
    deepEqual(names({}, "west"), []);
    deepEqual(names({ links: linksTo("west", "north") }, "west"), ["north"]);
    const before = { links: linksTo("west"), removedLinks: linksTo("south", "north") };
    deepEqual(names(before, "north"), ["south", "west"]);
    deepEqual(names(before), ["north", "south", "west"]);
  });
});
