import { stringify } from "yaml";
import { omitUndefined } from "../base/omit-undefined.ts";
import { bounds } from "../kubernetes/objects/bounds.ts";
import type { ApiServer, Credentials } from "../kubernetes/client/connect.ts";
import { invalid, type Result } from "../base/result.ts";
import { entriesIn } from "../kubernetes/kubeconfig/kubeconfig.ts";

interface KubeconfigParts extends ApiServer {
  readonly token: string;
  readonly cluster: string;
  readonly user: string;
}

/**
 * The kubeconfig has no plugin, file, key or proxy (linkerd-behaviour.md 1.5). The same parts give the same text, because
 * a change costs the destination controller its watches.
 */
export function kubeconfigFor(parts: KubeconfigParts): string {
  const { server, certificateAuthority, tlsServerName, token, cluster, user } = parts;
  const verification = omitUndefined({
    "certificate-authority-data": certificateAuthority,
    "tls-server-name": tlsServerName,
  });
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: cluster, cluster: { server, ...verification } }],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: cluster, context: { cluster, user } }],
    "current-context": cluster,
  };
  // Texts are quoted because Go's parser follows YAML 1.1, where a cluster called `on` would be a boolean.
  return stringify(config, {
    defaultKeyType: "PLAIN",
    defaultStringType: "QUOTE_DOUBLE",
    lineWidth: 0,
  });
}

/**
 * Nothing but an address and a token is taken from a kubeconfig in a cluster, because it could make this machine run a
 * program, send a file or reveal the token. A failure is the end of a sentence "it must be", and never quotes it.
 */
export function credentialsIn(text: string): Result<Credentials> {
  const entries = isModest(text) ? entriesIn(text, "a Secret") : undefined;
  const entry = (kind: "contexts" | "clusters" | "users", name: unknown) =>
    entries?.[kind].get(String(name))?.fields ?? {};
  const context = entry("contexts", entries?.current);
  const [cluster, user] = [entry("clusters", context.cluster), entry("users", context.user)];
  const { server, token } = { ...cluster, ...user };
  const url = typeof server === "string" ? URL.parse(server) : null;
  if (typeof server !== "string" || url === null)
    return invalid("one whose current context refers to a cluster with a server");
  if (url.protocol !== "https:" || cluster["insecure-skip-tls-verify"] === true)
    return invalid(
      "one that keeps the token secret: with an https server, and without insecure-skip-tls-verify",
    );
  if (typeof token !== "string" || token === "")
    return invalid(
      "one whose user has a token, since Linkerd can use no plugins, files or other logins",
    );
  if (cluster["certificate-authority"] !== undefined)
    return invalid(
      "one with certificate-authority-data, since a certificate-authority file does not exist in Linkerd's pods",
    );
  const authority = cluster["certificate-authority-data"];
  const serverName = cluster["tls-server-name"];
  const certificateAuthority = typeof authority === "string" ? authority : undefined;
  const tlsServerName = typeof serverName === "string" ? serverName : undefined;
  return { value: { server, token, ...omitUndefined({ certificateAuthority, tlsServerName }) } };
}

/** The parser's time grows faster than the number of marks. A context with its cluster and user has 200. */
function isModest(text: string): boolean {
  const { kubeconfig, kubeconfigMarks } = bounds;
  return (
    text.length <= kubeconfig.most &&
    text.replaceAll(/[\w+/=.-]/g, "").length <= kubeconfigMarks.most
  );
}
