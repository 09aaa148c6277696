import { deepEqual, equal, match } from "node:assert/strict";
import { externalTrust } from "../../../engine/trust/external.ts";
import { missingExternal } from "../../../engine/trust/observe.ts";
import { observeTrust } from "../../../engine/trust/observe.ts";
import {
  absent as missing,
  type Reply,
  status,
  withCluster,
} from "../kubernetes/scripted-cluster.ts";
import { type Authority, authority, day, issuerUnder, now } from "./certificates.ts";
import { absent, live, present, unreadable } from "./live.ts";

const [root, other] = [authority({ name: "root" }), authority({ name: "other" })];
const issuer = issuerUnder(root);
const labels = { "config.linkerd.io/admission-webhooks": "disabled" };
const encoded = (text: string): string => Buffer.from(text).toString("base64");

const home = {
  kind: "Namespace",
  metadata: { name: "linkerd", labels: { ...labels, team: "mesh" } },
};
const roots = (bundle: string, annotations = {}) => ({
  kind: "ConfigMap",
  metadata: { name: "linkerd-identity-trust-roots", namespace: "linkerd", annotations },
  data: { "ca-bundle.crt": bundle },
});
const secret = (by: Authority, type = "kubernetes.io/tls", keyPem = by.keyPem) => ({
  kind: "Secret",
  metadata: { name: "linkerd-identity-issuer", namespace: "linkerd" },
  type,
  data: { "tls.crt": encoded(by.pem), "tls.key": encoded(keyPem) },
});

interface Objects {
  readonly home?: unknown;
  readonly roots?: unknown;
  readonly secret?: unknown;
}

const right: Objects = { home, roots: roots(root.pem), secret: secret(issuer) };

async function missingIn(objects: Objects): Promise<readonly string[]> {
  const core = "/api/v1/namespaces/linkerd";
  const all = new Map<string, unknown>([
    [core, objects.home],
    [`${core}/configmaps/linkerd-identity-trust-roots`, objects.roots],
    [`${core}/secrets/linkerd-identity-issuer`, objects.secret],
  ]);
  let found: readonly string[] = [];
  const script = (request: Parameters<typeof missing>[0]): Reply => {
    const body = all.get(request.url.pathname);
    if (typeof body === "number") return status(body, "Forbidden", "no");
    return body === undefined ? missing(request) : { body };
  };
  await withCluster(script, async ({ client }) => {
    const clusters = new Map([["west", client]]);
    const trust = await observeTrust(clusters, "linkerd");
    found = await missingExternal(clusters, trust, { linkerdNamespace: "linkerd", labels }, now);
  });
  return found.map((sentence) => sentence.replaceAll(/ \(SHA-256 \w+\)/g, ""));
}

describe("trust that others provide: what a cluster lacks", () => {
  const rows: readonly (readonly [string, Objects, readonly string[]])[] = [
    ["nothing", right, []],
    [
      "all of it",
      {},
      [
        "Cluster west has no namespace linkerd: create it with the labels config.linkerd.io/admission-webhooks=disabled, and have the issuer and the trust bundle put into it.",
      ],
    ],
    [
      "what goes into the namespace",
      { home: { kind: "Namespace", metadata: { name: "linkerd" } } },
      [
        "Namespace west/linkerd must have the labels config.linkerd.io/admission-webhooks=disabled: kubectl label namespace linkerd config.linkerd.io/admission-webhooks=disabled",
        "ConfigMap west/linkerd/linkerd-identity-trust-roots does not exist or has no ca-bundle.crt: have trust-manager, or whoever provides the trust bundle, create it.",
        "Secret west/linkerd/linkerd-identity-issuer does not exist: have cert-manager, or whoever issues it, create it, of type kubernetes.io/tls.",
      ],
    ],
    [
      "a Secret of the right type",
      { ...right, secret: secret(issuer, "Opaque") },
      [
        "Secret west/linkerd/linkerd-identity-issuer must be of type kubernetes.io/tls, with tls.crt and tls.key; its type is Opaque.",
      ],
    ],
    [
      "a key",
      { ...right, secret: secret(issuer, "kubernetes.io/tls", "") },
      [
        "Secret west/linkerd/linkerd-identity-issuer must be of type kubernetes.io/tls, with tls.crt and tls.key; it has no tls.key.",
      ],
    ],
    [
      "a trust bundle that Helm does not own",
      { ...right, roots: roots(root.pem, { "meta.helm.sh/release-name": "l5d" }) },
      [
        "ConfigMap west/linkerd/linkerd-identity-trust-roots belongs to the Helm release l5d, which would delete it: a cluster whose trust this program or Helm provides can't be switched to trust.external.",
      ],
    ],
    [
      "an issuer under the bundle",
      { ...right, roots: roots(other.pem) },
      [
        "The issuer in Secret west/linkerd/linkerd-identity-issuer, identity.linkerd.cluster.local, must be signed by an anchor in ConfigMap west/linkerd/linkerd-identity-trust-roots.",
      ],
    ],
    [
      "an issuer that is valid, and a CA",
      { ...right, secret: secret(issuerUnder(root, { isCa: false, notAfter: new Date(0) })) },
      [
        "The issuer in Secret west/linkerd/linkerd-identity-issuer, identity.linkerd.cluster.local, must be a CA that may sign certificates.",
        "The issuer in Secret west/linkerd/linkerd-identity-issuer, identity.linkerd.cluster.local, must be valid still, and not only until 1970-01-01T00:00:00.000Z.",
      ],
    ],
  ];
  for (const [name, objects, sentences] of rows)
    it(name, async () => {
      deepEqual(await missingIn(objects), sentences);
    });

  it("the right to read it", async () => {
    match(
      (await missingIn({ ...right, home: 403 })).join(),
      /^What cluster west provides is unknown, because cluster west refuses to get Namespace linkerd/,
    );
  });

  it("a bundle that can be read", async () => {
    match(
      (await missingIn({ ...right, roots: roots("hunter2") })).join(),
      /^What cluster west provides is unknown, because the content of ConfigMap west\/linkerd\/linkerd-identity-trust-roots must be PEM/,
    );
  });

  it("never says anything of a key", async () => {
    const told = await missingIn({ ...right, secret: secret(issuer, "Opaque") });
    equal(told.join().includes(encoded(issuer.keyPem)), false);
  });

  it("is not judged where it can't be reached", async () => {
    const found = await missingExternal(
      new Map([["west", { why: "no route" }]]),
      live({ west: unreadable() }),
      { linkerdNamespace: "linkerd", labels },
      now,
    );
    deepEqual(found, []);
  });
});

describe("trust that others provide: what is told of it", () => {
  it("whose proxies refuse whom", () => {
    const strange = issuerUnder(other);
    const clusters = live({
      w: present([root], issuer),
      e: present([root, other], strange),
      n: absent,
    });
    deepEqual(externalTrust(clusters).notes, [
      "No anchor that w trusts has signed the issuer of cluster e, so proxies there refuse those of e: add its anchor to their trust bundles, then restart their control planes and workloads.",
    ]);
    equal(externalTrust(clusters).anchors.length, 2);
    deepEqual(
      externalTrust(live({ w: present([root], issuer), e: present([root], issuer) })).notes,
      [],
    );
  });

  it("what expires", () => {
    const soon = issuerUnder(root, { notAfter: new Date(now.getTime() + day) });
    deepEqual(
      externalTrust(live({ w: present([root], soon) })).expiring.map(({ role }) => role),
      ["trust anchor 1 of cluster w", "the issuer of cluster w"],
    );
  });
});
