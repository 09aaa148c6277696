import { testScenarios } from "../../fixtures/scenario.ts";

const route = "route shop/web-failover-80: web 1000000";
const fails = "config: { failover: { shop/web: [local, west] } }";
const first = `west: shop/web; link west: { maxDeletions: 0 }; east: shop/web(plain); ${fails}
+ gateway shop/web-west
+ ${route}, web-west 1`;
/** A Service of a tenant has this stack's mark and says that it is a mirror of shop/web. */
const forged = (key: string, words: string) =>
  `${key}(${words} by=acme/mesh/dev @mirror.linkerd.io/remote-svc-fq-name=web.shop.svc.cluster.local)`;
const isRefused = "? west: link east → west would delete 1 of its 1 mirror on east";

describe("the backends of a failover", () => {
  const unjudged =
    "! failover shop/web: its requests don't fail over to west before a run can judge the mirrors from there";
  for (const [where, service, found, others = ""] of [
    ["in another namespace", forged("evil/web-west", "of=west"), "/ gateway evil/web-west: nobody"],
    ["that a finalizer keeps", forged("evil/web-west", "of=west going"), ""],
    ["under another name", forged("shop/a-west", "of=west"), "/ gateway shop/a-west: nobody"],
    [
      "for remote discovery",
      forged("evil/web-west", "of=west multicluster.linkerd.io/remote-discovery=west"),
      "/ discovery evil/web-west: nobody",
    ],
    ["without a cluster", forged("evil/web-west", "of="), ""],
    [
      "that is federated",
      forged("evil/web", "fed=web@west"),
      ...Array<string>(2).fill("/ federated evil/web-federated: nobody"),
    ],
  ])
    for (const [what, west, says] of [
      ["is unreachable", "unreachable", unjudged],
      [
        "exports no such Service",
        "shop/api",
        `! failover shop/web: east has no mirror of it from west\n${found}`,
      ],
      ["loses too many Services", "nothing", `${unjudged}\n${isRefused}\n${others}`],
    ] as const)
      testScenarios(`
# never include a forged mirror ${where}, if the target ${what}
west: shop/api; link west: { maxDeletions: 0 }; east: shop/web(plain)
+ gateway shop/api-west
west: ${west}; east: ${service}; ${fails}
${says}
`);
  testScenarios(`
# keep what they have while the target is in doubt, and forged mirrors never come first
${first}
west: unreachable; east: ${forged("evil/a-west", "of=west")}
none
west: nothing
${isRefused}
west: shop/web linkerd-multicluster/
! NoGateway shop/web
# keep the former mirror until the target can be read, with other names
${first}
link west: { names: "{target}-{service}" }; west: unreachable
none
west: shop/web
+ gateway shop/west-web
~ ${route}, west-web 1
# keep the former mirror until the target can be read, with another namespace
${first}
link west: { mirrorNamespaces: { shop: far } }; west: unreachable; east: far/
none
west: shop/web
+ gateway far/web-west
~ ${route}, far/web-west 1
# gain an existing mirror of the Service's own namespace while the target is in doubt
west: shop/web; east: shop/web(plain)
+ gateway shop/web-west
west: unreachable; ${fails}
+ ${route}, web-west 1
# never gain an existing mirror of another namespace while the target is in doubt
west: shop/web; east: shop/web(plain) far/; link west: { mirrorNamespaces: { shop: far } }
+ gateway far/web-west
west: unreachable; ${fails}
${unjudged}
# keep a mirror that a finalizer keeps while its Service can't be mirrored
${first}
edit shop/web-west: { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }
west: shop/web linkerd-multicluster/
! NoGateway shop/web
# lose a mirror that a finalizer keeps and whose Service isn't exported, although another can't be mirrored
${first}
edit shop/web-west: { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }
west: shop/api linkerd-multicluster/
! NoGateway shop/api
- ${route}, web-west 1
! failover shop/web: east has no mirror of it from west
# lose a mirror that is disproved, although a finalizer keeps it
${first}
edit shop/web-failover-80: { spec: { rules: [{ backendRefs: [{ name: web }, { namespace: evil, name: web-west }] }] } }
edit shop/web-west: gone
east: ${forged("evil/web-west", "of=west going")}; west: unreachable
~ ${route}, evil/web-west 1
west: nothing
- ${route}, evil/web-west 1
! failover shop/web: east has no mirror of it from west
`);
});
