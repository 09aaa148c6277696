import { type KeyObject, X509Certificate } from "node:crypto";
import { printable } from "../kubernetes/objects/printable.ts";
import { invalid, type Result } from "../base/result.ts";
import { UserError } from "../base/user-error.ts";

export interface Certificate {
  /** The block has LF line ends, and none at the end. */
  readonly pem: string;
  /** Identifies the certificate: SHA-256 of the DER, in lower-case hex. */
  readonly fingerprint: string;
  /** Holds the common name of the subject, or the whole subject if it has none. */
  readonly name: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Decoded with the rest, because reading an invalid one from `x509` throws. */
  readonly publicKey: KeyObject;
  readonly x509: X509Certificate;
}

/** A bundle of 50 certificates takes a tenth of it. */
export const longestText = 256 * 1024;

/** A generated certificate takes less. */
const longestOwn = 2_048;

/** A rotation needs far fewer. Verifying a chain costs one signature for each pair. */
export const mostCertificates = 50;

/** They have the order of the text: a chain has its leaf first. */
export type Certificates = readonly [Certificate, ...Certificate[]];

/**
 * Ignores text between the blocks, which OpenSSL writes. Linkerd's parser stops at it, so bundles are formatted again
 * (bundle.ts). Whoever may create a pod may write such a text, so its size is limited, and parsing takes linear time.
 *
 * @param room is left for this many generated certificates
 * @returns the certificates, or the end of a sentence "it must be"
 */
export function certificatesIn(text: string, room = 0): Result<Certificates> {
  const [longest, most] = [longestText - room * longestOwn, mostCertificates - room];
  if (text.length > longest) return invalid(`PEM of at most ${longest} characters`);
  const blocks = blocksIn(text);
  const [first, ...others] = blocks.map(({ pem }) => pem);
  if (first === undefined) return invalid("PEM, with at least one block BEGIN CERTIFICATE");
  const other = blocks.find(({ kind }) => kind !== "CERTIFICATE");
  if (other !== undefined) return invalid(`PEM certificates and nothing else, so no ${other.kind}`);
  if (blocks.length > most) return invalid(`PEM of at most ${most} certificates`);
  try {
    return { value: [certificateOf(first), ...others.map(certificateOf)] };
  } catch {
    // The parser's message may quote the text.
    return invalid("PEM certificates that can be parsed");
  }
}

/** Splits the text, because a regular expression for a block backtracks: many blanks cost half a minute. */
function blocksIn(text: string): { readonly kind: string; readonly pem: string }[] {
  const parts = text.split("-----");
  return parts.flatMap((part, index) => {
    const [, kind] = /^BEGIN ([A-Z0-9 ]{1,64})$/.exec(part) ?? [];
    // A block may follow another one directly, as when `cat` joins files and one lacks its last line end.
    const beginsLine = ["", "\n"].includes(parts[index - 1]?.at(-1) ?? "");
    if (kind === undefined || !beginsLine || parts[index + 2] !== `END ${kind}`) return [];
    const lines = ["", ...parts.slice(index, index + 3), ""].join("-----").split("\n");
    return [{ kind, pem: lines.map((line) => line.trimEnd()).join("\n") }];
  });
}

export function certificatesOf(pem: unknown, what: string): Certificates {
  const found = certificatesIn(typeof pem === "string" ? pem : "");
  if ("value" in found) return found.value;
  throw new UserError(`${what} must be ${found.why}`);
}

/** Parses a text that has been checked before. */
export function knownCertificates(text: string): Certificates {
  const found = certificatesIn(text);
  if ("value" in found) return found.value;
  throw new Error(`not certificates: it must be ${found.why}`);
}

export function onlyCertificate(text: string): Certificate {
  return knownCertificates(text)[0];
}

function certificateOf(pem: string): Certificate {
  const x509 = new X509Certificate(pem);
  const [notBefore, notAfter] = [new Date(x509.validFrom), new Date(x509.validTo)];
  // OpenSSL describes an invalid time with a sentence.
  if (Number.isNaN(notBefore.getTime() + notAfter.getTime())) throw new Error("no time");
  return {
    pem,
    fingerprint: x509.fingerprint256.replaceAll(":", "").toLowerCase(),
    name: /^CN=(.*)$/m.exec(x509.subject)?.[1] ?? x509.subject.replaceAll("\n", ", "),
    notBefore,
    notAfter,
    publicKey: x509.publicKey,
    x509,
  };
}

/** `checkIssued` compares names and rights; `verify` checks the signature. */
export function isIssuedBy(child: Certificate, parent: Certificate): boolean {
  return child.x509.checkIssued(parent.x509) && child.x509.verify(parent.publicKey);
}

/** Returns the anchors that signed an issuer, or a certificate of the chain that follows it in `tls.crt`. */
export function anchorsBehind(
  [issuer, ...chain]: readonly Certificate[],
  anchors: readonly Certificate[],
): readonly Certificate[] {
  if (issuer === undefined) return [];
  const direct = anchors.filter((anchor) => isIssuedBy(issuer, anchor));
  const next = chain[0];
  const further =
    next !== undefined && isIssuedBy(issuer, next) ? anchorsBehind(chain, anchors) : [];
  return [...direct, ...further.filter((anchor) => !direct.includes(anchor))];
}

export function called({ name, fingerprint }: Certificate): string {
  return `${printable(name, 253)} (SHA-256 ${fingerprint.slice(0, 12)})`;
}

export function calledAll(certificates: readonly Certificate[]): string {
  return certificates.map(called).join(" and ");
}
