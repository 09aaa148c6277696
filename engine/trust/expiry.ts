import { called, type Certificate } from "./certificate.ts";

/** A certificate that the mesh stops working without. */
export interface Watched {
  readonly certificate: Certificate;
  /** In a message, before the certificate's name: `the trust anchor`, `the issuer of cluster west`. */
  readonly role: string;
  /** What to do about it, as a sentence. */
  readonly remedy: string;
  /** Whether what takes its place is trusted beside it already, so that time is not running out. */
  readonly succeeded: boolean;
  /** Days before its end from which it is renewed anyway; before that, all is in order. */
  readonly renewBeforeDays?: number;
}

export interface Verdict {
  readonly severity: "warning" | "error";
  readonly message: string;
}

const day = 24 * 60 * 60 * 1000;

/** As `linkerd check` warns, in days (linkerd-behaviour.md 9.3). */
const warnFrom = 60;

/** In days: the restarts that a rotation needs want planning in a mesh of any size. */
const errorFrom = 14;

/**
 * What to say of certificates that run out: a warning from 60 days before, an error from 14 days,
 * while there is still time to act. Certificates made for a shorter time are given a third and a
 * sixth of it, or they would never be in order.
 */
export function expiryVerdicts(watched: readonly Watched[], now: Date): Verdict[] {
  return watched.flatMap(({ certificate, role, remedy, succeeded, renewBeforeDays = Infinity }) => {
    const { notBefore, notAfter } = certificate;
    const left = (notAfter.getTime() - now.getTime()) / day;
    const life = (notAfter.getTime() - notBefore.getTime()) / day;
    if (left > Math.min(warnFrom, life / 3, renewBeforeDays)) return [];
    const urgent = left <= Math.min(errorFrom, life / 6, renewBeforeDays / 2) && !succeeded;
    const when = notAfter.toISOString();
    const state = left <= 0 ? `expired on ${when}` : `expires in ${daysIn(left)}, on ${when}`;
    const message = `${capital(role)}, ${called(certificate)}, ${state}. ${remedy}`;
    return [{ severity: urgent ? "error" : "warning", message }];
  });
}

function daysIn(left: number): string {
  if (left < 1) return "less than a day";
  const days = Math.floor(left);
  return days === 1 ? "1 day" : `${days} days`;
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
