import { testScenarios } from "../../fixtures/scenario.ts";

const joins = "+ federated demo/bb-federated";
const listed = "= demo/bb-federated: federated Service of";
const excluding = "link west: { excludedNamespaces: [demo] }";
const tooLarge = "demo/bb(member :*101)";
const mirrored = "mirror.linkerd.io/mirrored-service=true";

describe("the members of a federated Service (linkerd-behaviour.md 4.2)", () => {
  const two = "west: demo/bb(member); north: demo/bb(member)";
  const local = "west: nothing; north: nothing; east: demo/bb(member)";
  testScenarios(`
# are Services of all linked clusters and of the source
${two}
east: demo/bb(member)
${joins}
${listed} bb@west, bb@north, local bb
# have the same name
west: demo/bb(member); north: demo/bc(member)
${joins}, federated demo/bc-federated
${listed} bb@west
# have the same namespace
west: demo/bb(member); north: test/bb(member)
${joins}, federated test/bb-federated
${listed} bb@west
# are chosen by the selector of their own link
west: demo/bb(plain app=bb); north: demo/bb(member)
link west: { federatedServiceSelector: { matchLabels: { app: bb } } }
link north: { federatedServiceSelector: {} }
${joins}
${listed} bb@west
# in the source are chosen by the selector of any link
west: nothing; north: nothing; link north: { federatedServiceSelector: { matchLabels: { app: bb } } }
east: demo/bb(plain app=bb)
${joins}
${listed} local bb
# are as many of each link as it may have
${two}
link west: { maxMirrors: 1 }; link north: { maxMirrors: 1 }
${joins}
${listed} bb@west, bb@north
# may be Services that aren't exported
west: demo/bb(member exported=false)
${joins}
# exclude namespaces that their link excludes
${two}
${excluding}
! ExcludedNamespace demo/bb
${joins}
${listed} bb@north
# in the source need one link that covers their namespace
${local}
${excluding}
${joins}
${listed} local bb
# in the source exclude namespaces that no link covers
${local}
${excluding}
link north: { namespaces: [shop] }
! ExcludedNamespace demo/bb
# lose the labels that their link excludes
west: demo/bb(member good=1 evil.io/a=1 bad=1); north: nothing
link west: { excludedLabels: [evil.io/*] }; link north: { excludedLabels: [bad] }
${joins}
edit demo/bb-federated: { metadata: { labels: { good: x, evil.io/a: x, bad: x } } }
~ federated demo/bb-federated: label bad: "x" → "1", label good: "x" → "1"
# lose a label once their link excludes it
west: demo/bb(member bad=1)
${joins}
link west: { excludedLabels: [bad] }
~ federated demo/bb-federated: label bad: "1" → none
# lose the labels that any link excludes, for the local member
${local.replace("member", "member good=1 evil.io/a=1 bad=1")}
link west: { excludedLabels: [evil.io/*] }; link north: { excludedLabels: [bad] }
${joins}
edit demo/bb-federated: { metadata: { labels: { good: x, evil.io/a: x, bad: x } } }
~ federated demo/bb-federated: label good: "x" → "1"
# keep other controllers' labels if their link copies them, or for the local member every link
${local.replace("member", "member argocd.argoproj.io/instance=1 kapp.k14s.io/app=1")}
link west: { copiedMetadata: [argocd.argoproj.io/*, kapp.k14s.io/app] }
link north: { copiedMetadata: [argocd.argoproj.io/*] }
${joins}
edit demo/bb-federated: { metadata: { labels: { argocd.argoproj.io/instance: x, kapp.k14s.io/app: x } } }
~ federated demo/bb-federated: label argocd.argoproj.io/instance: "x" → "1"
east: demo/bb(plain); west: demo/bb(member argocd.argoproj.io/instance=2 kapp.k14s.io/app=2)
~ federated demo/bb-federated: label argocd.argoproj.io/instance: "1" → "2", label kapp.k14s.io/app: "x" → "2"
`);
});

describe("Services that can't be members", () => {
  testScenarios(`
# are skipped for the same reasons as exported Services, each with its cluster
west: demo/bb(member ${mirrored}); east: demo/bb(member ${mirrored})
! IsMirror demo/bb: it is itself a mirror in west
! IsMirror demo/bb: it is itself a mirror in east
# include headless ones
west: demo/bb(headless exported=no mirror.linkerd.io/federated=member)
! HeadlessMember demo/bb: a headless Service cannot join a federated Service: export it to be mirrored, or give it a ClusterIP
`);
});

describe("a member about which nothing can be concluded", () => {
  const all = `west: demo/bb(member)
north: demo/bb(member)
${joins}`;
  testScenarios(`
# stays while others leave
${all}
west: ${tooLarge}; north: nothing
! TooLarge demo/bb
~ federated demo/bb-federated: annotation remote-discovery: "bb@west,bb@north" → "bb@west"
# stays while others change
${all}
west: ${tooLarge}; north: demo/bb(member new=yes)
! TooLarge demo/bb
~ federated demo/bb-federated: label new: none → "yes"
# still gives its labels to the federated Service if it is the source's
west: demo/bb(member); east: demo/bb(member team=own)
${joins}
east: ${tooLarge}
! TooLarge demo/bb
# doesn't hold a federated Service that all others leave
west: nothing; north: demo/bb(member)
${joins}
west: ${tooLarge}; north: nothing
! TooLarge demo/bb
- federated demo/bb-federated
# is any that exceeds maxMirrors now, in the source too if it is too large
west: demo/bb(member); east: demo/bb(member)
${joins}
west: ${tooLarge}; east: ${tooLarge}
! TooLarge demo/bb
! TooLarge demo/bb
${listed} bb@west, local bb
`);
});

describe("the marks of a federated Service", () => {
  testScenarios(`
# are set by the run that finds none, and are no reason to write again
west: demo/bb(member)
${joins}
again
none
edit demo/bb-federated: unmarked
✓ federated demo/bb-federated
# are taken over from another stack only for members of the link that says so
west: demo/bb(member); north: demo/bb(member); link west: { adoptFrom: [acme/mesh/old] }
east: demo/bb(fed=bb@west,bb@north by=acme/mesh/old#west by=acme/mesh/old#north)
✓ federated demo/bb-federated
west: nothing; north: nothing
~ federated demo/bb-federated: annotation remote-discovery: "bb@west,bb@north" → "bb@north"
# are removed once this stack has no member, and another stack has
west: nothing; east: demo/bb(fed=bb@west by=acme/mesh/dev#west by=acme/mesh/other#west)
/ federated demo/bb-federated: nobody, released
`);
});

describe("a namespace that the source lacks", () => {
  const two = `north: test/bb(member)
link west: { createNamespaces: true }
east: demo/`;
  testScenarios(`
# is created if a member's link says so, and all members join at once
west: test/bb(member)
${two}
+ namespace test, federated test/bb-federated
= test/bb-federated: federated Service of bb@west, bb@north
# isn't created for a Service that can't be a member
west: test/bb(headless exported=no mirror.linkerd.io/federated=member)
${two}
! HeadlessMember test/bb
! MissingNamespace test/bb
# isn't created for a member that its link's limit keeps out
west: test/bb(member)
${two}
link west: { createNamespaces: true, maxMirrors: 0 }
! TooManyMirrors test/bb
! MissingNamespace test/bb
`);
});
