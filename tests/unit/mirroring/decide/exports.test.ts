import { deepEqual } from "node:assert/strict";
import { copiedAnnotations } from "../../../../engine/model/metadata.ts";
import { recordOf } from "../../../../engine/model/narrowing.ts";
import { link } from "../../fixtures/link.ts";
import { exported } from "../../fixtures/objects.ts";
import { testScenarios } from "../../fixtures/scenario.ts";

const all = ":http,admin,dns";
const clusters = (list: string) => `west: shop/web(${all} @clusters="${list}")`;
const says = (list: string) => `its annotation linkerd-multicluster/clusters: "${list}"`;

describe("clusters that an exported Service lists", () => {
  for (const list of ["east", "north,east", " east , north ", "ea*", "*", "north,*"])
    testScenarios(`
# let a cluster import it that is among them: "${list}"
${clusters(list)}
+ gateway shop/web-west
link west: { privateUnlessListed: true }
none
`);

  for (const list of ["north", "eas", "east2", "e-*,north"])
    testScenarios(`
# don't let any other import it: "${list}"
${clusters(list)}
! NotListed shop/web: ${says(list)} does not name east: add it there if it may import the Service
`);

  for (const list of ["", "east,", "east north", "north,e t", "East", "e*t", "east;north", "**"])
    testScenarios(`
# let nobody import it if they can't be read: "${list}"
${clusters(list)}
! InvalidExport shop/web: ${says(list)} is not a list of cluster names separated by commas, so no cluster may import it: correct it, such as linkerd-multicluster/clusters: "east,north-*"
`);

  testScenarios(`
# are required with privateUnlessListed
west: shop/web
+ gateway shop/web-west
link west: { privateUnlessListed: true, maxDeletions: 1 }
- gateway shop/web-west
! NotListed shop/web: west has privateUnlessListed and the Service no annotation linkerd-multicluster/clusters: name east in one if it may import the Service
# can be narrowed by the link, and not widened
west: shop/web(@clusters=east) shop/api(@clusters=x); link west: { namespaces: [blog] }
! ExcludedNamespace shop/api
! ExcludedNamespace shop/web
link west: { namespaces: ["*"] }
+ gateway shop/web-west
! NotListed shop/api
# decide about members of a federated Service, but for that of the cluster itself
west: demo/bb(member @clusters=east); north: demo/bb(member @clusters=west)
east: demo/bb(member @clusters=west)
+ federated demo/bb-federated
= demo/bb-federated: federated Service of bb@west, local bb
! NotListed demo/bb: its annotation linkerd-multicluster/clusters: "west" does not name east
`);

  it("are not copied to mirrors, nor are ports", () => {
    const [prefix, others] = ["linkerd-multicluster", { a: "b" }];
    const annotations = { [`${prefix}/clusters`]: "east", [`${prefix}/ports`]: "http", ...others };
    deepEqual(copiedAnnotations(exported("shop/web", { annotations }), link()), others);
  });
});

