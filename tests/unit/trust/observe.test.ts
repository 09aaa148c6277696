import { deepEqual, equal, match } from "node:assert/strict";
import { inspect } from "node:util";
import { bundleText, trustRootHash } from "../../../engine/trust/bundle.ts";
import type { PresentTrust } from "../../../engine/trust/live.ts";
import { isRotating, observeTrust } from "../../../engine/trust/observe.ts";
import {
  absent as missing,
  type Received,
  type Reply,
  status,
  withCluster,
} from "../kubernetes/scripted-cluster.ts";
import { authority, issuerUnder } from "./certificates.ts";
import { absent, anchors, live, present } from "./live.ts";

const [old, next] = [authority({ name: "old" }), authority({ name: "next" })];
const issuer = issuerUnder(old);
const both = bundleText(anchors(next, old));

/** What the API serves, by path; all else is not found. */
type Objects = Readonly<Record<string, unknown>>;

const rootsPath = "/api/v1/namespaces/linkerd/configmaps/linkerd-identity-trust-roots";
const issuerPath = "/api/v1/namespaces/linkerd/secrets/linkerd-identity-issuer";
const podsPath = "/api/v1/pods";

const encoded = (text: string): string => Buffer.from(text).toString("base64");
const roots = (text: string) => ({
  kind: "ConfigMap",
  metadata: { name: "linkerd-identity-trust-roots", namespace: "linkerd" },
  data: { "ca-bundle.crt": text },
});
const secret = (data: unknown) => ({
  kind: "Secret",
  metadata: {
    name: "linkerd-identity-issuer",
    namespace: "linkerd",
    creationTimestamp: "2026-01-01T00:00:00Z",
    managedFields: [{ time: "2026-08-01T00:00:00Z" }, { time: "2026-07-01T00:00:00Z" }, {}],
  },
  data,
});
const tls = secret({ "tls.crt": encoded(issuer.pem), "tls.key": encoded(issuer.keyPem) });

async function readFrom(objects: Objects) {
  const requests: Received[] = [];
  let found = live({});
  const script = (request: Received): Reply => {
    requests.push(request);
    const body = objects[request.url.pathname];
    if (typeof body === "number") return status(body, "Forbidden", "no");
    return body === undefined ? missing(request) : { body };
  };
  await withCluster(script, async ({ client }) => {
    found = await observeTrust(new Map([["west", client]]), "linkerd");
  });
  return { west: found.get("west"), requests };
}

async function presentFrom(objects: Objects): Promise<PresentTrust> {
  const { west } = await readFrom(objects);
  if (west?.state === "present") return west;
  throw new Error(inspect(west));
}

describe("trust: what is live, read from a cluster", () => {
  it("a bare cluster", async () => {
    deepEqual((await readFrom({})).west, absent);
    // A run that broke off left the Secret, which nobody uses yet.
    deepEqual((await readFrom({ [issuerPath]: tls })).west, absent);
  });

  it("anchors, the issuer's certificate and since when, and no pods while nothing rotates", async () => {
    const { west, requests } = await readFrom({ [rootsPath]: roots(old.pem), [issuerPath]: tls });
    if (west?.state !== "present") throw new Error(inspect(west));
    deepEqual(
      west.bundle.map(({ name }) => name),
      ["old"],
    );
    deepEqual(
      west.issuer.map(({ fingerprint }) => fingerprint),
      [issuer.certificate.fingerprint],
    );
    equal(west.issuerSince.toISOString(), "2026-08-01T00:00:00.000Z");
    equal(west.proxies.state, "unread");
    deepEqual(
      requests.map(({ url }) => url.pathname).toSorted(),
      [rootsPath, issuerPath].toSorted(),
    );
  });

  it("never keeps the issuer's key", async () => {
    const { west } = await readFrom({ [rootsPath]: roots(old.pem), [issuerPath]: tls });
    const all = inspect(west, { depth: Infinity, maxStringLength: Infinity });
    equal(all.includes(encoded(issuer.keyPem)) || all.includes("PRIVATE"), false);
  });

  it("the issuer of Linkerd's own scheme, and none", async () => {
    const own = secret({ "crt.pem": encoded(issuer.pem) });
    equal((await presentFrom({ [rootsPath]: roots(old.pem), [issuerPath]: own })).issuer.length, 1);
    const none = await presentFrom({ [rootsPath]: roots(old.pem) });
    deepEqual([none.issuer, none.issuerSince.getTime()], [[], 0]);
  });

  for (const [name, objects, why] of [
    [
      "no right to read",
      { [rootsPath]: 403 },
      /^cluster west refuses to get ConfigMap linkerd\/linkerd-identity-trust-roots: no; resolve this /,
    ],
    [
      "a bundle that is none",
      { [rootsPath]: roots("hunter2") },
      /^the content of ConfigMap west\/linkerd\/linkerd-identity-trust-roots must be PEM, with at least one/,
    ],
    [
      "an issuer that is none",
      { [rootsPath]: roots(old.pem), [issuerPath]: secret({ "tls.crt": encoded("x") }) },
      /^the content of Secret west\/linkerd\/linkerd-identity-issuer must be PEM/,
    ],
  ] as const) {
    it(`unreadable: ${name}`, async () => {
      const { west } = await readFrom(objects);
      match(west?.state === "unreadable" ? west.why : "not unreadable", why);
    });
  }

  it("unreadable: what could not be reached before", async () => {
    const found = await observeTrust(new Map([["west", { why: "no route" }]]), "linkerd");
    deepEqual(found.get("west"), { state: "unreadable", why: "no route" });
  });
});

