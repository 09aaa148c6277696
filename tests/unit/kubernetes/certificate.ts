import { execFile, spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

export const noOpenssl = spawnSync("openssl", ["version"]).error !== undefined;

/** A self-signed certificate for 127.0.0.1, localhost and west.test, and the same in the kubeconfig's base64. */
export async function certificate(folder: string, name: string) {
  const key = path.join(folder, `${name}.key`);
  const cert = path.join(folder, `${name}.crt`);
  await promisify(execFile)("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
    ...["-keyout", key, "-out", cert, "-days", "2", "-subj", `/CN=${name}`],
    ...["-addext", "subjectAltName=IP:127.0.0.1,DNS:west.test,DNS:localhost"],
  ]);
  const pem = { key: await readFile(key), cert: await readFile(cert) };
  return { ...pem, keyData: pem.key.toString("base64"), certData: pem.cert.toString("base64") };
}
