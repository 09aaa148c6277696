import { testScenarios } from "../../fixtures/scenario.ts";

/** The mirrors of a first run, under Linkerd's names. */
const former = `west: shop/web shop/db(headless db-0)
+ gateway shop/web-west, headless shop/db-west, endpoint shop/db-0-west`;
const renamed = 'link west: { names: "{target}-{service}" }';
const created = "+ gateway shop/west-web, headless shop/west-db, endpoint shop/west-db-0";
const deleted = "- gateway shop/web-west, headless shop/db-west, endpoint shop/db-0-west";
const both = `${former}
${renamed}
${created}`;
const pod = "d".repeat(55);

describe("mirrors whose link names them", () => {
  testScenarios(`
# have these names, those of pods too, and their endpoints lead to each other
west: shop/web shop/db(headless db-0)
${renamed}
${created}
= shop/west-web: gateway mirror of web: http 80→8080/TCP
= shop/west-db: headless mirror of db: http 80→8080/TCP, 1 pod
= shop/west-db-0: endpoint mirror of db-0.db: http 80→8080/TCP
edit shop/west-db: without Endpoints
edit shop/west-db-0: { metadata: { labels: { mirror.linkerd.io/headless-mirror-svc-name: x } } }
~ headless shop/west-db: endpoints: no object → db-0@10.96.0.1 (http 8080/TCP)
~ endpoint shop/west-db-0: label headless-mirror-svc-name: "x" → "west-db"
# may have the names of their Services if these are free
west: shop/web shop/db(headless db-0); link west: { names: "{service}" }; east: shop/web
+ headless shop/db, endpoint shop/db-0
! NotOurs shop/web
# stay as they are in a second run, and a missing pod keeps its mirror
west: shop/web shop/db(headless db-0)
${renamed}
${created}
again
none
west: shop/web shop/db(headless listed)
none
`);
});

