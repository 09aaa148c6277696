import { deepEqual, equal, match, ok } from "node:assert/strict";
import { inspect } from "node:util";
import { bundleText, trustRootHash } from "../../../engine/trust/bundle.ts";
import type { PresentTrust } from "../../../engine/trust/live.ts";
import { isRotating, observeTrust, podsBehind } from "../../../engine/trust/observe.ts";
import { valueIn } from "../../../engine/base/result.ts";
import { day, now, onUnknownCurve } from "./certificates.ts";
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

describe("trust: reading a cluster's trust", () => {
  it("finds nothing in a bare cluster, even if an interrupted run left an issuer", async () => {
    deepEqual((await readFrom({})).west, absent);
    deepEqual((await readFrom({ secret: secret(oldIssuer) })).west, absent);
  });

  it("reads anchors and the issuer's certificate, but no key, and no pods outside of a rotation", async () => {
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

  it("takes the last of any number of changes of the issuer's Secret", async () => {
    const own = secret(oldIssuer);
    const managedFields = [
      { time: "2026-08-02T00:00:00Z" },
      ...Array.from({ length: 130_000 }, () => ({})),
    ];
    const changed = { ...own, metadata: { ...own.metadata, managedFields } };
    const { issuerSince } = await presentFrom({ roots: roots(old.pem), secret: changed });
    equal(issuerSince.toISOString(), "2026-08-02T00:00:00.000Z");
  });

  it("reads how long certificates live from the issuer's Secret, and during a rotation from Linkerd", async () => {
    const own = secret(oldIssuer);
    const annotations = { "linkerd-multicluster/certificate-lifetime": "72h" };
    const recorded = { ...own, metadata: { ...own.metadata, annotations } };
    const lifetime = async (objects: Objects) =>
      (await presentFrom({ secret: own, ...objects })).certificateLifetimeMs / day;
    equal(await lifetime({ roots: roots(old.pem) }), 0);
    equal(await lifetime({ roots: roots(old.pem), secret: recorded }), 3);
    const rotating = { roots: roots(both), pods: { items: [] } };
    const config = (values: string) => ({
      kind: "ConfigMap",
      metadata: { name: "linkerd-config", namespace: "linkerd" },
      data: { values },
    });
    const week = config("identity:\n  issuer:\n    issuanceLifetime: 168h\n");
    equal(await lifetime({ ...rotating, config: week, secret: recorded }), 7);
    equal(await lifetime({ ...rotating, config: config("x: y\n"), secret: recorded }), 3);
    for (const unread of [undefined, 403, { kind: "ConfigMap", metadata: {} }])
      equal((await lifetime({ ...rotating, config: unread })) > 1000, true);
  });

  it("reads an issuer in Linkerd's own scheme, and a missing one", async () => {
    const own = { ...secret(oldIssuer), data: { "crt.pem": encoded(oldIssuer.pem) } };
    equal((await presentFrom({ roots: roots(old.pem), secret: own })).issuer.length, 1);
    const none = await presentFrom({ roots: roots(old.pem) });
    deepEqual([none.issuer, none.issuerSince.getTime()], [[], 0]);
  });

  const broken = { ...secret(oldIssuer), data: { "tls.crt": encoded("x") } };
  for (const [name, objects, why] of [
    [
      "a missing permission",
      { roots: 403 },
      /^cluster west refuses to get ConfigMap linkerd\/linkerd-identity-trust-roots: no; resolve this /,
    ],
    [
      "a bundle that is no PEM",
      { roots: roots("hunter2") },
      /^the content of ConfigMap west\/linkerd\/linkerd-identity-trust-roots must be PEM, with at least one/,
    ],
    [
      "an anchor whose public key can't be decoded",
      { roots: roots(onUnknownCurve(old)) },
      /^the content of ConfigMap west\/linkerd\/linkerd-identity-trust-roots must be PEM certificates that can be parsed$/,
    ],
    [
      "an issuer that is no PEM",
      { roots: roots(old.pem), secret: broken },
      /^the content of Secret west\/linkerd\/linkerd-identity-issuer must be PEM/,
    ],
  ] as const)
    it(`reports ${name}`, async () => {
      const { west } = await readFrom(objects);
      match(west !== undefined && "why" in west ? west.why : "not unreadable", why);
    });

  it("keeps the failure of an unreachable cluster", async () => {
    const away = { why: "no route", cause: "unreachable" } as const;
    const found = await observeTrust(new Map([["west", away]]), "linkerd");
    deepEqual(found.get("west"), away);
  });
});

describe("trust: reading proxies from pods", () => {
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
    env: [
      { name: "LINKERD2_PROXY_LOG", value: "warn" },
      { name: "LINKERD2_PROXY_IDENTITY_TRUST_ANCHORS", ...(value !== undefined && { value }) },
    ],
  });
  const rotating = (...items: unknown[]): Objects => ({
    roots: roots(both),
    secret: secret(oldIssuer),
    pods: { kind: "PodList", metadata: {}, items },
  });

  /** Returns by pod what its proxy trusts, or will trust once it has started. */
  async function proxies(...items: unknown[]): Promise<Record<string, string>> {
    return proxiesOf(rotating(...items));
  }

  async function proxiesOf(objects: Objects) {
    const { proxies } = await presentFrom(objects);
    if ("why" in proxies) throw new Error(proxies.why);
    return Object.fromEntries(
      proxies.value.map(({ pod, started, trusts }) => {
        const names = trusts.map(({ name }) => name).join("+");
        return [pod, started ? names : `not yet ${names}`];
      }),
    );
  }

  it("takes the anchors with which a proxy was started, also of native sidecars", async () => {
    const sidecar = pod("web-1", undefined);
    const spec = { ...sidecar.spec, initContainers: [proxy(both)] };
    const found = await proxies(pod("web-0", proxy(`${old.pem}\n`)), { ...sidecar, spec });
    deepEqual(found, { "web-0": "old", "web-1": "next+old" });
  });

  it("takes the time of a pod's creation, and the oldest time if there is none", async () => {
    const { proxies } = await presentFrom(
      rotating(
        pod("web-0", proxy(old.pem)),
        pod("web-1", proxy(old.pem), { creationTimestamp: undefined }),
      ),
    );
    deepEqual(
      valueIn(proxies)?.map(({ createdAt }) => createdAt.toISOString()),
      ["2026-08-20T00:00:00.000Z", "1970-01-01T00:00:00.000Z"],
    );
  });

  it("ignores finished pods, and those without a proxy or, outside of the control plane, without anchors", async () => {
    const bare = { name: "linkerd-proxy" };
    const over = (phase: string) => pod(phase.toLowerCase(), proxy(old.pem), {}, { phase });
    const found = await proxies(
      ...[over("Succeeded"), over("Failed"), pod("heartbeat", undefined)],
      ...[pod("web-0", bare), pod("web-1", { ...bare, env: [] }), pod("fake-0", proxy())],
    );
    deepEqual(found, {});
  });

  it("counts a proxy as started unless its pod is pending and it never ran", async () => {
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
        pending("web-4", {
          initContainerStatuses: [
            { name: "linkerd-init", state: { running: {} } },
            ...own(undefined),
          ],
        }),
      ),
      {
        "web-0": "not yet old",
        "web-1": "old",
        "web-2": "old",
        "web-3": "not yet old",
        "web-4": "not yet old",
      },
    );
  });

  it("takes the ConfigMap's anchors for a control plane pod with the same hash", async () => {
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

  it("takes the ConfigMap's anchors for a control plane pod that started after its last change", async () => {
    const at = (time: string) => `2026-08-20T${time}Z`;
    const started = (name: string, time: string) =>
      pod(
        name,
        proxy(),
        { namespace: "linkerd" },
        {
          containerStatuses: [
            { name: "linkerd-proxy", state: { running: { startedAt: at(time) } } },
          ],
        },
      );
    const base = roots(both);
    const changed = { ...base, metadata: { ...base.metadata, creationTimestamp: at("12:00:00") } };
    const items = [
      started("before", "11:59:59"),
      started("at", "12:00:00"),
      started("after", "12:00:01"),
    ];
    deepEqual(await proxiesOf({ ...rotating(...items), roots: changed }), {
      before: "",
      at: "",
      after: "next+old",
    });
  });

  it("lists pods by Linkerd's label in all namespaces", async () => {
    const { requests } = await readFrom(rotating());
    const list = requests.find(({ url }) => url.pathname === "/api/v1/pods");
    equal(list?.url.searchParams.get("labelSelector"), "linkerd.io/control-plane-ns=linkerd");
  });

  it("names the pods whose proxies lack a valid anchor of the bundle, unless they are being deleted", async () => {
    const going = pod("going", proxy(old.pem), { deletionTimestamp: "2026-08-20T00:00:00Z" });
    const others = [pod("old", proxy(old.pem)), pod("both", proxy(both)), pod("plain", undefined)];
    const behind = async (at: Date) =>
      (
        await served(rotating(going, ...others), (client) =>
          podsBehind(client, "linkerd", anchors(next, old), at),
        )
      ).result;
    deepEqual(await behind(now), ["shop/old"]);
    deepEqual(await behind(new Date("2100-01-01")), []);
  });

  it("reports that pods may not be listed", async () => {
    const { proxies } = await presentFrom({ ...rotating(), pods: 403 });
    ok("why" in proxies);
  });
});

describe("trust: a rotation is detected from live trust", () => {
  const one = present([old], oldIssuer);
  for (const [name, clusters, expected] of [
    ["no, with one anchor everywhere", { w: one, e: one, n: absent }, false],
    ["yes, with two anchors in a cluster", { w: one, e: present([old, next], oldIssuer) }, true],
    ["yes, with different anchors", { w: one, e: present([next], nextIssuer) }, true],
    ["yes, with an issuer that no anchor signed", { w: present([next], oldIssuer) }, true],
    ["no, without Linkerd", { w: absent }, false],
  ] as const)
    it(name, () => {
      equal(isRotating(live(clusters)), expected);
    });
});
