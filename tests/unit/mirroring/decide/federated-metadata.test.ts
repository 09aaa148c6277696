import { testScenarios } from "../../fixtures/scenario.ts";

/** Labels, annotations and ports of a member are its number. */
const bb = (number: number) => `demo/bb(member team=${number} @note=${number} :${number})`;
const joins = "+ federated demo/bb-federated\n= demo/bb-federated: federated Service of";
const become = (before: number, after: number) =>
  `~ federated demo/bb-federated: ports: ${before}/TCP → ${after}/TCP, label team: "${before}" → "${after}", annotation note: "${before}" → "${after}"`;
const [first, second, third] = [1, 2, 3].map((day) => `"2024-11-0${day}T19:53:01Z"`);
const both = `west: ${bb(2)}; north: ${bb(3)}`;

describe("the labels, annotations and ports of a federated Service (linkerd-behaviour.md 4.3)", () => {
  testScenarios(`
# are the local member's, whatever the age of the Links
west: ${bb(2)}; east: ${bb(1)}; ages: { west: ${first} }
${joins} bb@west, local bb: 1/TCP
# are no labels that Linkerd acts on (4.1)
west: demo/bb(member exported=no multicluster.linkerd.io/remote-service=x)
+ federated demo/bb-federated
edit demo/bb-federated: { metadata: { labels: { mirror.linkerd.io/exported: no, multicluster.linkerd.io/remote-service: x } } }
~ federated demo/bb-federated: label exported: "no" → none, label remote-service: "x" → none
# are those of the member with the oldest Link if there is no local member
${both}; ages: { west: ${first}, north: ${second} }
${joins} bb@west, bb@north: 2/TCP
# are those of the first member by name if Links have the same age (Linkerd flaps)
${both}; ages: { west: ${first}, north: ${first} }
${joins} bb@west, bb@north: 3/TCP
# are those of the first member by name if there are no Links
${both}
${joins} bb@west, bb@north: 3/TCP
# are those of a member with a Link rather than of one without
${both}; ages: { west: ${first} }
${joins} bb@west, bb@north: 2/TCP
# are the next member's once the target of the oldest Link has none
west: nothing; north: ${bb(3)}; ages: { west: ${first}, north: ${second} }
${joins} bb@north: 3/TCP
`);
});

describe("the live labels, annotations and ports of a federated Service", () => {
  const old = `${both}; ages: { west: ${first}, north: ${second} }
${joins} bb@west, bb@north: 2/TCP`;
  const anothers = `west: ${bb(3)}
east: demo/bb(fed=bb@north,bb@west by=acme/mesh/dev#west team=2 @note=2 :2)`;
  testScenarios(`
# change with the oldest Link
${old}
ages: { west: ${third}, north: ${second} }
${become(2, 3)}
# stay while a listed member is unreachable
${old}
west: unreachable
none
# stay while a listed member is unreachable, even without Links
${both}
${joins} bb@west, bb@north: 3/TCP
north: unreachable
none
# stay while all members are unreachable
${old}
west: unreachable; north: unreachable
none
# change to those of a local member
${old}
west: unreachable; east: ${bb(1)}
${become(2, 1).replace("note:", 'local-discovery: none → "bb", annotation note:')}
# stay while another writer lists a member with an older Link
${anothers}; ages: { north: ${first}, west: ${second} }
none
# stay while another writer lists a member with a Link, and this stack's has none
${anothers}; ages: { north: ${first} }
none
# change if another writer's member has a younger Link
${anothers}; ages: { north: ${third}, west: ${second} }
${become(2, 3)}
# change if only another stack wants a member that has a younger Link
${anothers.replace("fed=", "by=acme/mesh/other#north fed=")}; north: nothing; ages: { north: ${third}, west: ${second} }
${become(2, 3)}
# change if another writer's member has no Link
${anothers}
${become(2, 3)}
# change if an unreachable cluster isn't listed
west: ${bb(4)}; north: unreachable
${joins} bb@west: 4/TCP
west: ${bb(2)}
${become(4, 2)}
`);
});
