import { deepEqual } from "node:assert/strict";
import { expiryNotices, type Expiring } from "../../../engine/trust/expiry.ts";
import { renewalPeriod } from "../../../engine/trust/expiry.ts";
import { authority, day, now } from "./certificates.ts";

/** What is said of a certificate made for `life` days with `left` of them to go. */
function said(life: number, left: number, more: Partial<Expiring> = {}): string[] {
  const notAfter = new Date(now.getTime() + left * day);
  const notBefore = new Date(notAfter.getTime() - life * day);
  const { certificate } = authority({ notBefore, notAfter });
  const expiring = { certificate, role: "the trust anchor", remedy: "Do it.", succeeded: false };
  return expiryNotices([{ ...expiring, ...more }], now).map(
    ({ severity, message }) => `${severity}: ${message.replace(/ \(SHA-256 \w+\)/, "")}`,
  );
}

const anchor = "The trust anchor, root.linkerd.cluster.local,";

describe("trust: certificates that run out", () => {
  it("nothing until 60 days before", () => {
    deepEqual(said(3650, 60.01), []);
  });

  it("a warning from then on, an error from 14 days", () => {
    deepEqual(said(3650, 60), [
      `warning: ${anchor} expires in 60 days, on 2026-10-20T12:00:00.000Z. Do it.`,
    ]);
    deepEqual(said(3650, 14.5), [
      `warning: ${anchor} expires in 14 days, on 2026-09-05T00:00:00.000Z. Do it.`,
    ]);
    deepEqual(said(3650, 14), [
      `error: ${anchor} expires in 14 days, on 2026-09-04T12:00:00.000Z. Do it.`,
    ]);
    deepEqual(said(3650, 1), [
      `error: ${anchor} expires in 1 day, on 2026-08-22T12:00:00.000Z. Do it.`,
    ]);
    deepEqual(said(3650, 0.5), [
      `error: ${anchor} expires in less than a day, on 2026-08-22T00:00:00.000Z. Do it.`,
    ]);
  });

  it("an error when it is too late", () => {
    deepEqual(said(3650, -1), [`error: ${anchor} expired on 2026-08-20T12:00:00.000Z. Do it.`]);
  });

  it("no error where its successor is trusted already", () => {
    deepEqual(
      said(3650, 3, { succeeded: true }).map((text) => text.split(":")[0]),
      ["warning"],
    );
  });

  it("certificates for a short time are in order for two thirds of it", () => {
    const severities = [31, 30, 15, 14].map((left) => said(90, left)[0]?.split(":")[0]);
    deepEqual(severities, [undefined, "warning", "warning", "error"]);
    deepEqual(
      [3, 2, 1].map((left) => said(6, left)[0]?.split(":")[0]),
      [undefined, "warning", "error"],
    );
  });

  it("one that is renewed later than that is in order until then", () => {
    const severities = [50, 30, 16, 14].map(
      (left) => said(365, left, { renewBeforeDays: 30 })[0]?.split(":")[0],
    );
    deepEqual(severities, [undefined, "warning", "warning", "error"]);
  });
});

describe("trust: the renewal of issuers", () => {
  const settings = { issuerValidityDays: 365, renewBeforeDays: 60 };
  const at = (days: number) => new Date(days * day);

  it("a period is as long as an issuer may serve, whenever it was made", () => {
    deepEqual(
      [0, 304.9, 305, 609.9, 610].map((days) => renewalPeriod(settings, at(days))),
      [0, 0, 1, 1, 2],
    );
  });
});