describe("mirrors of former names", () => {
  testScenarios(`
# stay in the run that creates the present ones, and their lines say until when
${both}
= shop/web-west: gateway mirror of web: http 80→8080/TCP; stays until shop/west-web is in place
= shop/db-west: headless mirror of db: http 80→8080/TCP, 1 pod; stays until shop/west-db is in place
= shop/db-0-west: endpoint mirror of db-0.db: http 80→8080/TCP; stays until shop/west-db is in place
again
${deleted}
# stay until the present ones are as they should be
${both}
edit shop/west-web: without Endpoints
~ gateway shop/west-web: endpoints
- headless shop/db-west, endpoint shop/db-0-west
# stay until the present ones are as they should be, and those of pods too
${both}
edit shop/west-db: without Endpoints
~ headless shop/west-db: endpoints
- gateway shop/web-west
# stay with those of all pods until the present ones of each are as they should be
${both}
edit shop/west-db-0: without Endpoints
~ endpoint shop/west-db-0: endpoints
- gateway shop/web-west
# stay for their own successors in a namespace and of a headless Service called svc
west: svc/svc(headless db-0) svc/web shop/web
+ headless svc/svc-west, endpoint svc/db-0-west, gateway svc/web-west, gateway shop/web-west
${renamed}
+ headless svc/west-svc, endpoint svc/west-db-0, gateway svc/west-web, gateway shop/west-web
= svc/svc-west: headless mirror of svc: http 80→8080/TCP, 1 pod; stays until svc/west-svc is in place
= svc/db-0-west: endpoint mirror of db-0.svc: http 80→8080/TCP; stays until svc/west-svc is in place
= svc/web-west: gateway mirror of web: http 80→8080/TCP; stays until svc/west-web is in place
= shop/web-west: gateway mirror of web: http 80→8080/TCP; stays until shop/west-web is in place
# are deleted at once with formerNames: delete
${former}
link west: { names: "{target}-{service}", formerNames: delete }
${created}
${deleted}
# stay with their headless mirror if a single pod can't have its present name
west: shop/db(headless ${pod})
+ headless shop/db-west, endpoint shop/${pod}-west
link west: { names: "far-away-{service}", formerNames: delete }
+ headless shop/far-away-db
! NameTooLong shop/db pod ${pod}
# are none that have their present name, though a pod can't have a mirror
west: shop/db(headless db-0 db-1); link west: { readiness: follow }
+ headless shop/db-west, endpoint shop/db-0-west, endpoint shop/db-1-west
west: shop/db(headless db-1 ${pod}${pod})
- endpoint shop/db-0-west
~ headless shop/db-west
! NameTooLong shop/db pod ${pod}${pod}
# stay with their headless mirror, even those of missing pods
${former}
west: shop/db(headless db-1)
${renamed}
- gateway shop/web-west
+ headless shop/west-db, endpoint shop/west-db-1
# stay in the run that makes the present ones headless
${former}
link west: { names: "{target}-{service}", headless: false }
+ gateway shop/west-web, gateway shop/west-db
${renamed}
- gateway shop/web-west
± headless shop/west-db
+ endpoint shop/west-db-0
# count neither as deletions nor as mirrors of their link
${former}
link west: { names: "{target}-{service}", maxDeletions: 0, maxMirrors: 3 }
${created}
again
${deleted}
# count neither as deletions nor as mirrors with formerNames: delete
${former}
link west: { names: "{target}-{service}", maxDeletions: 0, maxMirrors: 3, formerNames: delete }
${created}
${deleted}
# count as deletions if their Service is gone
${both}
west: shop/db(headless db-0); link west: { names: "{target}-{service}", maxDeletions: 0 }
? west: link east → west would delete 2 of its 6 mirrors on east
# are deleted with their Services
${former}
west: shop/db(headless db-0)
${renamed}
- gateway shop/web-west
+ headless shop/west-db, endpoint shop/west-db-0
`);

  for (const [link, reason] of [
    [`names: "{service}-${"x".repeat(60)}"`, "NameTooLong"],
    ['names: "1-{service}"', "InvalidName"],
    ['names: "{service}"', "NotOurs"],
    ["mirrorNamespaces: { shop: none }", "MissingNamespace"],
  ] as const)
    for (const formerNames of ["keep", "delete"])
      testScenarios(`
# stay if a mirror can't have the present name, with formerNames ${formerNames}: ${reason}
west: shop/web
+ gateway shop/web-west
east: shop/web; link west: { ${link}, formerNames: ${formerNames} }
! ${reason} shop/web
`);
});

describe("mirrors in namespaces of a link's own", () => {
  const link = "mirrorNamespaces: { shop: shop-west, '*': '{namespace}-west' }";
  testScenarios(`
# have their Endpoints there, and name the namespaces of their Services
west: shop/web shop/db(headless db-0); link west: { ${link} }; east: shop/ shop-west/ blog/
+ endpoint shop-west/db-0-west, headless shop-west/db-west, gateway shop-west/web-west
${["web", "db", "db-0"].map((name) => `edit shop-west/${name}-west: { metadata: { annotations: { mirror.linkerd.io/remote-svc-fq-name: x } } }`).join("\n")}
~ gateway shop-west/web-west: annotation remote-svc-fq-name: "x" → "web.shop.svc.cluster.local"
~ headless shop-west/db-west: annotation remote-svc-fq-name: "x" → "db.shop.svc.cluster.local"
~ endpoint shop-west/db-0-west: annotation remote-svc-fq-name: "x" → "db-0.db.shop.svc.cluster.local"
west: shop/web shop/db(headless listed)
none
# are created with the namespace, if the link creates namespaces
west: blog/web; link west: { ${link} }
! MissingNamespace blog/web: east has no namespace blog-west: create it there, or set createNamespaces on the link
link west: { ${link}, createNamespaces: true }
+ namespace blog-west, gateway blog-west/web-west
# are refused on a flat network, where Linkerd looks in the mirror's own namespace
west: shop/web; east: shop/ shop-west/
link west: { ${link}, remoteDiscoverySelector: { matchLabels: { mirror.linkerd.io/exported: "true" } }, selector: {} }
! OtherNamespace shop/web: mirrorNamespaces puts its mirror into the namespace shop-west, and Linkerd discovers pods only for a mirror in the Service's own namespace: map shop to itself, or export it through a gateway
`);
});
