import { testScenarios } from "../../fixtures/scenario.ts";

const live = (owner: string, words = "noaddress") =>
  `east: shop/db-west(${owner} ${words} by=acme/mesh/dev)`;
const pair = "+ headless shop/db-west, endpoint shop/db-0-west";
const ports = (count: number) => Array.from({ length: count }, (_, n) => `p${n}`).join();
const replicas = (count: number) => Array.from({ length: count }, (_, n) => `db-${n}`).join(" ");
const has = "! TooLarge shop/db: the Endpoints of the headless Service shop/db have";

describe("the mirror of a headless Service (linkerd-behaviour.md 3.1, 3.5)", () => {
  testScenarios(`
# is headless with a named pod
west: shop/db(headless db-0)
${pair}
# is headless with a named pod that is not ready
west: shop/db(headless _ !db-0); link west: { readiness: follow }
+ headless shop/db-west
# has an address where no pod has a name
west: shop/db(headless _ !_)
+ gateway shop/db-west
# has an address where the link does not do headless mirrors
west: shop/db(headless db-0); link west: { headless: false }
+ gateway shop/db-west
# [Q] becomes headless though it was not
west: shop/db(headless db-0); ${live("of=west", "")}
+ endpoint shop/db-0-west
± headless shop/db-west
# [Q] gets an address though it was headless
west: shop/db(headless _); ${live("of=west")}
± gateway shop/db-west
# waits where there are no subsets
west: shop/db(headless listed)
! NoPods shop/db
# waits where there are no Endpoints
west: shop/db(headless)
! NoPods shop/db
# stays headless without Endpoints
west: shop/db(headless); ${live("of=west")}
~ headless shop/db-west
# keeps its address without pods
west: shop/db(headless); ${live("of=west", "")}
~ gateway shop/db-west
# waits without pods though something foreign has its name
west: shop/db(headless); east: shop/db-west(plain mirrored=true noaddress)
! NoPods shop/db
# waits without pods though another's mirror has it
west: shop/db(headless); ${live("of=north")}
! NoPods shop/db
# does not wait where the link does not do headless mirrors
west: shop/db(headless); link west: { headless: false }
+ gateway shop/db-west
# is not judged by Endpoints that name only some pods
west: shop/db(headless db-0 @truncated=truncated)
! TruncatedEndpoints shop/db: the headless Service shop/db has more than 1,000 pods, and its Endpoints list only the first 1,000: split it into several
# has an address whatever number of unnamed pods there are
west: shop/db(headless _ @truncated=truncated)
+ gateway shop/db-west
# is judged by Endpoints with a truncation that is over
west: shop/db(headless db-0 @truncated=)
${pair}
# waits for the gateway first
west: shop/db(headless db-0) linkerd-multicluster/
! NoGateway shop/db
# is skipped if it has more pods than a mirror may have
west: shop/db(headless ${replicas(1_001)})
${has} 1,001 pods and those of a mirror at most 1,000: split it into several
# is skipped if it has more ports than a mirror may have
west: shop/db(headless db-0 pods:${ports(101)})
${has} 101 ports and those of a mirror at most 100: split it into several
# is skipped if it lists a pod too often
west: shop/db(headless ${"db-0 + ".repeat(139_999)} db-0)
${has} 140,000 pods and those of a mirror at most 1,000: split it into several
# may have as many ports
west: shop/db(headless db-0 pods:${ports(100)})
${pair}
# may have as many pods
west: shop/db(headless ${replicas(1_000)})
+ headless shop/db-west
${Array.from({ length: 1_000 }, (_, n) => `+ endpoint shop/db-${n}-west`).join("\n")}
`);
});

describe("a headless Service without Endpoints that list pods", () => {
  const none =
    "! NoPods shop/db: the headless Service shop/db on west has no Endpoints with addresses";
  testScenarios(`
# may have pods in EndpointSlices alone, unless Kubernetes writes its Endpoints
west: shop/db(headless listed select=db)
! NoPods shop/db: the headless Service shop/db on west has no pods yet
west: shop/db(headless select=db)
${none}
west: shop/db(headless listed)
${none}
west: shop/db(headless)
${none}
`);
});