describe("trust: proxies, read from their pods", () => {
  const variable = "LINKERD2_PROXY_IDENTITY_TRUST_ANCHORS";
  const pod = (name: string, spec: unknown, more: Objects = {}, phase = "Running") => ({
    metadata: { name, namespace: "shop", creationTimestamp: "2026-08-20T00:00:00Z", ...more },
    spec,
    status: { phase },
  });
  const proxy = (value?: string) => ({
    name: "linkerd-proxy",
    env: [{ name: variable, ...(value !== undefined && { value }) }],
  });
  const inLinkerd = (hash: string) => ({
    namespace: "linkerd",
    annotations: { "linkerd.io/trust-root-sha256": hash },
  });
  const serving = (...items: unknown[]): Objects => ({
    [rootsPath]: roots(both),
    [issuerPath]: tls,
    [podsPath]: { kind: "PodList", metadata: {}, items },
  });

  async function trusts(...items: unknown[]): Promise<Record<string, string>> {
    const { proxies } = await presentFrom(serving(...items));
    if (proxies.state === "unread") throw new Error(proxies.why);
    return Object.fromEntries(
      proxies.proxies.map((one) => [one.pod, one.trusts.map(({ name }) => name).join("+")]),
    );
  }

  it("trust what they were started with, also as native sidecars", async () => {
    const value = `${old.pem}\n`;
    deepEqual(
      await trusts(
        pod("web-0", { containers: [{ name: "app" }, proxy(value)] }),
        pod("web-1", { containers: [{ name: "app" }], initContainers: [proxy(both)] }),
      ),
      { "web-0": "old", "web-1": "next+old" },
    );
  });

  it("never of a pod outside the control plane's namespace that only looks like one", async () => {
    deepEqual(await trusts(pod("fake-0", { containers: [proxy()] })), {});
  });

  it("have started unless their pod is pending and they do not run", async () => {
    const spec = { containers: [proxy(old.pem)] };
    const waiting = pod("web-0", spec, {}, "Pending");
    const withStatus = (name: string, status: Objects) => ({
      ...pod(name, spec),
      status: { phase: "Pending", ...status },
    });
    const own = (state: unknown, restartCount = 0) => [
      { name: "linkerd-proxy", state, restartCount },
    ];
    const { proxies } = await presentFrom(
      serving(
        waiting,
        pod("web-1", spec),
        withStatus("web-2", { initContainerStatuses: own({ running: {} }) }),
        withStatus("web-3", { containerStatuses: own({ waiting: {} }, 2) }),
        withStatus("web-4", { containerStatuses: own({ waiting: {} }) }),
      ),
    );
    deepEqual(proxies.state === "read" && proxies.proxies.map(({ started }) => started), [
      ...[false, true, true, true, false],
    ]);
  });

  it("of the control plane: what the ConfigMap holds, if the pod says it is the same", async () => {
    deepEqual(
      await trusts(
        pod("identity-0", { containers: [proxy()] }, inLinkerd(trustRootHash(both))),
        pod("identity-1", { containers: [proxy()] }, inLinkerd(trustRootHash(`${both}\n`))),
        pod("identity-2", { containers: [proxy()] }, inLinkerd(trustRootHash(old.pem))),
        pod("identity-3", { containers: [proxy()] }, { namespace: "linkerd" }),
      ),
      { "identity-0": "next+old", "identity-1": "next+old", "identity-2": "", "identity-3": "" },
    );
  });

  it("count only while they run", async () => {
    const spec = { containers: [proxy(old.pem)] };
    deepEqual(
      await trusts(
        pod("job-0", spec, {}, "Succeeded"),
        pod("job-1", spec, {}, "Failed"),
        pod("heartbeat", { containers: [{ name: "heartbeat" }] }),
        pod("web-0", spec, {}, "Pending"),
      ),
      { "web-0": "old" },
    );
  });

  it("are asked for by Linkerd's label, in all namespaces", async () => {
    const { requests } = await readFrom(serving());
    const list = requests.find(({ url }) => url.pathname === podsPath);
    equal(list?.url.searchParams.get("labelSelector"), "linkerd.io/control-plane-ns=linkerd");
  });

  it("can't be read without the right to", async () => {
    const { proxies } = await presentFrom({ ...serving(), [podsPath]: 403 });
    equal(proxies.state, "unread");
  });
});

describe("trust: whether anything rotates", () => {
  const one = present([old], issuer);
  for (const [name, clusters, expected] of [
    ["one anchor everywhere", { w: one, e: one, n: absent }, false],
    ["two anchors somewhere", { w: one, e: present([old, next], issuer) }, true],
    ["different anchors", { w: one, e: present([next], issuerUnder(next)) }, true],
    ["an issuer under none of them", { w: present([next], issuer) }, true],
    ["nothing", { w: absent }, false],
  ] as const) {
    it(name, () => {
      equal(isRotating(live(clusters)), expected);
    });
  }
});
