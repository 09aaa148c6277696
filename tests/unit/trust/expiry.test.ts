import { deepEqual } from "node:assert/strict";
import {
  expiringAnchors,
  expiringIssuer,
  expiringProvided,
  expiryNotices,
  type Expiring,
  renewalPeriod,
} from "../../../engine/trust/expiry.ts";
import { authority, day, inDays, now } from "./certificates.ts";
import { anchors, next, nextIssuer, old, oldIssuer } from "./live.ts";

/** The notice about a certificate that lives `life` days and expires in `left` days. */
function said(life: number, left: number, more: Partial<Expiring> = {}): string | undefined {
  const { certificate } = authority({ notBefore: inDays(left - life), notAfter: inDays(left) });
  const expiring = { certificate, role: "the trust anchor", remedy: "Do it.", ...more };
  const [notice] = expiryNotices([expiring], now);
  return notice && `${notice.severity}: ${notice.message.replace(/ \(SHA-256 \w+\)/, "")}`;
}

describe("trust: notices about expiry", () => {
  const anchor = "The trust anchor, root.linkerd.cluster.local,";
  for (const [left, expected] of [
    [60.01, undefined],
    [60, `warning: ${anchor} expires in 60 days, on 2026-10-20T12:00:00.000Z. Do it.`],
    [14.5, `warning: ${anchor} expires in 14 days, on 2026-09-05T00:00:00.000Z. Do it.`],
    [14, `error: ${anchor} expires in 14 days, on 2026-09-04T12:00:00.000Z. Do it.`],
    [1, `error: ${anchor} expires in 1 day, on 2026-08-22T12:00:00.000Z. Do it.`],
    [0.5, `error: ${anchor} expires in less than a day, on 2026-08-22T00:00:00.000Z. Do it.`],
    [-1, `error: ${anchor} expired on 2026-08-20T12:00:00.000Z. Do it.`],
  ] as const)
    it(`come with the right severity ${left} days before expiry`, () => {
      deepEqual(said(3650, left), expected);
    });

  const quarter = { life: 90, more: {} };
  const week = { life: 6, more: {} };
  const renewed = { life: 365, more: { renewBeforeDays: 30 } };
  for (const [name, { life, more }, lefts, severities] of [
    [
      "a certificate with a successor stays a warning",
      { life: 3650, more: { succeeded: true } },
      [3],
      ["w"],
    ],
    [
      "90 days of life warn in the last third",
      quarter,
      [31, 30, 15, 14],
      [undefined, "w", "w", "e"],
    ],
    ["6 days of life warn in the last third", week, [3, 2, 1], [undefined, "w", "e"]],
    [
      "certificates that are renewed in time warn once renewal is late",
      renewed,
      [50, 30, 16, 14],
      [undefined, "w", "w", "e"],
    ],
  ] as const)
    it(`depend on the lifetime: ${name}`, () => {
      deepEqual(
        lefts.map((left) => said(life, left, more)?.slice(0, 1)),
        severities,
      );
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
  const [oldPem, bothPem] = [old.certificate.pem, `${old.pem}${next.pem}`];
  const before = (state: string) =>
    `the trust anchor of generation 1: old: ${state}: Continue the rotation until it is removed.`;
  for (const [name, bundles, expected] of [
    ["no cluster trusts", [next.pem], [wanted]],
    ["one cluster trusts without its successor", [oldPem, bothPem], [wanted, before("alone")]],
    ["every cluster trusts with its successor", [next.pem, bothPem], [wanted, before("succeeded")]],
  ] as const)
    it(`include in a rotation an old anchor that ${name}`, () => {
      deepEqual(inWords(expiringAnchors(2, both, bundles)), expected);
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
