import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from "node:crypto";
import { isIP } from "node:net";
import { type Certificate, onlyCertificate } from "../../../engine/trust/certificate.ts";

/** Makes real certificates for tests: Node parses and verifies X.509, but does not write it. */

export interface Authority {
  readonly certificate: Certificate;
  readonly pem: string;
  readonly keyPem: string;
  readonly privateKey: KeyObject;
}

interface Wish {
  readonly name?: string;
  readonly signer?: Authority;
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  readonly isCa?: boolean;
  /** A key that is certified instead of a new one on P-256. */
  readonly key?: KeyObject;
  /** A TLS server with these names or IPv4 addresses shows it. */
  readonly hosts?: readonly string[];
}

export const day = 24 * 60 * 60 * 1000;
export const now = new Date("2026-08-21T12:00:00Z");

export function inDays(days: number): Date {
  return new Date(now.getTime() + days * day);
}

/** Returns a self-signed CA, unless the wish says otherwise; valid for 10 years around `now`. */
export function authority(wish: Wish = {}): Authority {
  const { name = "root.linkerd.cluster.local", signer, isCa = true, hosts = [] } = wish;
  const { notBefore = inDays(-30), notAfter = inDays(3620) } = wish;
  const privateKey = wish.key ?? generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  const spki = createPublicKey(privateKey).export({ type: "spki", format: "der" });
  const signerKey = signer?.privateKey ?? privateKey;
  const algorithm = algorithmOf(signerKey);
  const signs = isCa && hosts.length === 0 ? 0 : 0x80;
  const usage = extension("551d0f", bits([signs | (isCa ? 0x06 : 0)], isCa ? 1 : 7));
  const constraints = extension("551d13", sequence(...(isCa ? [tlv(0x01, [0xff])] : [])));
  const keyId = createHash("sha1").update(spki).digest();
  const ids = extension("551d0e", tlv(0x04, keyId), false);
  const served = extension("551d11", sequence(...hosts.map(generalName)), false);
  const body = sequence(
    tlv(0xa0, tlv(0x02, [2])),
    tlv(0x02, [0x01, ...randomBytes(8)]),
    algorithm,
    distinguishedName(signer?.certificate.name ?? name),
    sequence(time(notBefore), time(notAfter)),
    distinguishedName(name),
    spki,
    tlv(0xa3, sequence(usage, constraints, ids, ...(hosts.length > 0 ? [served] : []))),
  );
  const der = sequence(body, algorithm, bits(sign("sha256", body, signerKey)));
  const pem = new X509Certificate(der).toString();
  const keyPem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  return { certificate: onlyCertificate(pem), pem, keyPem, privateKey };
}

/** Replaces a sequence of bytes in a certificate. OpenSSL parses it as long as nobody asks for that part. */
export function altered({ certificate }: Authority, from: string, to: string): string {
  const der = certificate.x509.raw.toString("hex");
  if (!der.includes(from)) throw new Error(`the certificate has no ${from}`);
  return new X509Certificate(Buffer.from(der.replace(from, to), "hex")).toString();
}

export function onUnknownCurve(one: Authority): string {
  return altered(one, "2a8648ce3d030107", "2a8648ce3d03017f");
}

export function issuerUnder(signer: Authority, wish: Wish = {}): Authority {
  return authority({ name: "identity.linkerd.cluster.local", signer, ...wish });
}

/** Together they are as long as a bundle may be. */
export function wordyAuthorities(): Authority[] {
  return ["a", "b", "c"].map((letter) => authority({ name: letter.repeat(32_000) }));
}

/** Returns a self-signed certificate of a TLS server on this machine, as PEM and in the kubeconfig's base64. */
export function tlsCertificate(name: string) {
  const hosts = ["127.0.0.1", "west.test", "localhost"];
  const notBefore = new Date(Date.now() - day);
  const { keyPem: key, pem: cert } = authority({ name, hosts, notBefore });
  const [keyData, certData] = [btoa(key), btoa(cert)];
  return { key, cert, keyData, certData };
}

function generalName(host: string): Buffer {
  return isIP(host) === 0 ? tlv(0x82, Buffer.from(host)) : tlv(0x87, host.split(".").map(Number));
}

function algorithmOf(key: KeyObject): Buffer {
  const isRsa = key.asymmetricKeyType === "rsa";
  // sha256WithRSAEncryption has a NULL parameter, ecdsa-with-SHA256 none.
  return isRsa
    ? sequence(oid("2a864886f70d01010b"), tlv(0x05, []))
    : sequence(oid("2a8648ce3d040302"));
}

function distinguishedName(name: string): Buffer {
  return sequence(tlv(0x31, sequence(oid("550403"), tlv(0x0c, Buffer.from(name)))));
}

function extension(id: string, value: Buffer, critical = true): Buffer {
  return sequence(oid(id), ...(critical ? [tlv(0x01, [0xff])] : []), tlv(0x04, value));
}

function time(at: Date): Buffer {
  return tlv(0x18, Buffer.from(at.toISOString().replaceAll(/\.\d+|[-:T]/g, "")));
}

function oid(hex: string): Buffer {
  return tlv(0x06, Buffer.from(hex, "hex"));
}

function bits(value: Iterable<number>, unused = 0): Buffer {
  return tlv(0x03, [unused, ...value]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tlv(0x30, Buffer.concat(parts));
}

function tlv(tag: number, content: Iterable<number>): Buffer {
  const value = Buffer.from([...content]);
  const { length } = value;
  if (length < 128) return Buffer.from([tag, length, ...value]);
  const size = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.from([tag, ...size, ...value]);
}
