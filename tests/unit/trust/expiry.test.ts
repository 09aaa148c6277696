import { deepEqual, equal } from "node:assert/strict";
import {
  expiringAnchors,
  expiringIssuer,
  expiringProvided,
  expiryNotices,
  type Expiring,
  renewalPeriod,
} from "../../../engine/trust/expiry.ts";
import { authority, day, inDays, now } from "./certificates.ts";
import { anchors, nameless, next, nextIssuer, old, oldIssuer } from "./live.ts";

describe("trust: notices about expiry", () => {
  const days = (life: number, left: number) =>
    authority({ notBefore: inDays(left - life), notAfter: inDays(left) }).certificate;

  it("name the certificate, its end, and what to do", () => {
    const expiring = { role: "the trust anchor", remedy: "Do it.", certificate: days(3650, 60) };
    const [notice] = expiryNotices([expiring], now);
    equal(
      nameless(notice?.message ?? ""),
      "The trust anchor, root.linkerd.cluster.local, expires in 60 days, on 2026-10-20T12:00:00.000Z. Do it.",
    );
  });

  /** Returns the notices about a certificate that lives `life` days, by the days that are left. */
  function notices(life: number, lefts: readonly number[], more: Partial<Expiring> = {}) {
    return lefts.map((left) => {
      const expiring = { certificate: days(life, left), role: "", remedy: "", ...more };
      const [notice] = expiryNotices([expiring], now);
      return (
        notice && `${notice.severity} ${/expire[^,]*?(?=,| on )/.exec(notice.message)?.[0] ?? ""}`
      );
    });
  }

  it("come 60 days before the end, as errors from 14 days on", () => {
    deepEqual(notices(3650, [60.01, 60, 14.5, 14, 1, 0.5, 0, -1]), [
      undefined,
      "warning expires in 60 days",
      "warning expires in 14 days",
      "error expires in 14 days",
      "error expires in 1 day",
      "error expires in less than a day",
      "error expired",
      "error expired",
    ]);
  });

  const severities = (...args: Parameters<typeof notices>) =>
    notices(...args).map((notice) => notice?.split(" ")[0]);

  it("come in the last third of a short life, as errors in the last sixth", () => {
    deepEqual(severities(90, [31, 30, 15, 14]), [undefined, "warning", "warning", "error"]);
    deepEqual(severities(6, [3, 2, 1.1, 1]), [undefined, "warning", "warning", "error"]);
  });

  it("stay warnings for a certificate with a successor", () => {
    deepEqual(severities(3650, [3], { succeeded: true }), ["warning"]);
  });

  it("come once renewal is late, for certificates that are renewed in time", () => {
    const found = severities(365, [50, 20, 11, 10], { renewBeforeDays: 20 });
    deepEqual(found, [undefined, "warning", "warning", "error"]);
  });
});

describe("trust: certificates that may expire", () => {
  const inWords = (expiring: readonly Expiring[]) =>
    expiring.map(({ role, certificate: { name }, remedy, succeeded = false }) =>
      [role, name, succeeded ? "succeeded" : "alone", remedy].join(": "),
    );
  const both = { wanted: next.certificate, previous: old.certificate };
  const wanted =
    "the trust anchor: next: alone: Start a rotation: set linkerd-multicluster:trust.generation to 3.";
  const bothPem = `${old.pem}${next.pem}`;
  const before = (state: string) =>
    `the trust anchor of generation 1: old: ${state}: Continue the rotation until it is removed.`;

  it("include in a rotation an old anchor that a cluster trusts", () => {
    const found = (...bundles: string[]) => inWords(expiringAnchors(2, both, bundles));
    deepEqual(found(next.pem), [wanted]);
    deepEqual(found(old.certificate.pem, bothPem), [wanted, before("alone")]);
    deepEqual(found(next.pem, bothPem), [wanted, before("succeeded")]);
  });

  it("are the anchor and the issuers in the first generation", () => {
    deepEqual(inWords(expiringAnchors(2, { wanted: next.certificate }, [bothPem])), [wanted]);
    const [west] = expiringIssuer("west", anchors(oldIssuer, old), "Renew it.", 7);
    deepEqual(west && [inWords([west]), west.renewBeforeDays], [
      ["the issuer of cluster west: identity.linkerd.cluster.local: alone: Renew it."],
      7,
    ]);
  });

  it("name who renews them: the config or the trust stack", () => {
    const remedy =
      "Add a new one to linkerd-multicluster:trust.anchors, then provide issuers signed by it.";
    const ending = authority({ name: "ending", notAfter: inDays(9) });
    const chains = new Map([
      ["west", anchors(nextIssuer, next)],
      ["east", []],
    ]);
    deepEqual(inWords(expiringProvided(anchors(old), chains, "config")), [
      `the trust anchor: old: alone: ${remedy}`,
      "the issuer of cluster west: identity.linkerd.cluster.local: alone: Provide a new one as linkerd-multicluster:trust.issuers.west.",
    ]);
    deepEqual(inWords(expiringProvided(anchors(old, ending), new Map(), "config")), [
      `trust anchor 1: old: alone: ${remedy}`,
      `trust anchor 2: ending: succeeded: ${remedy}`,
    ]);
    deepEqual(inWords(expiringProvided(anchors(old), chains, "stack")), [
      "the trust anchor: old: alone: Start a rotation in the stack that linkerd-multicluster:trust.stack names: increment linkerd-multicluster:trust.generation there.",
      "the issuer of cluster west: identity.linkerd.cluster.local: alone: Renew it: run pulumi up --refresh in the stack that linkerd-multicluster:trust.stack names, then pulumi up here.",
    ]);
  });
});

describe("trust: the renewal period of issuers", () => {
  it("lasts issuerValidityDays without renewBeforeDays, counted from the epoch", () => {
    deepEqual(
      [0, 304.9, 305, 609.9, 610].map((days) => renewalPeriod(365, 60, new Date(days * day))),
      [0, 0, 1, 1, 2],
    );
  });
});
