import { deepEqual } from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { called } from "../../../engine/trust/certificate.ts";
import { anchorsValid, issuerValid } from "../../../engine/health/checks/certificates.ts";
import {
  anchorsShared,
  domainsShared,
  issuersTrusted,
} from "../../../engine/health/checks/trust.ts";
import { type Authority, authority, day, issuerUnder, now } from "../trust/certificates.ts";
import {
  clusterView,
  east,
  issuers,
  linkView,
  mesh,
  outOfReach,
  reading,
  root,
  said,
  trusting,
  west,
} from "./views.ts";

const until = (days: number) => ({ notAfter: new Date(now.getTime() + days * day) });
const name = ({ certificate }: Authority): string => called(certificate);

const old = authority({ name: "old", ...until(-1) });
const ending = authority({
  name: "ending",
  notBefore: new Date(now.getTime() - 300 * day),
  ...until(20.5),
});
const early = authority({ name: "early", notBefore: new Date(now.getTime() + day) });
const stranger = authority({ name: "stranger" });

function anchors(...all: Authority[]): string[] {
  const trust = trusting(all, issuers.east);
  return said(anchorsValid, clusterView({ reading: reading(east, trust) }));
}

function issuer(one: Authority): string[] {
  return said(issuerValid, clusterView({ reading: reading(east, trusting([root], one)) }));
}

describe("health of a cluster: its trust anchors", () => {
  it("are in order", () => {
    deepEqual(anchors(root), []);
    deepEqual(anchors(root, stranger), []);
  });

  it("are an error once they have ended, and a warning before", () => {
    deepEqual(anchors(old), [
      `error: The trust anchor of cluster east, ${name(old)}, expired on 2026-08-20T12:00:00.000Z. Add a new one to the trust bundle: see linkerd-multicluster:trust.`,
    ]);
    deepEqual(anchors(ending), [
      `warning: The trust anchor of cluster east, ${name(ending)}, expires in 20 days, on 2026-09-11T00:00:00.000Z. Add a new one to the trust bundle: see linkerd-multicluster:trust.`,
    ]);
    deepEqual(anchors(early), [
      `error: the trust anchor of cluster east, ${name(early)}, is not valid before 2026-08-22T12:00:00.000Z: check the clocks`,
    ]);
  });

  it("are no more than a warning where another one holds", () => {
    deepEqual(
      anchors(root, old).map((line) => line.split(":")[0]),
      ["warning"],
    );
  });

  it("must be what Linkerd takes", () => {
    const key = generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey;
    const odd = authority({ name: "odd", key });
    deepEqual(anchors(odd), [
      `error: the trust anchor of cluster east, ${name(odd)}, must be a CA with an ECDSA P-256 key, or an RSA key of 2048 or 4096 bits, or Linkerd refuses it`,
    ]);
  });

  it("are an error where there are none, or none that can be read", () => {
    const view = (anchors: { value: undefined } | { why: string }) =>
      clusterView({ reading: reading(east, { anchors }) });
    deepEqual(said(anchorsValid, view({ value: undefined })), [
      "error: ConfigMap east/linkerd/linkerd-identity-trust-roots does not exist or has no ca-bundle.crt, so Linkerd is not installed there: install it, or set manage: all",
    ]);
    deepEqual(said(issuerValid, view({ value: undefined })), [
      "skipped: Linkerd is not installed in cluster east",
    ]);
    deepEqual(said(anchorsValid, view({ why: "not a certificate" })), ["error: not a certificate"]);
    deepEqual(said(anchorsValid, clusterView({ reading: outOfReach })), [
      "skipped: cluster east can't be read",
    ]);
  });
});

describe("health of a cluster: its issuer", () => {
  it("is in order", () => {
    deepEqual(said(issuerValid, clusterView()), []);
  });

  it("is an error once it has ended, and a warning before", () => {
    const ended = issuerUnder(root, until(-2));
    deepEqual(issuer(ended), [
      `error: The issuer of cluster east, ${name(ended)}, expired on 2026-08-19T12:00:00.000Z. Renew it: see linkerd-multicluster:trust.`,
    ]);
    const soon = issuerUnder(root, until(1.5));
    const reads = { reading: reading(east, trusting([root], soon)) };
    deepEqual(said(issuerValid, clusterView({ ...reads, mesh: mesh({ manage: "links" }) })), [
      `warning: The issuer of cluster east, ${name(soon)}, expires in 1 day, on 2026-08-23T00:00:00.000Z. Renew it: this stack does not manage Linkerd there.`,
    ]);
  });

  it("must be a CA", () => {
    const leaf = issuerUnder(root, { isCa: false });
    deepEqual(issuer(leaf), [
      `error: the issuer of cluster east, ${name(leaf)}, must be a CA that may sign certificates, or Linkerd refuses it`,
    ]);
  });

  it("is an error where there is none", () => {
    const view = clusterView({ reading: reading(east, { issuer: { value: [] } }) });
    deepEqual(said(issuerValid, view), [
      "error: Secret east/linkerd/linkerd-identity-issuer does not exist or has no certificate, so Linkerd can't issue certificates to workloads there: run pulumi up --refresh, or check what is meant to issue it",
    ]);
  });
});

