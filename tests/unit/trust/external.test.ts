import { deepEqual, equal, match } from "node:assert/strict";
import { resultOf } from "../../../engine/base/result.ts";
import { externalTrust, missingExternal } from "../../../engine/trust/external.ts";
import { observeTrust, readExternal } from "../../../engine/trust/observe.ts";
import { authority, inDays, issuerUnder, now } from "./certificates.ts";
import { absent, live, nameless, next, nextIssuer, old, oldIssuer, present } from "./live.ts";
import { encoded, type Objects, roots, secret, served } from "./served.ts";

const labels = { "config.linkerd.io/admission-webhooks": "disabled" };
const needs = { linkerdNamespace: "linkerd", labels };
const home = (more = {}) => ({ kind: "Namespace", metadata: { name: "linkerd", ...more } });
const tls = secret(oldIssuer);
const right: Objects = { home: home({ labels }), roots: roots(old.pem), secret: tls };

async function missingIn(objects: Objects): Promise<readonly string[]> {
  const { result } = await served(objects, async (client) => {
    const clusters = new Map([["west", { value: client }]]);
    const [trust = absent] = (await observeTrust(clusters, "linkerd")).values();
    const found = await resultOf(() => readExternal(client, "linkerd"));
    return missingExternal("west", found, trust, needs, now);
  });
  return result.map(nameless);
}

describe("trust: what a cluster with external trust lacks", () => {
  function lacks(name: string, objects: Objects, expected: readonly string[]) {
    it(`is reported: ${name}`, async () => {
      deepEqual(await missingIn(objects), expected);
    });
  }
  const rootsAt = "ConfigMap west/linkerd/linkerd-identity-trust-roots";
  const secretAt = "Secret west/linkerd/linkerd-identity-issuer";
  lacks("nothing", right, []);
  lacks("its namespace", {}, [
    "Cluster west has no namespace linkerd: create it with the labels config.linkerd.io/admission-webhooks=disabled, and have the issuer and the trust bundle put into it.",
  ]);
  lacks("labels, bundle and issuer", { home: home() }, [
    "Namespace west/linkerd must have the labels config.linkerd.io/admission-webhooks=disabled: kubectl label namespace linkerd config.linkerd.io/admission-webhooks=disabled",
    `${rootsAt} does not exist or has no ca-bundle.crt: have trust-manager, or whoever provides the trust bundle, create it.`,
    `${secretAt} does not exist: have cert-manager, or whoever issues it, create it, of type kubernetes.io/tls.`,
  ]);
  lacks("an issuer Secret of the right type", { ...right, secret: { ...tls, type: "Opaque" } }, [
    `${secretAt} must be of type kubernetes.io/tls, with tls.crt and tls.key; its type is Opaque.`,
  ]);
  const keyless = { ...tls, data: { "tls.crt": encoded(oldIssuer.pem), "tls.key": "" } };
  lacks("the issuer's key", { ...right, secret: keyless }, [
    `${secretAt} must be of type kubernetes.io/tls, with tls.crt and tls.key; it has no tls.key.`,
  ]);
  const ofHelm = roots(old.pem, { "meta.helm.sh/release-name": "l5d" });
  lacks("a trust bundle outside of Helm releases", { ...right, roots: ofHelm }, [
    `${rootsAt} belongs to the Helm release l5d, which would delete it: a cluster whose trust this program or Helm provides can't be switched to trust.external.`,
  ]);
  lacks("an issuer signed by an anchor of the bundle", { ...right, roots: roots(next.pem) }, [
    `The issuer in ${secretAt}, identity.linkerd.cluster.local, must be signed by an anchor in ${rootsAt}.`,
  ]);
  const ended = authority({ name: "ended", signer: old, notAfter: inDays(-1) });
  const leaf = issuerUnder(ended);
  const chain = secret({ ...leaf, pem: leaf.pem + ended.pem });
  lacks("a valid chain", { ...right, secret: chain }, [
    `The issuer's chain in ${secretAt}, ended, must be valid now (it expired on 2026-08-20T12:00:00.000Z).`,
  ]);

  it("is unknown if an object can't be read", async () => {
    const unknown = "What cluster west provides is unknown, because";
    match(
      (await missingIn({ ...right, home: 403 })).join(),
      new RegExp(`^${unknown} cluster west`),
    );
    deepEqual(await missingIn({ ...right, roots: roots("hunter2") }), [
      `${unknown} the content of ${rootsAt} must be PEM, with at least one block BEGIN CERTIFICATE.`,
    ]);
  });
});

describe("trust: what a run says about external trust", () => {
  it("names clusters whose proxies refuse each other", () => {
    const west = present([old], oldIssuer);
    const clusters = live({ w: west, e: present([old, next], nextIssuer), n: absent });
    deepEqual(externalTrust(clusters).notes, [
      "No anchor that w trusts has signed the issuer of cluster e, so proxies there refuse those of e: add its anchor to their trust bundles, then restart their control planes and workloads.",
    ]);
    equal(externalTrust(clusters).anchors.length, 2);
    deepEqual(externalTrust(live({ w: west, e: west })).notes, []);
    // Its own health checks say what a cluster lacks itself.
    deepEqual(externalTrust(live({ e: present([old], nextIssuer) })).notes, []);
  });

  it("lists what expires, by cluster", () => {
    const soon = issuerUnder(old, { notAfter: inDays(1) });
    deepEqual(
      externalTrust(live({ w: present([old], soon) })).expiring.map(({ role }) => role),
      ["trust anchor 1 of cluster w", "the issuer of cluster w"],
    );
  });
});
