import { testScenarios } from "../../fixtures/scenario.ts";

describe("a mirror that this run doesn't want", () => {
  testScenarios(`
west: shop/db(headless db-0) shop/web
+ headless shop/db-west, endpoint shop/db-0-west, gateway shop/web-west
# goes where its Service says that it is not exported
west: shop/db(headless db-0 exported=false) shop/web
- endpoint shop/db-0-west, headless shop/db-west
# goes where its namespace is said to be missing
lacking shop
- endpoint shop/db-0-west, headless shop/db-west, gateway shop/web-west
! MissingNamespace shop/db
! MissingNamespace shop/web
# stays where its namespace is being deleted
east: shop/(going)
! TerminatingNamespace shop/db
! TerminatingNamespace shop/web
# stays where the gateway is not to be found now, and is listed as it is live
west: shop/db(headless db-0) shop/web linkerd-multicluster/
! NoGateway shop/db
! NoGateway shop/web
= shop/db-west: headless mirror of db: http 80→8080/TCP, 1 pod
= shop/db-0-west: endpoint mirror of db-0.db: http 80→8080/TCP
= shop/web-west: gateway mirror of web: http 80→8080/TCP
# stays where its Endpoints name only some of its pods
west: shop/db(headless db-1 @truncated=truncated) shop/web
! TruncatedEndpoints shop/db
# stays where its Service has too many labels by now
west: shop/db(headless db-0 ${Array.from({ length: 200 }, (_, n) => `a${n}=x`).join(" ")}) shop/web
! TooLarge shop/db
# is deleted if only its Endpoints are left
edit shop/web-west: without Service; west: shop/db(headless db-0)
- gateway shop/web-west
`);
});

describe("namespaces", () => {
  testScenarios(`
# are created once each, with createNamespaces, and never deleted
west: b/web a/web a/db; east: nothing; link west: { createNamespaces: true }
+ gateway a/db-west, gateway a/web-west, gateway b/web-west, namespace a, namespace b
west: nothing
- gateway a/db-west, gateway a/web-west, gateway b/web-west
west: a/web b/web; link west: {}
+ gateway a/web-west, gateway b/web-west
# are used by another link in the run that creates them
west: new/web joint/bb(member); north: new/api joint/web none/web; south: unreachable; east: nothing
link west: { createNamespaces: true }; link south: { createNamespaces: true }
+ namespace joint, namespace new, gateway new/web-west, gateway joint/web-north, gateway new/api-north
+ federated joint/bb-federated
! MissingNamespace none/web
# aren't created for a Service that can't be mirrored
west: a/web(:); east: nothing; link west: { createNamespaces: true }
! NoPorts a/web
west: a/web; link west: {}
! MissingNamespace a/web
`);
});
