import { deepEqual, equal, match, ok } from "node:assert/strict";
import { inspect } from "node:util";
import { bundleText, trustRootHash } from "../../../engine/trust/bundle.ts";
import type { PresentTrust } from "../../../engine/trust/live.ts";
import { isRotating, observeTrust } from "../../../engine/trust/observe.ts";
import { valueIn } from "../../../engine/result.ts";
import { onUnknownCurve } from "./certificates.ts";
import { absent, anchors, live, next, nextIssuer, old, oldIssuer, present } from "./live.ts";
import { encoded, type Objects, roots, secret, served } from "./served.ts";

const both = bundleText(anchors(next, old));

async function readFrom(objects: Objects) {
  const { result, requests } = await served(objects, (client) =>
    observeTrust(new Map([["west", { value: client }]]), "linkerd"),
  );
  return { west: result.get("west"), requests };
}

async function presentFrom(objects: Objects): Promise<PresentTrust> {
  const { west } = await readFrom(objects);
  const present = valueIn(west);
  if (present !== undefined) return present;
  throw new Error(inspect(west));
}

describe("trust: what is live, read from a cluster", () => {
  it("a bare cluster", async () => {
    deepEqual((await readFrom({})).west, absent);
    // A run that broke off left the Secret, which nobody uses yet.
    deepEqual((await readFrom({ secret: secret(oldIssuer) })).west, absent);
  });

  it("anchors, the issuer's certificate and since when, and no pods while nothing rotates", async () => {
    const { west, requests } = await readFrom({ roots: roots(old.pem), secret: secret(oldIssuer) });
    const trust = valueIn(west);
    if (trust === undefined) throw new Error(inspect(west));
    const fingerprints = [trust.bundle, trust.issuer].flat().map(({ fingerprint }) => fingerprint);
    deepEqual(
      fingerprints,
      anchors(old, oldIssuer).map(({ fingerprint }) => fingerprint),
    );
    equal(trust.issuerSince.toISOString(), "2026-08-01T00:00:00.000Z");
    ok("why" in trust.proxies);
    equal(requests.length, 2);
    const all = inspect(west, { depth: Infinity, maxStringLength: Infinity });
    equal(all.includes(encoded(oldIssuer.keyPem)) || all.includes("PRIVATE"), false);
  });

  it("the issuer of Linkerd's own scheme, and none", async () => {
    const own = { ...secret(oldIssuer), data: { "crt.pem": encoded(oldIssuer.pem) } };
    equal((await presentFrom({ roots: roots(old.pem), secret: own })).issuer.length, 1);
    const none = await presentFrom({ roots: roots(old.pem) });
    deepEqual([none.issuer, none.issuerSince.getTime()], [[], 0]);
  });

  const broken = { ...secret(oldIssuer), data: { "tls.crt": encoded("x") } };
  for (const [name, objects, why] of [
    [
      "no right to read",
      { roots: 403 },
      /^cluster west refuses to get ConfigMap linkerd\/linkerd-identity-trust-roots: no; resolve this /,
    ],
    [
      "a bundle that is none",
      { roots: roots("hunter2") },
      /^the content of ConfigMap west\/linkerd\/linkerd-identity-trust-roots must be PEM, with at least one/,
    ],
    [
      "an anchor whose public key can't be decoded",
      { roots: roots(onUnknownCurve(old)) },
      /^the content of ConfigMap west\/linkerd\/linkerd-identity-trust-roots must be PEM certificates that can be parsed$/,
    ],
    [
      "an issuer that is none",
      { roots: roots(old.pem), secret: broken },
      /^the content of Secret west\/linkerd\/linkerd-identity-issuer must be PEM/,
    ],
  ] as const)
    it(`unreadable: ${name}`, async () => {
      const { west } = await readFrom(objects);
      match(west !== undefined && "why" in west ? west.why : "not unreadable", why);
    });

  it("unreadable: what could not be reached before", async () => {
    const away = { why: "no route", cause: "unreachable" } as const;
    const found = await observeTrust(new Map([["west", away]]), "linkerd");
    deepEqual(found.get("west"), away);
  });
});