describe("ports that an exported Service lists", () => {
  const web = (list: string) => `west: shop/web(${all} @ports="${list}")`;
  const http = "http 80→8080/TCP";
  for (const [list, expected, leads] of [
    ["http", http, "http 4143/TCP"],
    ["9090 , http", `admin 9090/TCP, ${http}`, "admin 4143/TCP, http 4143/TCP"],
    ["80", `dns 80/UDP, ${http}`, "dns 4143/UDP, http 4143/TCP"],
    ["dns,gone", "dns 80/UDP", "dns 4143/UDP"],
  ] as const)
    testScenarios(`
# are those of its mirror and of the mirror's Endpoints: "${list}"
${web(list)}
+ gateway shop/web-west
= shop/web-west: gateway mirror of web: ${expected}
edit shop/web-west: without Endpoints
~ gateway shop/web-west: endpoints: no object → 192.0.2.10 (${leads})
`);

  for (const list of ["gone", "", "http admin", "8080"])
    testScenarios(`
# let nobody import the Service if they name none of its ports: "${list}"
${web(list)}
! InvalidExport shop/web: its annotation linkerd-multicluster/ports: "${list}" names none of its ports: correct it, such as linkerd-multicluster/ports: "http"
`);

  const headless = (words: string) => `west: shop/db(headless ${words})`;
  testScenarios(`
# are those of a headless mirror, of its Endpoints and of its pods' mirrors, also while pods are missing
${headless(":http,admin pods:http,admin db-0 @ports=http")}
+ headless shop/db-west, endpoint shop/db-0-west
= shop/db-west: headless mirror of db: ${http}, 1 pod
= shop/db-0-west: endpoint mirror of db-0.db: ${http}
edit shop/db-west: without Endpoints
~ headless shop/db-west: endpoints: no object → db-0@10.96.0.1 (http 8080/TCP)
${headless(":http,admin pods:http,admin db-0")}
~ headless shop/db-west: ports: ${http} → admin 9090/TCP, ${http}, endpoints: db-0@10.96.0.1 (http 8080/TCP) → db-0@10.96.0.1 (admin 8080/TCP, http 8080/TCP)
~ endpoint shop/db-0-west: ports
${headless(":http,admin listed @ports=http")}
~ headless shop/db-west: ports: admin 9090/TCP, ${http} → ${http}, endpoints: db-0@10.96.0.1 (admin 8080/TCP, http 8080/TCP) → db-0@10.96.0.1 (http 8080/TCP)
~ endpoint shop/db-0-west: ports
# need no name to be suggested
west: shop/web(:80 @ports=http)
! InvalidExport shop/web: its annotation linkerd-multicluster/ports: "http" names none of its ports: correct it, such as linkerd-multicluster/ports: "80"
# are reported if the Service lacks some of them and is exported to the cluster
west: shop/web(${all} @ports=http,gone) shop/api(member ${all} @ports=http,gone) shop/whole(${all} @ports=http) shop/others(${all} @ports=http,gone @clusters=north) shop/none(${all} @ports=gone exported=no)
+ gateway shop/web-west, gateway shop/whole-west, federated shop/api-federated
! NotListed shop/others
> east → west: the annotation linkerd-multicluster/ports on west names ports that don't exist (shop/web has no port "gone", shop/api has no port "gone"): correct it there
> east: Linkerd in east finds no pods of other clusters for shop/api-federated without credentials for these clusters
`);
});

