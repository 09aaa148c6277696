import { type KeyObject, X509Certificate } from "node:crypto";
import { printable } from "../kubernetes/objects/printable.ts";
import { invalid, type Result } from "../result.ts";
import { UserError } from "../user-error.ts";

/** An X.509 certificate, as far as trust between clusters depends on it. It never contains a private key. */
export interface Certificate {
  /** Its PEM block: LF line ends, none at the end. */
  readonly pem: string;
  /** SHA-256 of the DER, in lower-case hex: two certificates are the same if this is. */
  readonly fingerprint: string;
  /** Common name of the subject, or the whole subject where it has none. */
  readonly name: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** The public key is decoded with the rest, because reading an invalid one from `x509` throws. */
  readonly publicKey: KeyObject;
  readonly x509: X509Certificate;
}

/** A bundle of 50 certificates has a tenth of this many characters. */
const longestText = 256 * 1024;

/** A rotation needs far fewer; verifying a chain costs one signature for each pair. */
export const mostCertificates = 50;

/** Certificates in the order of a text, as that of a chain: leaf first. */
export type Certificates = readonly [Certificate, ...Certificate[]];

/**
 * Parses every certificate in a PEM text, in order. Text between the blocks, which OpenSSL writes, is ignored; Linkerd's
 * own parser stops at it, so bundles are formatted again (bundle.ts). Whoever may write to a cluster, or create a pod,
 * may write such a text, so its size is limited, and parsing takes linear time.
 *
 * @returns the certificates; or what they must be, as the end of a sentence "it must be".
 */
export function certificatesIn(text: string): Result<Certificates> {
  if (text.length > longestText) return invalid(`PEM of at most ${longestText} characters`);
  const blocks = blocksIn(text);
  const [first, ...others] = blocks;
  if (first === undefined) return invalid("PEM, with at least one block BEGIN CERTIFICATE");
  const other = blocks.find(({ kind }) => kind !== "CERTIFICATE");
  if (other !== undefined) return invalid(`PEM certificates and nothing else, so no ${other.kind}`);
  if (blocks.length > mostCertificates)
    return invalid(`PEM of at most ${mostCertificates} certificates`);
  try {
    return { value: [certificateOf(first), ...others.map(certificateOf)] };
  } catch {
    // The parser's message may quote the text.
    return invalid("PEM certificates that can be parsed");
  }
}

interface Block {
  readonly kind: string;
  /** LF line ends, no blanks at the end of a line. */
  readonly pem: string;
}

/** Splits the text, because a regular expression for a block backtracks: many blanks cost half a minute. */
function blocksIn(text: string): Block[] {
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

/** @throws UserError that says what `what` must be */
export function certificatesOf(pem: unknown, what: string): Certificates {
  const found = certificatesIn(typeof pem === "string" ? pem : "");
  if ("value" in found) return found.value;
  throw new UserError(`${what} must be ${found.why}`);
}

/** Parses a text that has been checked before, such as that of the config. */
export function knownCertificates(text: string): Certificates {
  const found = certificatesIn(text);
  if ("value" in found) return found.value;
  throw new Error(`not certificates: it must be ${found.why}`);
}

/** Parses the output of a certificate resource. */
export function onlyCertificate(text: string): Certificate {
  return knownCertificates(text)[0];
}

function certificateOf({ pem }: Block): Certificate {
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

/** Whether the parent's key signed the child, and the parent may sign certificates at all. */
export function isIssuedBy(child: Certificate, parent: Certificate): boolean {
  return child.x509.checkIssued(parent.x509) && child.x509.verify(parent.publicKey);
}

/**
 * Returns the anchors that vouch for an issuer: those that signed it, or the end of the chain that follows it, leaf
 * first, as Linkerd expects a chain in `tls.crt`.
 */
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

/** Names a certificate in a message, with enough of its fingerprint to tell it apart. */
export function called({ name, fingerprint }: Certificate): string {
  return `${printable(name, 253)} (SHA-256 ${fingerprint.slice(0, 12)})`;
}

export function calledAll(certificates: readonly Certificate[]): string {
  return certificates.map(called).join(" and ");
}
