import { createPrivateKey, type KeyObject } from "node:crypto";
import { anchorsBehind, type Certificate } from "./certificate.ts";

/**
 * Linkerd has these requirements (linkerd-behaviour.md 9.3; linkerd2, pkg/issuercerts). Each function returns words to
 * follow "it must be", or undefined if the requirement is met.
 */

export function anchorProblem({ x509, publicKey }: Certificate): string | undefined {
  if (!x509.ca) return "a CA that may sign certificates";
  const { modulusLength } = publicKey.asymmetricKeyDetails ?? {};
  const isRsa = publicKey.asymmetricKeyType === "rsa";
  if (isP256(publicKey) || (isRsa && [2048, 4096].includes(modulusLength ?? 0))) return undefined;
  return "a CA with an ECDSA P-256 key, or an RSA key of 2048 or 4096 bits";
}

export function issuerProblem({ x509, publicKey }: Certificate): string | undefined {
  if (!x509.ca) return "a CA that may sign certificates";
  return isP256(publicKey) ? undefined : "a CA with an ECDSA P-256 key";
}

export function timeProblem({ notBefore, notAfter }: Certificate, now: Date): string | undefined {
  if (notBefore > now) return `valid now (it becomes valid on ${notBefore.toISOString()})`;
  return notAfter > now ? undefined : `valid now (it expired on ${notAfter.toISOString()})`;
}

/** @param those words for the anchors, such as `one of trust.anchors` */
export function chainProblems(
  chain: readonly Certificate[],
  { anchors, those, now }: { anchors: readonly Certificate[]; those: string; now: Date },
): { readonly certificate: Certificate; readonly problem: string }[] {
  const [issuer] = chain;
  if (issuer === undefined) return [];
  const behind = anchorsBehind(chain, anchors);
  const isLate = behind.every((anchor) => timeProblem(anchor, now) !== undefined);
  const signed = `signed by ${those}${behind.length === 0 ? "" : " that is valid now"}`;
  return [
    { certificate: issuer, problem: issuerProblem(issuer) },
    ...chain.map((certificate) => ({ certificate, problem: timeProblem(certificate, now) })),
    { certificate: issuer, problem: isLate ? signed : undefined },
  ].flatMap(({ certificate, problem }) =>
    problem === undefined ? [] : [{ certificate, problem }],
  );
}

/** Messages never quote the key. */
export function keyProblem(text: string, { x509 }: Certificate): string | undefined {
  try {
    const isItsOwn = x509.checkPrivateKey(createPrivateKey(text));
    return isItsOwn ? undefined : "the private key of the certificate with it";
  } catch {
    return "an unencrypted PEM private key";
  }
}

function isP256({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  return asymmetricKeyType === "ec" && asymmetricKeyDetails?.namedCurve === "prime256v1";
}