describe("ports of a federated Service whose members list some", () => {
  const joins = "+ federated demo/bb-federated\n= demo/bb-federated: federated Service of";
  const two = (ports = "") => `demo/bb(member :http,admin ${ports})`;
  const [http, admin] = ["http 80→8080/TCP", "admin 9090/TCP"];
  const lists = "multicluster.linkerd.io/remote-discovery";
  const omits = JSON.stringify(
    recordOf("acme/mesh/other", { ports: new Set(["9090/TCP"]), rules: [] }),
  );
  const bulk = Array.from({ length: 200 }, (_, n) => `a${n}=x`).join(" ");
  testScenarios(`
# are not taken from the others by one that would join
west: ${two()}; north: ${two("@ports=http")}
${joins} bb@west: ${admin}, ${http}
! NarrowsOthers demo/bb
zoo: demo/bb(member :http,admin,dns); east: ${two()}
~ federated demo/bb-federated: annotation local-discovery: none → "bb", annotation remote-discovery: "bb@west" → "bb@west,bb@zoo"
! NarrowsOthers demo/bb
east: demo/bb(plain)
~ federated demo/bb-federated: annotation local-discovery: "bb" → none
! NarrowsOthers demo/bb
> east: demo/bb: its ports are those of west (admin 9090/TCP, http 80/TCP), and differ from admin 9090/TCP, dns 80/UDP, http 80/TCP on zoo: give all members the same ports
# are fewer for all, with a note, if a member that is in omits some
north: ${two("@ports=http")}
${joins} bb@north: ${http}
far: ${two()}
~ federated demo/bb-federated
= demo/bb-federated: federated Service of bb@north, bb@far: ${http}
> east: demo/bb: its ports are fewer than those of far (admin 9090/TCP, http 80/TCP), since another member omits the others
# stay as few while the member that omits some can't be read, or not be judged and still omits them
west: ${two("@ports=http")}; north: demo/bb(member :http)
${joins} bb@west, bb@north: ${http}
north: ${two()}
none
west: unreachable
none
west: ${two(`@ports=http ${bulk}`)}
! TooLarge demo/bb
west: ${two(bulk)}
! TooLarge demo/bb
~ federated demo/bb-federated: ports: ${http} → ${admin}, ${http}
# include those that every member lists
west: ${two("@ports=http,admin")}; north: ${two("@ports=admin,http")}
${joins} bb@west, bb@north: ${admin}, ${http}
# are never none: of members that omit each other's, the first one joins
west: ${two("@ports=http")}; north: ${two("@ports=admin")}
${joins} bb@north: ${admin}
! NarrowsOthers demo/bb
# are no port of a new member that has only what the others omit
west: ${two("@ports=http")}
${joins} bb@west: ${http}
north: demo/bb(member :admin)
! NoCommonPort demo/bb
# keep a member that has only what another stack omits, which may throw out none
west: demo/bb(member :admin)
${joins} bb@west: ${admin}
edit demo/bb-federated: by acme/mesh/dev#west; edit demo/bb-federated: by acme/mesh/other#south
edit demo/bb-federated: { metadata: { annotations: { ${lists}: "bb@west,bb@south" } } }
edit demo/bb-federated: { metadata: { annotations: ${omits} } }
! NoCommonPort demo/bb
= demo/bb-federated: federated Service of bb@west, bb@south: ${admin}
# lose those of a member that leaves as one that omits them joins
west: ${two()}; north: nothing
${joins} bb@west: ${admin}, ${http}
west: nothing; north: ${two("@ports=http")}
~ federated demo/bb-federated
= demo/bb-federated: federated Service of bb@north: ${http}
# lose what a member begins to omit if no other has it
west: ${two()}
${joins} bb@west: ${admin}, ${http}
west: ${two("@ports=http")}
~ federated demo/bb-federated
= demo/bb-federated: federated Service of bb@west: ${http}
# are protected by no member that leaves
west: ${two()}; north: ${two()}; zoo: ${two()}
${joins} bb@west, bb@north, bb@zoo: ${admin}, ${http}
north: demo/bb(member :http); west: ${two("@ports=admin")}; zoo: ${two("@ports=http")}
~ federated demo/bb-federated: ports: ${admin}, ${http} → ${http}, annotation remote-discovery: "bb@west,bb@north,bb@zoo" → "bb@north,bb@zoo"
! NarrowsOthers demo/bb
# are no fewer for another stack that has marked a member which isn't listed
west: ${two()}
${joins} bb@west: ${admin}, ${http}
edit demo/bb-federated: by acme/mesh/other#.local
edit demo/bb-federated: { metadata: { annotations: ${omits} } }
~ federated demo/bb-federated
= demo/bb-federated: federated Service of bb@west: ${admin}, ${http}
# stay as few for another stack's member beside one that is adopted from it
west: ${two()}; north: ${two()}; link west: { adoptFrom: [acme/mesh/other] }
east: demo/bb(fed=bb@west,bb@north by=acme/mesh/other#west by=acme/mesh/other#north :http)
edit demo/bb-federated: { metadata: { annotations: ${omits} } }
✓ federated demo/bb-federated
# lose what another stack omits even while the first member can't be read
west: ${two()}; north: ${two()}
${joins} bb@west, bb@north: ${admin}, ${http}
edit demo/bb-federated: by acme/mesh/other#south
edit demo/bb-federated: { metadata: { annotations: { ${lists}: "bb@west,bb@north,bb@south" } } }
edit demo/bb-federated: { metadata: { annotations: ${omits} } }
north: unreachable
~ federated demo/bb-federated: ports: ${admin}, ${http} → ${http}
# lose a member that begins to omit what others have
west: ${two()}; north: ${two()}
${joins} bb@west, bb@north: ${admin}, ${http}
west: ${two("@ports=http")}
~ federated demo/bb-federated: annotation remote-discovery: "bb@west,bb@north" → "bb@north"
! NarrowsOthers demo/bb
`);
});
