import { deepEqual, match } from "node:assert/strict";
import { admission, type Asked, type Policies } from "../../../tool/policies.ts";

const metadata = (name: string, labels = {}) => ({ name, namespace: "shop", labels });
const gateway =
  "linkerd-gateway.linkerd-multicluster.serviceaccount.identity.linkerd.cluster.local";
const asked: Asked = { cluster: "west", service: "shop/web", identity: gateway };
const flat: Asked = { ...asked, identity: undefined };

function found(more: Partial<Policies> = {}, policy = "all-unauthenticated"): Policies {
  const env = [{ name: "LINKERD2_PROXY_INBOUND_DEFAULT_POLICY", value: policy }];
  return {
    service: {
      metadata: metadata("web"),
      spec: { selector: { app: "web" }, ports: [{ port: 80, targetPort: 8080 }] },
    },
    pod: {
      metadata: metadata("web-1", { app: "web" }),
      spec: { containers: [{ name: "web" }], initContainers: [{ name: "linkerd-proxy", env }] },
    },
    ...{ servers: [], policies: [], authentications: [], serverAuthorizations: [], ...more },
  };
}

const server = (more = {}) => ({
  metadata: metadata("web"),
  spec: { podSelector: { matchLabels: { app: "web" } }, port: 8080, ...more },
});
const policyFor = (targetRef: { kind: string; name: string }, ...kinds: readonly string[]) => ({
  metadata: metadata("web"),
  spec: { targetRef, requiredAuthenticationRefs: kinds.map((kind) => ({ kind, name: "known" })) },
});
const ofServer = { kind: "Server", name: "web" };
const known = (...identities: readonly string[]) => [
  { metadata: metadata("known"), spec: { identities } },
];
const admitting = (...identities: readonly string[]) =>
  found({
    servers: [server()],
    policies: [policyFor(ofServer, "MeshTLSAuthentication")],
    authentications: known(...identities),
  });
const stateOf = (of: Policies, by = asked) => admission(by, of).state;

describe("the policies on the way of a request", () => {
  it("are the proxy's own default where no Server takes the pods", () => {
    deepEqual(stateOf(found()), "fine");
    deepEqual(stateOf(found({}, "cluster-authenticated")), "fine");
    deepEqual(stateOf(found({}, "deny")), "broken");
    deepEqual(stateOf({ ...found(), pod: undefined }), "unknown");
    const other = [
      server({ port: 9090 }),
      server({ podSelector: { matchLabels: { app: "api" } } }),
    ];
    deepEqual(stateOf(found({ servers: other }, "deny")), "broken");
    match(admission(asked, found({ servers: other })).says, /no Server takes the pods/);
  });

  it("are not known where a Server names a port that the Service numbers, or the other way round", () => {
    deepEqual(stateOf(found({ servers: [server({ port: "http" })] })), "unknown");
    const of = found({ servers: [server()] });
    const spec = { ...of.service.spec, ports: [{ port: 80, targetPort: "http" }] };
    deepEqual(stateOf({ ...of, service: { ...of.service, spec } }), "unknown");
  });

  it("let in nobody by a Server without a policy, unless that lets in by itself", () => {
    const { state, says } = admission(asked, found({ servers: [server()] }));
    deepEqual(state, "broken");
    match(says, /Server web in west\/shop lets in nobody, and not the gateway's linkerd-gateway/);
    deepEqual(stateOf(found({ servers: [server({ accessPolicy: "all-authenticated" })] })), "fine");
    deepEqual(stateOf(found({ servers: [server({ podSelector: {} })] })), "broken");
  });

  it("let in a gateway that they name, by whatever pattern", () => {
    for (const name of [
      "*",
      gateway,
      "*.linkerd-multicluster.serviceaccount.identity.linkerd.cluster.local",
    ])
      deepEqual(stateOf(admitting("other", name)), "fine", name);
    deepEqual(
      stateOf(admitting("client.shop.serviceaccount.identity.linkerd.cluster.local")),
      "broken",
    );
    const account = found({
      servers: [server()],
      policies: [policyFor({ kind: "Namespace", name: "shop" }, "MeshTLSAuthentication")],
      authentications: [
        {
          metadata: metadata("known"),
          spec: { identityRefs: [{ kind: "Namespace", name: "linkerd-multicluster" }] },
        },
      ],
    });
    deepEqual(stateOf(account), "fine");
  });

  it("are the client's own matter on a flat network, unless they let in all or nobody", () => {
    deepEqual(stateOf(admitting("*"), flat), "fine");
    deepEqual(stateOf(admitting("client.shop"), flat), "doubtful");
    deepEqual(stateOf(found({ servers: [server()] }), flat), "broken");
  });

  it("are not known where networks, routes or the former kind of policies decide too", () => {
    const of = { servers: [server()] };
    const network = { policies: [policyFor(ofServer, "NetworkAuthentication")] };
    const routes = { policies: [policyFor({ kind: "HTTPRoute", name: "web" })] };
    const former = { serverAuthorizations: [{}] };
    for (const more of [network, routes, former])
      deepEqual(stateOf(found({ ...of, ...more })), "unknown");
    deepEqual(stateOf(found({ servers: [server(), server()] })), "unknown");
  });
});
