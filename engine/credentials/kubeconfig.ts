import type { ApiServer } from "../kubernetes/connect.ts";

export interface KubeconfigParts extends ApiServer {
  /** The one credential. */
  readonly token: string;
  /** Name of the cluster and of the context. */
  readonly cluster: string;
  readonly user: string;
}

/**
 * A kubeconfig that holds a token and an inlined certificate authority and nothing else: no plugin
 * to run, no file to read, no key, no proxy (linkerd-behaviour.md 1.5). The same
 * parts give the same text, as a change of it costs the destination controller its watches.
 */
export function kubeconfigFor(parts: KubeconfigParts): string {
  const { server, certificateAuthority, tlsServerName, token, cluster, user } = parts;
  return [
    "apiVersion: v1",
    "kind: Config",
    "clusters:",
    `- name: ${scalar(cluster)}`,
    "  cluster:",
    `    server: ${scalar(server)}`,
    ...(certificateAuthority === undefined
      ? []
      : [`    certificate-authority-data: ${scalar(certificateAuthority)}`]),
    ...(tlsServerName === undefined ? [] : [`    tls-server-name: ${scalar(tlsServerName)}`]),
    "users:",
    `- name: ${scalar(user)}`,
    "  user:",
    `    token: ${scalar(token)}`,
    "contexts:",
    `- name: ${scalar(cluster)}`,
    "  context:",
    `    cluster: ${scalar(cluster)}`,
    `    user: ${scalar(user)}`,
    `current-context: ${scalar(cluster)}`,
    "",
  ].join("\n");
}

/** A string of JSON is one of YAML. */
function scalar(text: string): string {
  return JSON.stringify(text);
}