function between(ours: readonly Authority[], theirs: readonly Authority[], theirIssuer: Authority) {
  return linkView({
    source: reading(east, trusting(ours, issuers.east)),
    target: reading(west, trusting(theirs, theirIssuer)),
  });
}

describe("health of a link: trust", () => {
  it("is in order", () => {
    deepEqual(said(anchorsShared, linkView()), []);
    deepEqual(said(issuersTrusted, linkView()), []);
  });

  it("needs an anchor in common", () => {
    const view = between([root], [stranger], issuerUnder(stranger));
    deepEqual(said(anchorsShared, view), [
      `error: clusters east and west have no valid trust anchor in common (east trusts ${name(root)}; west trusts ${name(stranger)}), so their proxies reject each other: add the anchors of each to the trust bundle of the other`,
    ]);
  });

  it("is not made by an anchor that has ended", () => {
    const view = between([old], [old], issuerUnder(old));
    deepEqual(said(anchorsShared, view), [
      "error: clusters east and west have no valid trust anchor in common (east trusts none; west trusts none), so their proxies reject each other: add the anchors of each to the trust bundle of the other",
    ]);
  });

  it("is well while it rotates, but not what Linkerd's own check wants", () => {
    const view = between([root, stranger], [root, ending], issuers.west);
    deepEqual(said(anchorsShared, view), [
      `warning: only cluster east trusts ${name(stranger)}, and only cluster west trusts ${name(ending)}: fine during a rotation, but linkerd multicluster check expects the same anchors on both`,
    ]);
  });

  it("needs each issuer to be under an anchor of the other side", () => {
    const theirs = issuerUnder(stranger);
    deepEqual(said(issuersTrusted, between([root], [root, stranger], theirs)), [
      `error: the issuer of cluster west, ${name(theirs)}, is not signed by any valid anchor that cluster east trusts (${name(root)}), so proxies in east reject those of west: add its anchor to the trust bundle of east, or give west an issuer signed by one of these`,
    ]);
    deepEqual(said(issuersTrusted, between([root, stranger], [stranger], theirs)), [
      `error: the issuer of cluster east, ${name(issuers.east)}, is not signed by any valid anchor that cluster west trusts (${name(stranger)}), so proxies in west reject those of east: add its anchor to the trust bundle of west, or give east an issuer signed by one of these`,
    ]);
  });

  it("of two trust domains is well for proxies, and told for the sake of policies", () => {
    const domains = { value: { clusterDomain: "cluster.local", trustDomain: "east.example" } };
    deepEqual(said(domainsShared, linkView()), []);
    deepEqual(said(domainsShared, linkView({ source: reading(east, { domains }) })), [
      "warning: clusters east and west have different trust domains, east.example and trust.example: their proxies accept each other, but an authorization policy in west that names a ServiceAccount or a namespace does not match clients in east, so name these by their whole identities, which end in east.example (identities of a MeshTLSAuthentication)",
    ]);
    for (const unread of [{ why: "forbidden" }, { value: undefined }])
      deepEqual(said(domainsShared, linkView({ source: reading(east, { domains: unread }) })), [
        "skipped: the trust domain of cluster east can't be read",
      ]);
    deepEqual(said(domainsShared, linkView({ target: outOfReach })), [
      "skipped: the trust domain of cluster west can't be read",
    ]);
  });

  it("is skipped where a side can't be read, which is a finding of that cluster", () => {
    const noAnchors = linkView({ target: outOfReach });
    deepEqual(said(anchorsShared, noAnchors), [
      "skipped: the trust anchors of cluster west can't be read",
    ]);
    for (const issuer of [{ why: "forbidden" }, { value: [] }])
      deepEqual(said(issuersTrusted, linkView({ source: reading(east, { issuer }) })), [
        "skipped: the issuer of cluster east can't be read",
      ]);
  });
});