describe("trust: proxies, read from their pods", () => {
  type Fields = Readonly<Record<string, unknown>>;
  const pod = (
    name: string,
    proxy: Fields | undefined,
    more: Fields = {},
    status: Fields = {},
  ) => ({
    metadata: { name, namespace: "shop", creationTimestamp: "2026-08-20T00:00:00Z", ...more },
    spec: { containers: [{ name: "app" }, ...(proxy === undefined ? [] : [proxy])] },
    status: { phase: "Running", ...status },
  });
  const proxy = (value?: string) => ({
    name: "linkerd-proxy",
    env: [{ name: "LINKERD2_PROXY_IDENTITY_TRUST_ANCHORS", ...(value !== undefined && { value }) }],
  });
  const rotating = (...items: unknown[]): Objects => ({
    roots: roots(both),
    secret: secret(oldIssuer),
    pods: { kind: "PodList", metadata: {}, items },
  });

  /** By pod: whether its proxy has started, and what it trusts. */
  async function proxies(...items: unknown[]): Promise<Record<string, string>> {
    const { proxies } = await presentFrom(rotating(...items));
    if ("why" in proxies) throw new Error(proxies.why);
    return Object.fromEntries(
      proxies.value.map(({ pod, started, trusts }) => {
        const names = trusts.map(({ name }) => name).join("+");
        return [pod, started ? names : `not yet ${names}`];
      }),
    );
  }

  it("trust what they were started with, also as native sidecars", async () => {
    const sidecar = pod("web-1", undefined);
    const spec = { ...sidecar.spec, initContainers: [proxy(both)] };
    const found = await proxies(pod("web-0", proxy(`${old.pem}\n`)), { ...sidecar, spec });
    deepEqual(found, { "web-0": "old", "web-1": "next+old" });
  });

  it("never of a pod outside the control plane's namespace that only looks like one", async () => {
    deepEqual(await proxies(pod("fake-0", proxy())), {});
  });

  it("have started unless their pod is pending and they do not run", async () => {
    const own = (state: unknown, restartCount = 0) => [
      { name: "linkerd-proxy", state, restartCount },
    ];
    const pending = (name: string, status: Fields = {}) =>
      pod(name, proxy(old.pem), {}, { phase: "Pending", ...status });
    deepEqual(
      await proxies(
        pending("web-0"),
        pending("web-1", { initContainerStatuses: own({ running: {} }) }),
        pending("web-2", { containerStatuses: own({ waiting: {} }, 2) }),
        pending("web-3", { containerStatuses: own({ waiting: {} }) }),
      ),
      { "web-0": "not yet old", "web-1": "old", "web-2": "old", "web-3": "not yet old" },
    );
  });

  it("of the control plane: what the ConfigMap holds, if the pod says it is the same", async () => {
    const identity = (name: string, text: string) =>
      pod(name, proxy(), {
        namespace: "linkerd",
        annotations: { "linkerd.io/trust-root-sha256": text === "" ? "" : trustRootHash(text) },
      });
    const found = await proxies(
      ...[identity("same", both), identity("line", `${both}\n`)],
      ...[identity("other", old.pem), pod("none", proxy(), { namespace: "linkerd" })],
    );
    deepEqual(found, { same: "next+old", line: "next+old", other: "", none: "" });
  });

  it("count only while they run", async () => {
    const over = (phase: string) => pod(phase.toLowerCase(), proxy(old.pem), {}, { phase });
    deepEqual(await proxies(over("Succeeded"), over("Failed"), pod("heartbeat", undefined)), {});
  });

  it("are asked for by Linkerd's label, in all namespaces", async () => {
    const { requests } = await readFrom(rotating());
    const list = requests.find(({ url }) => url.pathname === "/api/v1/pods");
    equal(list?.url.searchParams.get("labelSelector"), "linkerd.io/control-plane-ns=linkerd");
  });

  it("can't be read without the right to", async () => {
    const { proxies } = await presentFrom({ ...rotating(), pods: 403 });
    ok("why" in proxies);
  });
});

describe("trust: whether anything rotates", () => {
  const one = present([old], oldIssuer);
  for (const [name, clusters, expected] of [
    ["one anchor everywhere", { w: one, e: one, n: absent }, false],
    ["two anchors somewhere", { w: one, e: present([old, next], oldIssuer) }, true],
    ["different anchors", { w: one, e: present([next], nextIssuer) }, true],
    ["an issuer under none of them", { w: present([next], oldIssuer) }, true],
    ["nothing", { w: absent }, false],
  ] as const)
    it(name, () => {
      equal(isRotating(live(clusters)), expected);
    });
});
