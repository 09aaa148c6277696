/** Kubeconfigs with a canary in every kind of credential. */
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import type { Bed } from "../bed/bed.ts";
import { encodings } from "../unit/kubernetes/quoted-secrets.ts";
import { writeKubeconfig } from "../unit/kubernetes/scripted-cluster.ts";
import { authority, issuerUnder } from "../unit/trust/certificates.ts";

export const made = {
  "a token": "canary-token/00f1+e2d3=c4b5a6f7e8d9",
  "a user's name and password": "canary-password/11f1+e2d3=c4b5a6f7e8d9",
  "an ID token": "canary-id-token/22f1+e2d3=c4b5a6f7e8d9",
  "a refresh token": "canary-refresh/33f1+e2d3=c4b5a6f7e8d9",
  "a client secret": "canary-client/44f1+e2d3=c4b5a6f7e8d9",
  "a plugin's variable": "canary-variable/55f1+e2d3=c4b5a6f7e8d9",
  "a plugin's argument": "canary-argument/66f1+e2d3=c4b5a6f7e8d9",
  "what a plugin prints": "canary-output/77f1+e2d3=c4b5a6f7e8d9",
  "a proxy's password": "canary-proxy-88f1-e2d3-c4b5a6f7e8d9",
  "a password in a server's address": "canary-server-99f1-e2d3-c4b5a6f7e8d9",
  "a broken kubeconfig": "canary-broken/aaf1+e2d3=c4b5a6f7e8d9",
  "a Helm value": "canary-value/bbf1+e2d3=c4b5a6f7e8d9",
  "an annotation": "canary-annotation/ccf1+e2d3=c4b5a6f7e8d9",
} as const;

export const anchor = authority();
export const client = issuerUnder(anchor);

const token = made["a token"];
const basic = { username: "canary", password: made["a user's name and password"] };

interface Login {
  readonly cluster: object;
  readonly user: object;
}

/** Starts a server that quotes the credentials that it gets. The path is the status of its answer. */
export async function startEcho() {
  const server = createServer(({ headers: { authorization = "" }, url = "" }, response) => {
    const reason = authorization.replace(/^\w+ /, "");
    const said = [authorization, reason];
    const message = said.flatMap((text) => encodings.map(([, encode]) => encode(text))).join(" ");
    const body = { kind: "Status", message, reason, details: { name: reason } };
    response.writeHead(Number(url.slice(1, 4)), { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/**
 * Writes a kubeconfig for each login, `west.yaml` and `east.yaml` among them, which work.
 *
 * @param echo is the URL of the server that quotes credentials
 * @returns the contexts of clusters that refuse the runner or quote its credentials
 */
export async function writeLogins(
  { clusters: { west, east, north } }: Pick<Bed<"west" | "east" | "north">, "clusters">,
  folder: string,
  echo: string,
): Promise<readonly string[]> {
  const files = {
    token: east.access.token,
    "key.pem": client.keyPem,
    "plugin.sh": pluginScript(west.access.token, join(folder, "seen")),
    "failing.sh": failing,
    "broken.yaml": `users: [{ token: ${made["a broken kubeconfig"]}`,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const refused = { ...echoing(echo), ...failingOn(serverOf(north.access), folder) };
  const oidc = {
    "id-token": made["an ID token"],
    "refresh-token": made["a refresh token"],
    "client-secret": made["a client secret"],
  };
  const address = made["a password in a server's address"];
  const all: Readonly<Record<string, Login>> = {
    ...refused,
    west: { cluster: serverOf(west.access), user: { exec: plugin(join(folder, "plugin.sh")) } },
    east: { cluster: serverOf(east.access), user: { tokenFile: join(folder, "token") } },
    address: { cluster: { server: `https://me:${address}@127.0.0.1:1` }, user: { token } },
    oidc: {
      cluster: serverOf(west.access),
      user: { "auth-provider": { name: "oidc", config: oidc } },
    },
    url: { cluster: { server: address }, user: { token } },
  };
  for (const [name, login] of Object.entries(all))
    await writeKubeconfig(join(folder, `${name}.yaml`), name, { ...login });
  return Object.keys(refused);
}

function echoing(url: string): Record<string, Login> {
  const cluster = (code: number) => ({
    server: `${url}/${code}`,
    "insecure-skip-tls-verify": true,
  });
  return {
    "echo-200": { cluster: cluster(200), user: { token } },
    "echo-400": { cluster: cluster(400), user: { token } },
    "echo-401": { cluster: cluster(401), user: { token } },
    "echo-403": { cluster: cluster(403), user: { token } },
    "echo-basic": { cluster: cluster(401), user: basic },
  };
}

function failingOn(cluster: object, folder: string): Record<string, Login> {
  const certificate = { "client-certificate-data": btoa(client.pem) };
  const proxy = `http://me:${made["a proxy's password"]}@127.0.0.1:1`;
  return {
    basic: { cluster, user: basic },
    data: { cluster, user: { ...certificate, "client-key-data": btoa(client.keyPem) } },
    garbage: { cluster, user: { ...certificate, "client-key-data": btoa(token) } },
    file: { cluster, user: { ...certificate, "client-key": join(folder, "key.pem") } },
    plugin: { cluster, user: { exec: plugin(join(folder, "failing.sh")) } },
    proxied: { cluster: { ...cluster, "proxy-url": proxy }, user: { token } },
  };
}

const v1 = "client.authentication.k8s.io/v1";

/** Prints the token, and writes down what can be seen of all processes meanwhile. */
function pluginScript(token: string, seen: string): string {
  const credential = { kind: "ExecCredential", apiVersion: v1, status: { token } };
  return `
    cat /proc/[0-9]*/cmdline >> '${seen}' 2> /dev/null
    env >> '${seen}'
    echo '${made["what a plugin prints"]}' >&2
    echo '${JSON.stringify(credential)}'
  `;
}

const failing = `
  echo '${made["what a plugin prints"]}'
  echo '${made["what a plugin prints"]}' >&2
  exit 1
`;

function plugin(script: string) {
  return {
    apiVersion: v1,
    interactiveMode: "Never",
    command: "/bin/sh",
    env: [{ name: "CANARY", value: made["a plugin's variable"] }],
    args: [script, made["a plugin's argument"]],
  };
}

function serverOf({ server, authority }: { readonly server: string; readonly authority: string }) {
  return { server, "certificate-authority-data": btoa(authority) };
}
