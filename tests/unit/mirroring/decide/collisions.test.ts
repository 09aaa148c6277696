import { testScenarios } from "../../fixtures/scenario.ts";

const encroaching =
  "! CollidingName shop/a-b: shop/a-b of cluster c would be named shop/a-b-c on east, and names that end in -b-c are for the mirrors of cluster b-c: rename it";

describe("a name that mirrors of two clusters claim", () => {
  testScenarios(`
# belongs to the cluster with the longer name, and the other gets a reason
c: shop/a-b shop/fine; b-c: shop/a
+ gateway shop/fine-c, gateway shop/a-b-c
${encroaching}
# stays reserved for that cluster if it exports no such Service
c: shop/a-b; b-c: nothing
${encroaching}
# stays reserved for that cluster if it is unreachable
c: shop/a-b; b-c: unreachable
${encroaching}
# stays reserved for that cluster if Linkerd's controller has its link
c: shop/a-b; config: { controllerLinks: [b-c] }
${encroaching}
# isn't reserved for a cluster whose name only ends like that
c: shop/a-b; x-b-c: nothing; ab-c: nothing
+ gateway shop/a-b-c
# stays with the mirror that has it, and the message names both
c: shop/a-b
+ gateway shop/a-b-c
c: shop/a-b(new=); b-c: shop/a
~ gateway shop/a-b-c: label new
! CollidingName shop/a: shop/a of cluster b-c and shop/a-b of cluster c would both be named shop/a-b-c on east: rename one of them
# doesn't collide across namespaces
c: shop/a-b
+ gateway shop/a-b-c
b-c: blog/a; east: blog/
+ gateway blog/a-b-c
# may have more than two claims, two of them from one cluster
b-c: shop/db(headless a) shop/a; c: shop/a-b
+ headless shop/db-b-c, endpoint shop/a-b-c
! CollidingName shop/a
${encroaching}
# stays with the mirror that has it if there are two claims from one cluster
c: shop/a-b shop/fine
+ gateway shop/a-b-c, gateway shop/fine-c
b-c: shop/db(headless a) shop/a
+ headless shop/db-b-c
! CollidingName shop/a: pod a of shop/db of cluster b-c and shop/a of cluster b-c and shop/a-b of cluster c would all be named shop/a-b-c on east: rename one of them
! CollidingName shop/db pod a: pod a of shop/db of cluster b-c and shop/a of cluster b-c and shop/a-b of cluster c would all be named shop/a-b-c on east: rename one of them
# belongs to the longest of three
d: shop/a-b-c shop/fine; c-d: shop/a-b; b-c-d: shop/a
+ gateway shop/fine-d, gateway shop/a-b-c-d
! CollidingName shop/a-b-c: shop/a-b-c of cluster d would be named shop/a-b-c-d on east, and names that end in -b-c-d are for the mirrors of cluster b-c-d
! CollidingName shop/a-b: shop/a-b of cluster c-d would be named shop/a-b-c-d on east, and names that end in -b-c-d are for the mirrors of cluster b-c-d
`);
});

/** No cluster may be called `federated`, but one may be `b-federated`, where `bb` is exported and `bb-b` a member. */
describe("a name that a mirror and a federated Service claim", () => {
  testScenarios(`
# belongs to the mirror, whose cluster has the longer name
west: shop/bb-b(member); b-federated: shop/bb
+ gateway shop/bb-b-federated
! CollidingName shop/bb-b
# stays with the federated Service that has it, and the message says so
west: shop/bb-b(member)
+ federated shop/bb-b-federated
b-federated: shop/bb
! CollidingName shop/bb: shop/bb of cluster b-federated and the federated Service of shop/bb-b would both be named shop/bb-b-federated on east: rename one of them
`);
});

describe("a name that a pod's mirror and a Service's mirror claim", () => {
  const has =
    "to change that, or to end this message, take the Service shop/db-0 out of the export";
  testScenarios(`
# goes to the pod, and the Service gets a reason that says what to set
west: shop/db(headless db-0 db-1) shop/db-0
+ endpoint shop/db-0-west, endpoint shop/db-1-west, headless shop/db-west
! CollidingName shop/db-0: shop/db-0-west on east is the mirror of pod db-0 of shop/db of cluster west, so shop/db-0 of cluster west has none: ${has}, by its label or the link's selector
# stays with the Service that has it, and the headless mirror leaves the pod out
west: shop/db-0
+ gateway shop/db-0-west
west: shop/db(headless db-0 db-1) shop/db-0
+ endpoint shop/db-1-west, headless shop/db-west
! CollidingName shop/db pod db-0: shop/db-0-west on east is the mirror of shop/db-0 of cluster west, so pod db-0 of shop/db of cluster west has none: ${has}, by its label or the link's selector
again
! CollidingName shop/db pod db-0
= shop/db-0-west: gateway mirror of db-0
= shop/db-1-west: endpoint mirror of db-1.db
= shop/db-west: headless mirror of db: http 80→8080/TCP, 1 pod
# goes over to the pod once the Service is no longer exported
west: shop/db-0
+ gateway shop/db-0-west
west: shop/db(headless db-0 db-1)
~ endpoint shop/db-0-west
+ endpoint shop/db-1-west, headless shop/db-west
= shop/db-0-west: endpoint mirror of db-0.db
= shop/db-1-west: endpoint mirror of db-1.db
= shop/db-west: headless mirror of db: http 80→8080/TCP, 2 pods
# goes to neither of two pods
west: shop/db(headless db-0) shop/other(headless db-0)
+ headless shop/db-west, headless shop/other-west
! CollidingName shop/db pod db-0
! CollidingName shop/other pod db-0
# goes to no pod of another namespace
west: shop/db(headless db-0 db-1) blog/db-0; link west: { mirrorNamespaces: { blog: shop } }
+ headless shop/db-west, endpoint shop/db-1-west
! CollidingName blog/db-0
! CollidingName shop/db pod db-0
# goes to no pod of another cluster
west: shop/db(headless db-0); link west: { names: "{service}-far" }; north: shop/db-0; link north: { names: "{service}-far" }
+ headless shop/db-far
! CollidingName shop/db-0
! CollidingName shop/db pod db-0
# goes to nobody if there is a third claim
west: shop/db(headless db-0) shop/db-0 zoo/db-0; link west: { mirrorNamespaces: { zoo: shop } }
+ headless shop/db-west
! CollidingName zoo/db-0
! CollidingName shop/db pod db-0
! CollidingName shop/db-0
# stays with a headless mirror, one of whose pods claims it
west: shop/db(headless db-0)
+ headless shop/db-west, endpoint shop/db-0-west
west: shop/db(headless db-0 db)
! CollidingName shop/db pod db
`);
});
