import { readFile } from "node:fs/promises";
import { KubeconfigError, readKubeconfig } from "../kubernetes/kubeconfig/kubeconfig.ts";
import type { KubeconfigCluster } from "../kubernetes/kubeconfig/entries.ts";
import { omitUndefined } from "../base/omit-undefined.ts";
import type { ApiServer } from "../kubernetes/client/connect.ts";
import type { TargetArgs } from "./state.ts";
import { codeOf } from "../base/user-error.ts";

/** The kubeconfig's address, authority and TLS server name are used, never its user or proxy. */
export async function serverFacts({
  access,
  target,
  apiServer,
}: Pick<TargetArgs, "access" | "target" | "apiServer">): Promise<ApiServer> {
  const { cluster: entry } = await readKubeconfig(access, target);
  const server = apiServer ?? addressOf(entry, target, access.context);
  const certificateAuthority = await authorityOf(entry, target, access.context);
  return {
    server,
    ...omitUndefined({ certificateAuthority, tlsServerName: entry["tls-server-name"] }),
  };
}

function addressOf(entry: KubeconfigCluster, target: string, context: string): string {
  const url = new URL(entry.server);
  const refused = (why: string) =>
    new KubeconfigError(
      target,
      `the server of context ${context} ${why}; set clusters.${target}.apiServer to the https URL at which the other clusters reach it`,
    );
  if (url.protocol !== "https:")
    throw refused(`is plain http, so other clusters would send their token in clear text`);
  if (/^(localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])$/.test(url.hostname))
    throw refused(
      `is ${url.origin}, which is local to this machine, so other clusters can't reach it`,
    );
  return url.origin + url.pathname.replace(/\/$/, "");
}

/** Only certificates are taken from the file, which may also hold keys. An unverified server would get the token. */
async function authorityOf(
  cluster: KubeconfigCluster,
  target: string,
  context: string,
): Promise<string | undefined> {
  const { "certificate-authority-data": data, "certificate-authority": file } = cluster;
  const where = data === undefined ? file : "certificate-authority-data";
  if (where === undefined) {
    if (cluster["insecure-skip-tls-verify"] !== true) return undefined;
    throw new KubeconfigError(
      target,
      `context ${context} has insecure-skip-tls-verify and no certificate authority, so other clusters could not verify the API server; put certificate-authority-data in its place`,
    );
  }
  const text =
    data === undefined
      ? await readAuthority(where, target)
      : Buffer.from(data, "base64").toString("latin1");
  const certificates = text.match(
    /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g,
  );
  if (certificates === null)
    throw new KubeconfigError(
      target,
      `${where} of context ${context} contains no PEM certificate; it must hold the API server's certificate authority`,
    );
  return Buffer.from(`${certificates.join("\n")}\n`).toString("base64");
}

function readAuthority(file: string, target: string): Promise<string> {
  return readFile(file, "latin1").catch((error: unknown) => {
    const problem = `certificate authority ${file} can't be read (${codeOf(error)})`;
    throw new KubeconfigError(target, problem);
  });
}
