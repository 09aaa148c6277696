import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { onlyCertificate } from "../../engine/trust/certificate.ts";
import { authority, type Authority } from "../unit/trust/certificates.ts";

/** The mocks create real keys and certificates, because the program reads them. A request is known by its text. */
const requests = new Map<string, string>();

const hour = 60 * 60 * 1000;

type Inputs = Readonly<Record<string, unknown>>;

export function tlsOutputs(type: string, inputs: Inputs): Inputs {
  switch (type) {
    case "tls:index/privateKey:PrivateKey": {
      const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
      return { privateKeyPem: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
    }
    case "tls:index/certRequest:CertRequest": {
      const certRequestPem = `request ${requests.size}`;
      requests.set(certRequestPem, text(inputs["privateKeyPem"]));
      return { certRequestPem };
    }
    case "tls:index/selfSignedCert:SelfSignedCert":
      return { certPem: signed(inputs, text(inputs["privateKeyPem"]), nameIn(inputs["subject"])) };
    case "tls:index/locallySignedCert:LocallySignedCert": {
      const key = requests.get(text(inputs["certRequestPem"])) ?? "";
      const signer = signerOf(text(inputs["caCertPem"]), text(inputs["caPrivateKeyPem"]));
      return { certPem: signed(inputs, key, "identity", signer) };
    }
    default:
      return {};
  }
}

function signed(inputs: Inputs, keyPem: string, name: string, signer?: Authority): string {
  const notBefore = new Date();
  const validity = Number(inputs["validityPeriodHours"]) * hour;
  const notAfter = new Date(notBefore.getTime() + validity);
  const wish = { name, notBefore, notAfter, key: createPrivateKey(keyPem) };
  return authority({ ...wish, ...(signer !== undefined && { signer }) }).pem;
}

function signerOf(pem: string, keyPem: string): Authority {
  const certificate = onlyCertificate(pem);
  return { certificate, pem, keyPem, privateKey: createPrivateKey(keyPem) };
}

function nameIn(subject: unknown): string {
  return typeof subject === "object" && subject !== null && "commonName" in subject
    ? text(subject.commonName)
    : "";
}

function text(value: unknown): string {
  if (typeof value !== "string") throw new Error(`expected text, got ${typeof value}`);
  return value;
}
