import { deepEqual, equal, match } from "node:assert/strict";
import { type LiveGate, openTarget } from "../../../engine/admitting/objects.ts";
import { type Strangers, strangersOf } from "../../../engine/admitting/strangers.ts";
import { exported } from "../fixtures/objects.ts";
import { stack } from "../fixtures/marks.ts";
import { Gateway } from "./gateway.ts";

const namespace = "linkerd-multicluster";
const metadata = (name: string) => ({ name, namespace });
const none = {
  servers: [],
  serverAuthorizations: [],
  httpRoutes: [],
  grpcRoutes: [],
  accounts: [],
};
const nothing = { routes: [], policies: [], authentications: [] };
const attached = { metadata: metadata("mine"), spec: { parentRefs: [openTarget] } };
const elsewhere = {
  metadata: metadata("probe"),
  spec: { parentRefs: [{ kind: "Server", name: "linkerd-admin" }] },
};
const policyFor = (kind: string, name: string) => ({
  metadata: metadata("mine"),
  spec: { targetRef: { kind, name } },
});
const strangers = (some: Partial<Strangers>) => ({ strangers: { ...none, ...some } });
const server = (name: string, accessPolicy?: string) => ({
  metadata: metadata(name),
  ...(accessPolicy !== undefined && { spec: { accessPolicy } }),
});
const rights = (to: { readonly name?: string; readonly selector?: unknown }) => ({
  serverAuthorizations: [{ metadata: metadata("mine"), spec: { server: to } }],
});
const account = (owner: string) => ({
  accounts: [
    { metadata: { ...metadata("account"), annotations: { "linkerd-multicluster/link": owner } } },
  ],
});

function warnings({
  strangers = none,
  ...live
}: Partial<LiveGate & { readonly strangers: Strangers }>): readonly string[] {
  return strangersOf({ ...nothing, ...live }, strangers, new Gateway().args, [stack]);
}

describe("a closed gateway's preview warns", () => {
  for (const [what, live] of [
    ["AuthorizationPolicy mine", { policies: [policyFor("Server", "linkerd-gateway")] }],
    ["AuthorizationPolicy mine", { policies: [policyFor("Namespace", namespace)] }],
    [
      "AuthorizationPolicy linkerd-gateway",
      { policies: [{ ...policyFor("HTTPRoute", "other"), metadata: metadata("linkerd-gateway") }] },
    ],
    ["HTTPRoute mine", { routes: [attached] }],
    [
      "HTTPRoute (gateway.networking.k8s.io) mine",
      strangers({ httpRoutes: [attached, elsewhere] }),
    ],
    ["GRPCRoute mine", strangers({ grpcRoutes: [attached, elsewhere] })],
    ["ServerAuthorization mine", strangers(rights({ name: "linkerd-gateway" }))],
    ["ServerAuthorization mine", strangers(rights({ selector: {} }))],
    [
      "Server linkerd-gateway (accessPolicy: all-authenticated)",
      strangers({ servers: [server("linkerd-gateway", "all-authenticated")] }),
    ],
  ] as const)
    it(`of ${what} (${Object.keys(live).join()})`, () => {
      deepEqual(warnings(live), [
        `${what} in ${namespace} on west may admit others to the closed gateway: delete or change it if that isn't meant`,
      ]);
    });

  it("of a policy that somebody attaches to one of its own routes", async () => {
    const gateway = new Gateway(exported("shop/web"));
    await gateway.up();
    const policy = policyFor("HTTPRoute", "exported-none");
    gateway.server.put("authorizationpolicies", policy);
    match((await gateway.notes("take")).join(), /AuthorizationPolicy mine in .* may admit others/);
  });

  it("of a link of another stack that the config doesn't list, by its account", () => {
    const [first = "", ...more] = warnings(strangers(account("acme/other/dev south/west")));
    match(first, /refuses clients of south, because stack acme\/other\/dev has a link from there/);
    equal(more.length, 0);
  });

  it("of nothing that leaves it closed", () => {
    for (const live of [
      {},
      { policies: [policyFor("Server", "linkerd-admin"), policyFor("HTTPRoute", "other")] },
      strangers({
        httpRoutes: [elsewhere],
        servers: [
          server("linkerd-gateway"),
          server("linkerd-gateway", "deny"),
          server("linkerd-admin", "all-authenticated"),
        ],
      }),
      strangers(rights({ name: "linkerd-admin" })),
      strangers(account("acme/other/dev east/west")),
      strangers(account(`${stack} gone/west`)),
      strangers({ accounts: [{ metadata: metadata("account") }] }),
    ])
      deepEqual(warnings(live), []);
  });
});
