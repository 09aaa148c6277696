import { testScenarios } from "../../fixtures/scenario.ts";

const tokens = "~ federated demo/bb-federated: annotation remote-discovery";
const joins = "+ federated demo/bb-federated";
const mark = "by=acme/mesh/dev#";
const three = `west: demo/bb(member)
north: demo/bb(member)
${joins}`;

describe("the list of remote members", () => {
  testScenarios(`
# gets new members in the order of the links
north: demo/bb(member); west: demo/bb(member)
${joins}
= demo/bb-federated: federated Service of bb@north, bb@west
# keeps members in the places they have
west: demo/bb(member); north: demo/bb(member); south: demo/bb(member)
east: demo/bb(fed=bb@north,bb@west)
${tokens}: "bb@north,bb@west" → "bb@north,bb@west,bb@south"
# keeps members that this stack does not manage, wherever they stand
west: nothing; north: demo/bb(member); east: demo/bb(fed=bb@other,bb@west,bb@another)
${tokens}: "bb@other,bb@west,bb@another" → "bb@other,bb@another,bb@north"
# keeps members of a cluster out of reach
west: unreachable; north: nothing; east: demo/bb(fed=bb@west,bb@north)
${tokens}: "bb@west,bb@north" → "bb@west"
# gets no member of a cluster out of reach
west: unreachable; north: demo/bb(member); east: demo/bb(fed=bb@north)
✓ federated demo/bb-federated
# loses members of a cluster whose link is gone
${three}
unlink north
${tokens}: "bb@west,bb@north" → "bb@west"
# keeps members of a cluster whose link is gone without this stack's mark
west: demo/bb(member)
before: { removedLinks: [{ source: east, target: north }], mirrors: { federated: { demo/bb-federated: "" } } }
east: demo/bb(fed=bb@west,bb@north ${mark}west)
none
# keeps members of a cluster that this stack never had a link to, whoever has marked them
west: nothing; north: demo/bb(member)
${joins}
edit demo/bb-federated: by acme/mesh/dev#old
edit demo/bb-federated: { metadata: { annotations: { multicluster.linkerd.io/remote-discovery: "bb@old,bb@north" } } }
unlink north
${tokens}: "bb@old,bb@north" → "bb@old"
# goes with all links
${three}
unlink north; unlink west
- federated demo/bb-federated
# loses the local member with the last link, and members of others stay
west: demo/bb(member); east: demo/bb(member)
${joins}
edit demo/bb-federated: { metadata: { annotations: { multicluster.linkerd.io/remote-discovery: "bb@other,bb@west" } } }
none
unlink west
~ federated demo/bb-federated: annotation local-discovery: "bb" → none, annotation remote-discovery: "bb@other,bb@west" → "bb@other"
# is put right where Linkerd's readers cannot read it: blanks, empty tokens, repetitions
west: demo/bb(member); north: demo/bb(member); east: demo/bb(fed=" bb@west,,bb@north ,bb@west")
${tokens}: " bb@west,,bb@north ,bb@west" → "bb@west,bb@north"
# loses a member of one of our clusters under another name
west: demo/bb(member); east: demo/bb(fed=bc@west,bb@west)
${tokens}: "bc@west,bb@west" → "bb@west"
# may name a cluster whose name begins with another's
west: nothing; east: demo/bb(fed=bb@west,bb@west-2)
${tokens}: "bb@west,bb@west-2" → "bb@west-2"
# leaves a federated Service to others as they have edited it
west: demo/bb(member)
${joins}
edit demo/bb-federated: { spec: { sessionAffinity: ClientIP }, metadata: { annotations: { multicluster.linkerd.io/remote-discovery: "bb@west,bb@other" } } }
west: nothing
${tokens}: "bb@west,bb@other" → "bb@other"
# stays when a local member leaves with its label
west: nothing; east: demo/bb(fed=bb@other local=bb) demo/bb(plain)
~ federated demo/bb-federated: annotation local-discovery: "bb" → none
# is never empty, as Linkerd leaves it behind (4.5)
west: nothing; east: demo/bb(fed= local=bb) demo/bb(member)
${tokens}: "" → none
# is not copied from a target's own federated Service (a leak of Linkerd, 4.6)
west: demo/bb(member @multicluster.linkerd.io/remote-discovery=bb@elsewhere)
${joins}
= demo/bb-federated: federated Service of bb@west
`);
});

describe("an unmarked member that this stack doesn't want", () => {
  const there = "east: demo/bb(fed=bb@other,bb@west) demo/cc(fed=cc@other local=cc) demo/cc(plain)";
  const leaves = `${tokens}: "bb@other,bb@west" → "bb@other"`;
  const both = `${leaves}
~ federated demo/cc-federated: annotation local-discovery: "cc" → none`;
  const excluding = "{ excludedNamespaces: [demo] }";
  testScenarios(`
# leaves
west: nothing
${there}
${both}
# stays while Linkerd's controllers are installed, even scaled to zero
west: nothing
${there}
controllers: west 0, local 0
/ federated demo/bb-federated: nobody
/ federated demo/cc-federated: nobody
# leaves while only other controllers are installed
west: nothing
${there}
controllers: north 0
${both}
# stays while nobody knows the controllers
west: nothing
${there}
controllers: forbidden
/ federated demo/bb-federated: nobody
/ federated demo/cc-federated: nobody
# stays in a namespace that every link leaves out, even in a list that can't be read
west: nothing; north: nothing
${there.replace("cc@other", "cc@other,,cc@other")}
link west: ${excluding}; link north: ${excluding}
/ federated demo/bb-federated: nobody
/ federated demo/cc-federated: nobody
# leaves if its link, or any for the local one, covers it
west: nothing; north: nothing
${there}
link north: ${excluding}
${both}
# isn't claimed if only other stacks, or nobody, have marked it
north: nothing; east: demo/bb(fed=bb@other,,bb@other)
/ federated demo/bb-federated: nobody
`);
});
