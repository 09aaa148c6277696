import { deepEqual, equal } from "node:assert/strict";
import {
  lifetimeInConfig,
  type LifetimeRecord,
  nextRecord,
  recordIn,
  recordText,
  unknownLifetime,
} from "../../../engine/trust/lifetime.ts";
import { day, inDays, now } from "./certificates.ts";

describe("trust: how long certificates of proxies may be in use", () => {
  it("keeps a lifetime that was shortened until the last certificate with it has expired", () => {
    const long: LifetimeRecord = { ms: 30 * day };
    const shortened = nextRecord(long, day, now);
    deepEqual(shortened, { ms: 30 * day, until: inDays(30) });
    deepEqual(nextRecord(shortened, 2 * day, inDays(29)), shortened);
    deepEqual(nextRecord(shortened, 2 * day, inDays(30)), { ms: 2 * day });
    equal(nextRecord(shortened, day, inDays(31)), undefined);
  });

  it("starts again where a lifetime becomes as long as it was, or longer", () => {
    const shortened = { ms: 30 * day, until: inDays(2) };
    deepEqual(nextRecord(shortened, 30 * day, now), { ms: 30 * day });
    deepEqual(nextRecord({ ms: 2 * day }, 3 * day, now), { ms: 3 * day });
    equal(nextRecord(undefined, day, now), undefined);
  });

  it("is written into an annotation and read from it, and a forged one counts as very long", () => {
    for (const record of [{ ms: 30 * day }, { ms: 1500, until: inDays(30) }])
      deepEqual(recordIn(recordText(record)), {
        ...record,
        ms: Math.ceil(record.ms / 1000) * 1000,
      });
    equal(recordText({ ms: 30 * day, until: now }), `720h0m0s until ${now.toISOString()}`);
    for (const odd of ["", "soon", "x until 2026-01-01T00:00:00Z"])
      equal(recordIn(odd)?.ms, unknownLifetime);
  });

  it("is read from the Helm values of the live cluster", () => {
    const values = (lifetime: string) =>
      `identity:\n  issuer:\n    clockSkewAllowance: 20s\n    issuanceLifetime: ${lifetime}\n`;
    equal(lifetimeInConfig(values("720h0m0s")), 30 * day);
    equal(lifetimeInConfig(values('"48h"')), 2 * day);
    equal(lifetimeInConfig(values("1h")), day);
    equal(lifetimeInConfig(values("&x odd")), unknownLifetime);
    equal(lifetimeInConfig("clusterDomain: cluster.local\n"), day);
    equal(lifetimeInConfig(values("1h") + values("96h")), 4 * day);
  });
});
