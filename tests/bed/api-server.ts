import { generateKeyPairSync } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { execa } from "execa";
import { stringify } from "yaml";

import { writeAuditPolicy } from "./audit.ts";
import { type Program, startProgram, until } from "./processes.ts";
import { type Access, request } from "./request.ts";
import type { Watchdog } from "./watchdog.ts";

export interface ApiServerSpec {
  /** It names the cluster, and its part of etcd. */
  readonly name: string;
  /** It tells the clusters of a bed apart where they need numbers. */
  readonly index: number;
  readonly path: string;
  readonly folder: string;
  readonly port: number;
  /** The server listens on this address; on the loopback address by default. */
  readonly address?: string;
  readonly etcdUrl: string;
  /** All users are administrators. */
  readonly tokens: ReadonlyMap<string, string>;
}

/** The server makes this certificate itself, at its first start. */
export const authorityFile = (folder: string): string =>
  join(folder, "certificates", "apiserver.crt");

export const serviceAccountKeyFile = (folder: string): string =>
  join(folder, "service-accounts.key");

export const auditLogFile = (folder: string): string => join(folder, "audit.log");

/** Writes the files that the server reads at every start. */
export async function prepareApiServer({ folder, tokens, address }: ApiServerSpec): Promise<void> {
  await mkdir(folder, { recursive: true });
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  await writeFile(
    serviceAccountKeyFile(folder),
    privateKey.export({ type: "sec1", format: "pem" }),
    { mode: 0o600 },
  );
  const rows = [...tokens].map(([user, token]) => `${token},${user},${user},"system:masters"\n`);
  await writeFile(tokenFile(folder), rows.join(""), { mode: 0o600 });
  await writeAuditPolicy(policyFile(folder));
  await writeFile(egressFile(folder), stringify(noServices));
  if (address === undefined) return;
  // The server shows this certificate to servers of other APIs, such as Linkerd's tap, and they know it from a ConfigMap.
  const { certificate, key } = frontProxyFiles(folder);
  const [kind, files] = [
    ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"],
    ["-keyout", key],
  ];
  const subject = ["-subj", "/CN=front-proxy", "-nodes", "-days", "30"];
  await execa("openssl", ["req", "-x509", ...kind, ...subject, ...files, "-out", certificate]);
}

/**
 * Without nodes, nobody answers at the address of a Service. The machine has no route to it either, so requests to a
 * webhook would leave the machine: they go to the socket of a proxy that doesn't exist.
 */
const noServices = {
  apiVersion: "apiserver.k8s.io/v1beta1",
  kind: "EgressSelectorConfiguration",
  egressSelections: [
    {
      name: "cluster",
      connection: {
        proxyProtocol: "HTTPConnect",
        transport: { uds: { udsName: "/services-have-no-pods-here" } },
      },
    },
  ],
};

export function startApiServer(spec: ApiServerSpec, watchdog: Watchdog): Program {
  const { name, index, folder, address } = spec;
  const args = [
    `--etcd-servers=${spec.etcdUrl}`,
    `--etcd-prefix=/${name}`,
    `--bind-address=${address ?? "127.0.0.1"}`,
    `--secure-port=${spec.port}`,
    // The Endpoints of the Service `kubernetes` may not be a loopback address; these are for documentation.
    `--advertise-address=${address ?? `192.0.2.${index + 1}`}`,
    `--service-cluster-ip-range=10.${100 + index}.0.0/16`,
    `--cert-dir=${join(folder, "certificates")}`,
    `--token-auth-file=${tokenFile(folder)}`,
    "--authorization-mode=RBAC",
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${serviceAccountKeyFile(folder)}`,
    `--service-account-signing-key-file=${serviceAccountKeyFile(folder)}`,
    "--allow-privileged=true",
    // New nodes would be tainted until a controller, which the bed does without, has seen them ready.
    "--disable-admission-plugins=TaintNodesByCondition",
    `--audit-policy-file=${policyFile(folder)}`,
    `--audit-log-path=${auditLogFile(folder)}`,
    // An answered request is in the log when its answer arrives, and the log is never rotated away.
    "--audit-log-mode=blocking",
    "--audit-log-maxsize=0",
    "--profiling=false",
    // The host name of a node leads nowhere.
    "--kubelet-preferred-address-types=InternalIP",
    ...(address === undefined
      ? [`--egress-selector-config-file=${egressFile(folder)}`]
      : frontProxyArgs(folder)),
  ];
  const log = join(folder, "kube-apiserver.log");
  return startProgram({ name: `kube-apiserver of ${name}`, path: spec.path, args, log }, watchdog);
}

function frontProxyArgs(folder: string): readonly string[] {
  const { certificate, key } = frontProxyFiles(folder);
  return [
    `--requestheader-client-ca-file=${certificate}`,
    "--requestheader-allowed-names=front-proxy",
    `--proxy-client-cert-file=${certificate}`,
    `--proxy-client-key-file=${key}`,
    "--requestheader-username-headers=X-Remote-User",
    "--requestheader-group-headers=X-Remote-Group",
    "--requestheader-extra-headers-prefix=X-Remote-Extra-",
  ];
}

/** Twenty servers that start at once on two busy cores take minutes. One that fails ends, so nothing waits for it. */
const startSeconds = 300;

export function apiServerReady(
  { name, folder, port, address = "127.0.0.1" }: ApiServerSpec,
  token: string,
  program: Program,
): Promise<Access> {
  return until(
    `the API server of ${name}`,
    [program],
    async () => {
      const authority = await readFile(authorityFile(folder), "utf8");
      const access = { server: `https://${address}:${port}`, authority, token };
      const { code } = await request(access, "GET", "/readyz");
      return code === 200 ? access : undefined;
    },
    startSeconds,
  );
}

const tokenFile = (folder: string): string => join(folder, "tokens.csv");

const frontProxyFiles = (folder: string) => ({
  certificate: join(folder, "front-proxy.crt"),
  key: join(folder, "front-proxy.key"),
});

const egressFile = (folder: string): string => join(folder, "egress.yaml");

const policyFile = (folder: string): string => join(folder, "audit-policy.yaml");

/** Starts the etcd that holds all clusters, each under a prefix of its own. Returns its URL once it answers. */
export async function startEtcd(
  path: string,
  folder: string,
  port: number,
  watchdog: Watchdog,
): Promise<string> {
  const url = `http://127.0.0.1:${port}`;
  const program = startProgram(
    {
      name: "etcd",
      path,
      log: join(folder, "etcd.log"),
      args: [
        `--data-dir=${join(folder, "etcd")}`,
        `--listen-client-urls=${url}`,
        `--advertise-client-urls=${url}`,
        // It has no peers: any free port will do.
        "--listen-peer-urls=http://127.0.0.1:0",
        // Nothing here needs to survive a power cut.
        "--unsafe-no-fsync",
        `--quota-backend-bytes=${4 * 1024 ** 3}`,
        "--log-level=warn",
      ],
    },
    watchdog,
  );
  await until("etcd", [program], async () => (await fetch(`${url}/health`)).ok || undefined);
  return url;
}
