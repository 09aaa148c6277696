import { count } from "../base/message.ts";
import type { Bundle } from "./bundle.ts";
import { called, type Certificate } from "./certificate.ts";
import type { Rotation } from "./rotation.ts";

export interface Expiring {
  readonly certificate: Certificate;
  /** It stands before the certificate's name in a message: `the trust anchor`, `the issuer of cluster west`. */
  readonly role: string;
  readonly remedy: string;
  /** Nothing is urgent, because its successor is trusted already. */
  readonly succeeded?: boolean;
  /** The certificate is renewed so many days before it expires. Until then, no warning is needed. */
  readonly renewBeforeDays?: number;
}

export interface ExpiryNotice {
  readonly severity: "warning" | "error";
  readonly message: string;
}

const day = 24 * 60 * 60 * 1000;

/** `linkerd check` warns this many days before the end (linkerd-behaviour.md 9.3). */
const warnFrom = 60;

/** From this many days before, it is an error, because the restarts of a rotation have to be planned. */
const errorFrom = 14;

/** Warns in the last third and fails in the last sixth of a short lifetime, which otherwise would never be in order. */
export function expiryNotices(expiring: readonly Expiring[], now: Date): ExpiryNotice[] {
  return expiring.flatMap(
    ({ certificate, role, remedy, succeeded = false, renewBeforeDays = Infinity }) => {
      const { notBefore, notAfter } = certificate;
      const left = (notAfter.getTime() - now.getTime()) / day;
      const life = (notAfter.getTime() - notBefore.getTime()) / day;
      if (left > Math.min(warnFrom, life / 3, renewBeforeDays)) return [];
      const urgent = left <= Math.min(errorFrom, life / 6, renewBeforeDays / 2) && !succeeded;
      const when = notAfter.toISOString();
      const days = left < 1 ? "less than a day" : count(Math.floor(left), "day");
      const state = left <= 0 ? `expired on ${when}` : `expires in ${days}, on ${when}`;
      const subject = role.slice(0, 1).toUpperCase() + role.slice(1);
      const message = `${subject}, ${called(certificate)}, ${state}. ${remedy}`;
      return [{ severity: urgent ? "error" : "warning", message }];
    },
  );
}

/** @param bundles PEM of the trust bundle of each cluster */
export function expiringAnchors(
  generation: number,
  { wanted, previous }: Pick<Rotation, "wanted" | "previous">,
  bundles: readonly string[],
): Expiring[] {
  const remedy = `Start a rotation: set linkerd-multicluster:trust.generation to ${generation + 1}.`;
  const anchor = { certificate: wanted, role: "the trust anchor", remedy };
  if (previous === undefined || !bundles.some((pem) => pem.includes(previous.pem))) return [anchor];
  const old = {
    certificate: previous,
    role: `the trust anchor of generation ${generation - 1}`,
    remedy: "Continue the rotation until it is removed.",
    succeeded: bundles.every((pem) => pem.includes(wanted.pem)),
  };
  return [anchor, old];
}

const key = "linkerd-multicluster:trust";

/** They differ by the origin of certificates that this stack doesn't generate. */
const remedies = {
  config: {
    anchor: `Add a new one to ${key}.anchors, then provide issuers signed by it.`,
    issuer: (cluster: string) => `Provide a new one as ${key}.issuers.${cluster}.`,
  },
  stack: {
    anchor: `Start a rotation in the stack that ${key}.stack names: increment ${key}.generation there.`,
    issuer: () =>
      `Renew it: run pulumi up --refresh in the stack that ${key}.stack names, then pulumi up here.`,
  },
};

export function expiringProvided(
  anchors: Bundle,
  issuers: ReadonlyMap<string, readonly Certificate[]>,
  by: keyof typeof remedies,
): Expiring[] {
  const { anchor, issuer } = remedies[by];
  return [
    ...expiringBundle(anchors, anchor, (nth) => (anchors.length === 1 ? "the trust anchor" : nth)),
    ...[...issuers].flatMap(([cluster, chain]) => expiringIssuer(cluster, chain, issuer(cluster))),
  ];
}

/** No anchor of a bundle is needed while another one lasts longer. */
export function expiringBundle(
  bundle: Bundle,
  remedy: string,
  roleOf: (nth: string) => string,
): Expiring[] {
  return bundle.map((certificate, index) => ({
    certificate,
    role: roleOf(`trust anchor ${index + 1}`),
    remedy,
    succeeded: bundle.some(({ notAfter }) => notAfter > certificate.notAfter),
  }));
}

export function expiringIssuer(
  cluster: string,
  chain: readonly Certificate[],
  remedy: string,
  renewBeforeDays = Infinity,
): Expiring[] {
  const role = `the issuer of cluster ${cluster}`;
  return chain.slice(0, 1).map((certificate) => ({ certificate, role, remedy, renewBeforeDays }));
}

/**
 * Returns the number of the current renewal period. An issuer that was created in one period is replaced in the next,
 * so that `renewBeforeDays` always remain. Only the clock counts, because the provider's own renewal needs a refresh,
 * which plain `pulumi up` doesn't do (pulumi-tls #39), and a program can't read its own state.
 */
export function renewalPeriod(
  issuerValidityDays: number,
  renewBeforeDays: number,
  now: Date,
): number {
  const length = (issuerValidityDays - renewBeforeDays) * day;
  return Math.floor(now.getTime() / length);
}
